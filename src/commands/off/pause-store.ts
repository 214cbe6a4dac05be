import { appendLine } from "../../audit/append.ts";
import { type PauseLineInput, pauseLine } from "../../audit/log-lines.ts";
import type { CommonOptions } from "../../cli/command-table.ts";
import { clockText } from "../../engine/clock-text.ts";
import { createRunContext } from "../../engine/create-run-context.ts";
import type { RunContext } from "../../engine/run-context.ts";
import { defaultPausesFile } from "../../engine/user-paths.ts";
import type { Host } from "../../host.ts";
import type { Pause } from "../../protocol/pause.ts";
import type { HostProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { NO_USABLE_HOME } from "../../protocol/unsafe-path.ts";
import type { PauseView } from "../../report/off-text.ts";

/** Where pauses are stored. */
export function placeOfPauses({ scopes }: RunContext): Result<string, HostProblem> {
  if (scopes.homeDir !== null) return ok(defaultPausesFile(scopes.homeDir));
  return fail({ code: "FILE_NOT_WRITTEN", path: "pauses.json", cause: NO_USABLE_HOME });
}

export const pauseView = ({ startMs, endMs, ...pause }: Pause, nowMs: number): PauseView => ({
  ...{ name: pause.name, project: pause.project, by: pause.by, lastsMs: endMs - startMs },
  untilText: clockText(endMs, nowMs),
  from: new Date(startMs).toISOString(),
  until: new Date(endMs).toISOString(),
});

/** Adds a line to the audit log. Returns why that failed, or null. */
export function recordPauses(
  kind: PauseLineInput["kind"],
  pauses: readonly Pause[],
  { auditFile, settings, nowMs }: RunContext,
): string | null {
  if (settings.record === "off") return null;
  if (auditFile === null) return "there is no private folder for the audit log";
  const isoTime = new Date(nowMs).toISOString();
  const lost = pauses.map((pause) => appendLine(auditFile, pauseLine({ kind, isoTime, pause })));
  return lost.find((one) => one !== null) ?? null;
}

/** Reads the pauses as the next call will. Returns why they do not count, or null. */
export async function refusedCause(
  options: CommonOptions,
  host: Host,
): Promise<{ readonly path: string; readonly cause: string } | null> {
  const again = await createRunContext(options, host, false);
  const refused = again.ok ? again.value.loaded.warnings.find(({ code }) => code === "PAUSES_REFUSED") : undefined;
  return refused?.code === "PAUSES_REFUSED" ? { path: refused.path, cause: refused.cause } : null;
}
