import { resolve } from "node:path";
import { describeCall } from "../../../../src/audit/log-lines.ts";
import { createRedactor, type Redact } from "../../../../src/audit/redact.ts";
import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine, OptionsOf } from "../../../../src/cli/command-table.ts";
import { stdoutStyle } from "../../../../src/cli/stream-style.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { hooksAreOff } from "../../../../src/engine/run-context.ts";
import { callerOf, findCallerScopes } from "../../../../src/engine/user-paths.ts";
import { writeOutputFile } from "../../../../src/fs/write-output.ts";
import { EXIT, signalExitCode } from "../../../../src/protocol/exit-code.ts";
import { printableJson } from "../../../../src/protocol/json/write.ts";
import { fail, ok, ProblemError, unwrap } from "../../../../src/protocol/result.ts";
import { pluralize } from "../../../../src/protocol/text/count.ts";
import { addTo, type FoundCalls, nothingFound, notJudgedIn, selectedCalls } from "../../replay/found-calls.ts";
import { membersOfRecord, recordJudge } from "../../replay/judge-records.ts";
import { layOutRevision, withRevisionFolders } from "../../replay/lay-out-revision.ts";
import { openReplay } from "../../replay/open-replay.ts";
import type { LeftOutHook } from "../../replay/replay-project.ts";
import { corpusLine, type SessionRecord } from "../../replay/sessions/session-record.ts";
import { addCompared, addJudged, newTally, type ShownCall, type Tally } from "../../replay/tally.ts";
import { backtestJson, backtestText, compareJson, compareText, notJudgedText } from "../../report/backtest-text.ts";
import { type BacktestSources, callFilter, findSources, madeInside } from "./find-sources.ts";
import { judgeCalls } from "./judge-calls.ts";

interface Backtest {
  readonly options: OptionsOf<"backtest">;
  readonly host: Host;
  readonly sources: BacktestSources;
  readonly redact: Redact;
}

type BacktestLine = Pick<CommandLine<"backtest">, "args" | "options">;

/** `hookctl replay --agents`: shows what the current hooks would have decided about recorded calls. */
export async function backtest({ args, options }: BacktestLine, host: Host): Promise<CommandResult> {
  const folder = resolve(host.cwd, options.directory ?? ".");
  const sinceMs = options.since?.(host.nowMs()).startMs ?? null;
  const sources = findSources({ files: args, agent: options.agent, folder, sinceMs }, host);
  const all = { options, host, sources, redact: createRedactor(host.env) };
  return options.failOnChange === null ? judgeByToday(folder, all) : compareWith(options.failOnChange, all);
}

async function judgeByToday(folder: string, all: Backtest): Promise<CommandResult> {
  const { options, host, redact } = all;
  // `agent` chooses sessions; the hooks are the same for all agents.
  const { agent: _sessionsOf, ...common } = options;
  const engine = { ...common, isOff: hooksAreOff(options, host) };
  // A guard that is off judges if it is named, or where no hook is on.
  const today = openReplay({ engine, guards: options.only === null ? "all-without-hooks" : "all" }, host);
  const judgeRecord = recordJudge(today);
  const exported = options.exportFile === null ? null : exportCalls(options.exportFile, folder, all);
  const judged = await judgeSelected(all, callFilter(options, host), async (record, tally) => {
    exported?.add(record);
    const found = await judgeRecord(record);
    if (typeof found === "string") return found;
    addJudged(tally, found, () => shownCall(record, redact), redact);
    return null;
  });
  if (typeof judged === "number") return ok(judged);
  const report = reportOf(judged, today.leftOut(), all);
  if (judged.found.calls === 0) return fail(nothingJudged(report.notJudged, all));
  exported?.write();
  const text = options.json ? `${printableJson(backtestJson(report))}\n` : backtestText(report, await viewOf(all));
  return print(text, host);
}

/** `--fail-on-change`: puts the same calls to the hooks of two revisions, and fails if a decision differs. */
async function compareWith(base: string, all: Backtest): Promise<CommandResult> {
  const { options, host, redact } = all;
  const scopes = unwrap(findCallerScopes(callerOf(host, options.directory)));
  const { homeDir, projectDir, rootDir } = scopes;
  return withRevisionFolders(async (folders) => {
    const git = { env: host.env, root: projectDir, projectDir, homeDir, interrupt: host.interrupt };
    /**
     * The hooks of a project as on any machine, without those of the user. Unapproved rules and guards judge, too,
     * because a change is reviewed before it is approved; they are text that is compared with a recorded call. Programs
     * start only with the user's approval.
     */
    const openRevision = (directory: string) => {
      const { agent: _sessionsOf, ...common } = options;
      const { emptyHome } = folders;
      const engine = { ...common, directory, emptyHome, trust: true, config: null, hooksDirs: [] };
      return openReplay({ engine, guards: "on" }, host);
    };
    const before = openRevision(await layOutRevision(base, folders, git));
    const after = openRevision(projectDir);
    const fault = (await before.fault()) ?? (await after.fault());
    if (fault !== null) return fail(fault);
    const judges = { before: recordJudge(before), after: recordJudge(after) };
    const isInRange = callFilter(options, host);
    const isOfProject = madeInside(rootDir);
    // Calls of this machine are judged if they were made in this project, calls of a named file always.
    const isSelected = (record: SessionRecord) => isInRange(record) && (record.madeIn !== null || isOfProject(record));
    const judged = await judgeSelected(all, isSelected, async (record, tally) => {
      const moved = { ...record, madeIn: record.madeIn ?? { home: homeDir ?? "/", project: rootDir } };
      const [then, now] = [await judges.before(moved), await judges.after(moved)];
      if (typeof then === "string") return then;
      if (typeof now === "string") return now;
      addCompared(tally, { before: then, after: now }, () => shownCall(record, redact), redact);
      return null;
    });
    if (typeof judged === "number") return ok(judged);
    const leftOut = new Map([...before.leftOut(), ...after.leftOut()].map((hook) => [hook.name, hook]));
    const report = { base, ...reportOf(judged, [...leftOut.values()], all) };
    const { tally, notJudged } = report;
    if (tally.judged === 0) return fail(nothingJudged(notJudged, all));
    const text = options.json ? `${printableJson(compareJson(report))}\n` : compareText(report, await viewOf(all));
    return print(text, host, false, tally.differing > 0 ? EXIT.checkFailed : EXIT.ok);
  });
}

interface Judged {
  readonly found: FoundCalls;
  readonly tally: Tally;
}

/** Reads and judges all selected calls. Returns the exit code after a signal. */
async function judgeSelected(
  { options, host, sources }: Backtest,
  isSelected: (record: SessionRecord) => boolean,
  /** Returns why the call was not judged, or null. */
  judge: (record: SessionRecord, tally: Tally) => Promise<string | null>,
): Promise<Judged | number> {
  const [found, tally] = [nothingFound(), newTally()];
  const judgeCall = async (record: SessionRecord): Promise<void> => {
    const why = await judge(record, tally);
    if (why !== null) addTo(found.unjudged, why);
  };
  const calls = selectedCalls(sources.sources, isSelected, found);
  await judgeCalls(calls, { word: "call", quiet: options.quiet, judge: judgeCall }, host);
  const signal = host.interrupt.raised();
  return signal === null ? { found, tally } : signalExitCode(signal);
}

const reportOf = (judged: Judged, leftOut: readonly LeftOutHook[], { sources }: Backtest) => ({
  ...judged,
  leftOut,
  notJudged: notJudgedIn(judged.found, sources.unreadableAgents),
});

const nothingJudged = (notJudged: ReturnType<typeof notJudgedIn>, { sources }: Backtest) =>
  ({ code: "NOTHING_RECORDED", files: sources.sources.length, unread: notJudged.map(notJudgedText) }) as const;

const viewOf = async ({ options, host }: Backtest) => ({
  style: await stdoutStyle(options, host),
  isVerbose: options.verbosity > 0,
});

/** The call in one line, without secrets. */
function shownCall(record: SessionRecord, redact: Redact): ShownCall {
  const { agent, time, session } = record;
  const members = membersOfRecord(record);
  const text = members === null ? null : describeCall(members, redact);
  return { text: text ?? "", place: { agent, time, session: redact(session) } };
}

const MOST_CHARACTERS = 64 * 1024 * 1024;

/** Collects the calls for a file that `backtest` reads on another machine. */
function exportCalls(file: string, project: string, { host, redact }: Backtest) {
  const lines = new Set<string>();
  let [characters, leftOut] = [0, 0];
  const own = { home: host.env.HOME ?? "/", project };
  return {
    add: (record: SessionRecord): void => {
      const line = corpusLine(record, own, redact);
      if (line === null || characters + line.length > MOST_CHARACTERS) leftOut += 1;
      else if (!lines.has(line)) {
        lines.add(line);
        characters += line.length;
      }
    },
    write: (): void => {
      const path = resolve(host.cwd, file);
      const cause = writeOutputFile(path, [...lines].join(""));
      if (cause !== null) throw new ProblemError({ code: "FILE_NOT_WRITTEN", path, cause });
      const missing = leftOut === 0 ? "" : `; ${pluralize(leftOut, "call was", "calls were")} too long`;
      host.err(
        `• ${pluralize(lines.size, "different call")} written to ${file}${missing}. Read it before you share it.\n`,
      );
    },
  };
}
