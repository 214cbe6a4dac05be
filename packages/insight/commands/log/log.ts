import type { ScannedLine } from "../../../../src/audit/read.ts";
import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine, OptionsOf } from "../../../../src/cli/command-table.ts";
import { stdoutStyle } from "../../../../src/cli/stream-style.ts";
import { createRunContext } from "../../../../src/engine/create-run-context.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { clockText, dayText, timeOfDayText } from "../../../../src/engine/pauses.ts";
import { EXIT } from "../../../../src/protocol/exit-code.ts";
import { printableJson, rawJson } from "../../../../src/protocol/json/write.ts";
import type { UsageProblem } from "../../../../src/protocol/problem.ts";
import { fail, ok, unwrap } from "../../../../src/protocol/result.ts";
import { type LogClock, logPrinter } from "../../report/log-text.ts";
import { followLog } from "./follow-log.ts";
import { type LineFilter, readLineFilter } from "./line-filter.ts";
import { printCase } from "./print-case.ts";
import { purge } from "./purge.ts";
import {
  isEmptyLog,
  latestLines,
  nothingRecorded,
  type ReadingProgress,
  readingProgress,
  wantedLines,
} from "./selected-lines.ts";

type LogOptions = OptionsOf<"log">;

const DEFAULT_COUNT = 20;
/** The number of lines that share column widths and are held in memory. */
const BATCH = 500;

/** `hookctl log`: prints runs of the audit log, newest last. */
export async function log({ options }: CommandLine<"log">, host: Host): Promise<CommandResult> {
  const misfit = misfitOf(options);
  if (misfit !== null) return fail(misfit);
  const { context } = unwrap(await createRunContext(options, host, false));
  if (options.isPurge) return purge(options, context, host);
  if (options.caseOf !== null) return printCase(options.caseOf, context, host);
  const filter = readLineFilter(options, host);
  const { auditFile: file } = context;
  const show = await linePrinter(options, host);
  const sayNothing = async (): Promise<void> =>
    options.quiet ? undefined : host.err(await nothingRecorded(context, options, host));
  const progress = readingProgress(options, host);
  if (options.isFollowing && file !== null) {
    if (isEmptyLog(file)) await sayNothing();
    const latest = latestLines(file, filter, options.last ?? DEFAULT_COUNT, progress);
    progress.end();
    return followLog({ file, filter, latest, show }, host);
  }
  let [shown, hasMore] = [0, false];
  for (const { lines, hasMore: more } of file === null ? [] : selectedLines(file, { filter, options, progress })) {
    shown += lines.length;
    hasMore = more;
    progress.clear();
    const printed = print(show(lines), host);
    if (!printed.ok) return printed;
  }
  progress.end();
  if (shown === 0) await sayNothing();
  if (hasMore && !options.json && !options.quiet)
    host.err(`The log has older runs: only the newest ${DEFAULT_COUNT} are shown. For more, add: --last 200\n`);
  // For a person, who asks next why a call was stopped.
  if (shown > 0 && host.isStdoutTerminal() && !options.json && !options.quiet)
    host.err("Explain one: hookctl why ID\n");
  return ok(EXIT.ok);
}

interface Selection {
  readonly filter: LineFilter;
  readonly options: LogOptions;
  readonly progress: ReadingProgress;
}

type Batch = Pick<ReturnType<typeof latestLines>, "lines" | "hasMore">;

/** All lines of a time range in batches, or the latest lines in one. */
function* selectedLines(file: string, { filter, options, progress }: Selection): Generator<Batch> {
  const { since, until, last } = options;
  if (last !== null || (since === null && until === null)) {
    yield latestLines(file, filter, last ?? DEFAULT_COUNT, progress, last === null);
    return;
  }
  let batch: ScannedLine[] = [];
  for (const line of wantedLines(file, filter, progress.onProgress)) {
    batch.push(line);
    if (batch.length < BATCH) continue;
    yield { lines: batch, hasMore: false };
    batch = [];
  }
  yield { lines: batch, hasMore: false };
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

type Names = Partial<Record<keyof LogOptions, string>>;

/** They choose which runs are listed. */
const OF_LIST: Names = {
  isFollowing: "--follow",
  since: "--since",
  until: "--until",
  project: "--project",
  event: "--event",
  decision: "--decision",
  session: "--session",
  grep: "--grep",
  last: "--last",
  only: "--hook",
};
const OF_PURGE: Names = { before: "--before", isAll: "--all", isPayloads: "--payloads", yes: "--yes" };

/** The problem of options that cannot be combined. Ignoring one would list, or remove, other runs than intended. */
export function misfitOf(options: LogOptions): UsageProblem | null {
  const { isPurge, caseOf, isFollowing, until } = options;
  const [listing, purging] = [givenOf(OF_LIST, options), givenOf(OF_PURGE, options)];
  if (isPurge && listing !== null) return problem(`--purge takes no ${listing}.`, "hookctl log --purge --before 7d");
  if (isPurge && caseOf !== null) return problem("--purge and --case cannot be combined.", "hookctl log --help");
  // Who types `log --all` wants to see all runs, and must not be led to remove them.
  if (!isPurge && purging === "--all")
    return problem("--all needs --purge, which removes runs.", "hookctl log --last 10000");
  if (!isPurge && purging !== null) return problem(`${purging} needs --purge.`, "hookctl log --purge --before 7d");
  if (caseOf !== null && listing !== null) return problem(`--case takes no ${listing}.`, "hookctl log --case RUN");
  if (!isFollowing || until === null) return null;
  return problem("--follow has no end, so it cannot be combined with --until.", "hookctl log --follow --since 1h");
}

function givenOf(names: Names, options: LogOptions): string | null {
  const found = Object.entries(names).find(([key]) => isGiven(options[key as keyof LogOptions]));
  return found?.[1] ?? null;
}

const isGiven = (value: LogOptions[keyof LogOptions]): boolean => value !== null && value !== false;

const problem = (detail: string, tryThis: string): UsageProblem => ({ code: "USAGE_WRONG_WORDS", detail, tryThis });

export const logClock = (nowMs: () => number): LogClock => ({
  full: (atMs) => clockText(atMs, nowMs(), { hasSeconds: true }),
  time: (atMs) => timeOfDayText(atMs, { hasSeconds: true }),
  day: dayText,
  today: dayText(nowMs()),
});
