import { type AuditEntry, textField } from "../../audit/read.ts";
import { readCommonOptions, readEvent, textOption } from "../../cli/common-options.ts";
import type { CommandLine } from "../../cli/option-table.ts";
import { print, refuse } from "../../cli/output.ts";
import { stdoutStyle } from "../../cli/style.ts";
import { createRunContext } from "../../engine/run-context.ts";
import type { Host } from "../../host.ts";
import { EXIT } from "../../protocol/exit-code.ts";
import { printableJson, rawJson } from "../../protocol/json/write.ts";
import type { UsageProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { logText } from "../../report/log-text.ts";
import { latestEntries, loggedRun, loggedShells, runsIn } from "./logged-runs.ts";

const DEFAULT_COUNT = 20;
const MOST = 10_000;

/** `hookctl log`: the latest runs of the record, newest last. Reads, and starts nothing. */
export async function log(line: CommandLine, host: Host): Promise<number> {
  const options = readCommonOptions(line);
  if (!options.ok) return refuse(options.error, host);
  const count = readCount(textOption(line.options, "--last"));
  if (!count.ok) return refuse(count.error, host);
  const isWanted = readFilter(line);
  if (!isWanted.ok) return refuse(isWanted.error, host);
  const started = await createRunContext(options.value, host, false);
  if (!started.ok) return refuse(started.error, host);

  const file = started.value.context.auditFile;
  const entries = file === null ? [] : latestEntries(file, count.value, isWanted.value);
  if (options.value.json) {
    const all = entries.map(({ raw }) => rawJson(raw));
    return print(`${printableJson({ schema: "hookctl.log/1", entries: all })}\n`, host);
  }
  if (entries.length === 0) return tellNothing(options.value.quiet, host);
  const runs = runsIn(entries).map((entry) => loggedRun(entry, host.nowMs()));
  return print(logText(runs, loggedShells(entries), await stdoutStyle(options.value, host)), host);
}

function tellNothing(isQuiet: boolean, host: Host): number {
  if (!isQuiet) host.err("• Nothing of this kind is recorded. A run in which a hook had its turn leaves a line.\n");
  return EXIT.ok;
}

function readCount(text: string | null): Result<number, UsageProblem> {
  if (text === null) return ok(DEFAULT_COUNT);
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MOST) return ok(count);
  const detail = `it is a whole number from 1 to ${MOST}`;
  return fail({ code: "USAGE_BAD_VALUE", flag: "--last", value: text, detail });
}

function readFilter({ options }: CommandLine): Result<(entry: AuditEntry) => boolean, UsageProblem> {
  const [name, session] = [textOption(options, "--event"), textOption(options, "--session")];
  const event = name === null ? ok(null) : readEvent(name);
  if (!event.ok) return event;
  return ok(
    (entry) =>
      (event.value === null || textField(entry, "event") === event.value) &&
      (session === null || textField(entry, "session") === session),
  );
}
