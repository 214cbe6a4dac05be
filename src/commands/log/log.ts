import { type AuditEntry, textField } from "../../audit/read.ts";
import { type CommandResult, print } from "../../cli/command-result.ts";
import type { CommandLine, OptionsOf } from "../../cli/command-table.ts";
import { stdoutStyle } from "../../cli/stream-style.ts";
import { createRunContext } from "../../engine/run-context.ts";
import type { Host } from "../../host.ts";
import { EXIT } from "../../protocol/exit-code.ts";
import { printableJson, rawJson } from "../../protocol/json/write.ts";
import { ok } from "../../protocol/result.ts";
import { logText } from "../../report/log-text.ts";
import { latestEntries, loggedPauses, loggedRun, loggedShells, runsIn } from "./logged-runs.ts";

const DEFAULT_COUNT = 20;

/** `hookctl log`: prints the latest runs of the audit log, newest last. */
export async function log(line: CommandLine<"log">, host: Host): Promise<CommandResult> {
  const { options } = line;
  const started = await createRunContext(options, host, false);
  if (!started.ok) return started;

  const file = started.value.context.auditFile;
  const entries = file === null ? [] : latestEntries(file, options.last ?? DEFAULT_COUNT, matches(options));
  if (options.json) {
    const all = entries.map(({ raw }) => rawJson(raw));
    return print(`${printableJson({ schema: "hookctl.log/1", entries: all })}\n`, host);
  }
  if (entries.length === 0) {
    if (!options.quiet) host.err("• No runs recorded yet.\n");
    return ok(EXIT.ok);
  }
  const runs = runsIn(entries).map((entry) => loggedRun(entry, host.nowMs()));
  const pauses = loggedPauses(entries, host.nowMs());
  return print(logText({ runs, shells: loggedShells(entries), pauses }, await stdoutStyle(options, host)), host);
}

/** Matches the entries of one event and session; null: of any. */
const matches =
  ({ event, session }: OptionsOf<"log">) =>
  (entry: AuditEntry): boolean =>
    (event === null || textField(entry, "event") === event) &&
    (session === null || textField(entry, "session") === session);
