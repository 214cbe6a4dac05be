import { newestFirst, type ScannedLine } from "../../audit/read.ts";
import { type CommandResult, print } from "../../cli/command-result.ts";
import type { CommandLine, OptionsOf } from "../../cli/command-table.ts";
import { stdoutStyle } from "../../cli/stream-style.ts";
import type { Settings } from "../../config/merge-settings.ts";
import { createRunContext } from "../../engine/run-context.ts";
import type { Host } from "../../host.ts";
import { EXIT } from "../../protocol/exit-code.ts";
import { printableJson, rawJson } from "../../protocol/json/write.ts";
import { fail, ok } from "../../protocol/result.ts";
import { logPrinter } from "../../report/log-text.ts";
import { followLog } from "./follow-log.ts";
import { type LineFilter, readLineFilter } from "./line-filter.ts";
import { logClock } from "./log-clock.ts";
import { printCase } from "./print-case.ts";
import { purge } from "./purge.ts";
import { latestLines, wantedLines } from "./selected-lines.ts";

type LogOptions = OptionsOf<"log">;

const DEFAULT_COUNT = 20;
/** How many lines of a long log are shown with the same columns, and held in memory. */
const BATCH = 500;

/** `hookctl log`: prints runs of the audit log, newest last. */
export async function log(line: CommandLine<"log">, host: Host): Promise<CommandResult> {
  const { options } = line;
  if (options.isFollowing && options.until !== null) return fail(ENDLESS);
  const started = await createRunContext(options, host, false);
  if (!started.ok) return started;
  if (options.isPurge) return purge(options, started.value.context, host);
  if (options.caseOf !== null) return printCase(options.caseOf, started.value.context, host);
  const filter = readLineFilter(options, host);
  if (!filter.ok) return filter;

  const { auditFile: file, settings } = started.value.context;
  const show = await linePrinter(options, host);
  const sayNothing = (): void => (options.quiet ? undefined : host.err(nothingText(file, settings)));
  if (options.isFollowing && file !== null) {
    if (isEmpty(file)) sayNothing();
    return followLog({ file, filter: filter.value, count: options.last ?? DEFAULT_COUNT, show }, host);
  }
  let shown = 0;
  for (const lines of file === null ? [] : selectedLines(file, filter.value, options)) {
    shown += lines.length;
    const printed = print(show(lines), host);
    if (!printed.ok) return printed;
  }
  if (shown === 0) sayNothing();
  return ok(EXIT.ok);
}

const ENDLESS = {
  code: "USAGE_WRONG_WORDS",
  detail: "--follow has no end, so it cannot be combined with --until.",
  tryThis: "hookctl log --follow --since 1h",
} as const;

/** All lines of a range of time in batches, or the latest lines in one. */
function* selectedLines(file: string, filter: LineFilter, options: LogOptions): Generator<readonly ScannedLine[]> {
  const { since, until, last } = options;
  if (last !== null || (since === null && until === null)) {
    yield latestLines(file, filter, last ?? DEFAULT_COUNT).lines;
    return;
  }
  let batch: ScannedLine[] = [];
  for (const line of wantedLines(file, filter)) {
    batch.push(line);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** Returns a function that makes the output for lines: the recorded lines, or columns for a person. */
async function linePrinter(options: LogOptions, host: Host): Promise<(lines: readonly ScannedLine[]) => string> {
  if (options.json) return (lines) => lines.map(({ text }) => `${printableJson(rawJson(text))}\n`).join("");
  const printer = logPrinter({
    width: host.stdoutColumns(),
    style: await stdoutStyle(options, host),
    clock: logClock(host.nowMs),
  });
  return (lines) => printer(lines.map(({ line }) => line));
}

/** Why there is nothing to show, and what to type next. */
function nothingText(file: string | null, { record }: Pick<Settings, "record">): string {
  if (record === "off") return "• No runs are recorded: your settings say `record: off`.\n";
  if (file === null)
    return "• No runs are recorded: there is no private folder for the audit log. See: hookctl doctor\n";
  if (isEmpty(file)) return "• No runs recorded yet. Connect your agent: hookctl install\n";
  return "• No recorded run matches. All runs: hookctl log\n";
}

const isEmpty = (file: string): boolean => newestFirst(file).next().done === true;
