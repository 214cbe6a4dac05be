import { isAbsolute, resolve } from "node:path";
import { describeCall } from "../../audit/describe-call.ts";
import { createRedactor, type Redact } from "../../audit/redact.ts";
import { type CommandResult, print } from "../../cli/command-result.ts";
import type { CommandLine, OptionsOf } from "../../cli/command-table.ts";
import { progressLine } from "../../cli/progress-line.ts";
import { hooksAreOff } from "../../cli/run-options.ts";
import { stdoutStyle } from "../../cli/stream-style.ts";
import { isInside, realPathOrSame } from "../../fs/paths.ts";
import type { Host } from "../../host.ts";
import { signalExitCode } from "../../protocol/exit-code.ts";
import { printableJson } from "../../protocol/json/write.ts";
import { explain } from "../../protocol/problem-message.ts";
import { fail, ok } from "../../protocol/result.ts";
import { type FoundCalls, runBacktest } from "../../replay/backtest.ts";
import { type BacktestReport, backtestReport } from "../../replay/backtest-report.ts";
import { type JudgedRecord, membersOfRecord, recordJudge } from "../../replay/judge-records.ts";
import { openReplay, type Replay } from "../../replay/open-replay.ts";
import type { SessionRecord } from "../../replay/sessions/session-record.ts";
import { createTally, type Tally } from "../../replay/tally.ts";
import { backtestJson } from "../../report/backtest-json.ts";
import { backtestText, notJudgedText } from "../../report/backtest-text.ts";
import { findSources } from "./sources.ts";

type Options = OptionsOf<"backtest">;

/** `hookctl backtest`: shows what today's hooks would have made of the calls that agents have recorded. */
export async function backtest(line: CommandLine<"backtest">, host: Host): Promise<CommandResult> {
  const { options } = line;
  const folder = resolve(host.cwd, options.directory ?? ".");
  const sinceMs = options.since?.(host.nowMs()).startMs ?? null;
  const found = findSources({ files: line.args, agent: options.agent, folder, sinceMs }, host);
  if (!found.ok) return found;
  const { sources, unreadableAgents } = found.value;
  const replay = openTodaysHooks(options, host);
  const redact = createRedactor(host.env);
  const tally = createTally(redact);
  const judgeRecord = recordJudge(replay);
  const calls = await readAll(options, host, {
    sources,
    isMeant: meantCalls(options, host),
    judge: async (record) => tallied(record, await judgeRecord(record), { tally, redact }),
  });
  const signal = host.interrupt.raised();
  if (signal !== null) return ok(signalExitCode(signal));
  const report = backtestReport({
    ...{ found: calls, tally, leftOut: replay.leftOut(), unreadableAgents },
  });
  if (report.calls === 0) return fail({ code: "NOTHING_RECORDED", files: sources.length, unread: unreadTexts(report) });
  return printReport(report, options, host);
}

/** The hooks of today. A guard that is off judges if it is named, or where no hook is on. */
function openTodaysHooks(options: Options, host: Host): Replay {
  // `agent` chooses sessions; the hooks are the same for all agents.
  const { agent: _sessionsOf, ...common } = options;
  const engine = { ...common, isOff: hooksAreOff(options, host) };
  return openReplay({ engine, guards: options.only === null ? "all-without-hooks" : "all" }, host);
}

/** Returns a test for the calls of a time and of a folder. A call without a time is meant only if no time is given. */
function meantCalls({ since, until, project }: Options, host: Host): (record: SessionRecord) => boolean {
  const now = host.nowMs();
  const sinceMs = since?.(now).startMs ?? Number.NEGATIVE_INFINITY;
  const untilMs = until?.(now).endMs ?? Number.POSITIVE_INFINITY;
  const isTimed = since !== null || until !== null;
  const folder = project === null ? null : resolve(host.cwd, project);
  const folders = folder === null ? null : [folder, realPathOrSame(folder)];
  return ({ time, cwd }) => {
    const timeMs = time === null ? Number.NaN : Date.parse(time);
    if (isTimed && !(timeMs >= sinceMs && timeMs <= untilMs)) return false;
    return folders === null || (isAbsolute(cwd) && folders.some((one) => isInside(one, resolve(cwd))));
  };
}

const PAUSE_EVERY_MS = 50;

/** Reads and judges all calls; a line on the terminal shows how far it is, and a signal ends it. */
async function readAll(
  { quiet }: Options,
  host: Host,
  input: Omit<Parameters<typeof runBacktest>[0], "pause">,
): Promise<FoundCalls> {
  host.interrupt.listen(() => undefined);
  let done = 0;
  let pausedMs = host.elapsedMs();
  const progress = progressLine(host, quiet, () => `${done} calls judged`);
  const calls = await runBacktest({
    ...input,
    pause: async (count) => {
      done = count;
      if (host.elapsedMs() - pausedMs < PAUSE_EVERY_MS) return false;
      await new Promise((resolve) => setImmediate(resolve));
      pausedMs = host.elapsedMs();
      return host.interrupt.raised() !== null;
    },
  });
  progress.end();
  return calls;
}

interface TallyPlace {
  readonly tally: Tally;
  readonly redact: Redact;
}

/** Counts a judged call. Returns why it was not judged, or null. */
function tallied(record: SessionRecord, judged: JudgedRecord, { tally, redact }: TallyPlace): string | null {
  if (judged.kind === "unjudged")
    return judged.problem === null ? "its agent has no such event" : explain(judged.problem).summary;
  const { alarms, decision, isByDefaults } = judged;
  const { agent, time, session } = record;
  const members = alarms.length === 0 ? null : membersOfRecord(record);
  const shown = members === null ? "" : (describeCall(members, redact) ?? "");
  tally.add({ alarms, decision, isByDefaults, shown, place: { agent, time, session } });
  return null;
}

const unreadTexts = ({ notJudged }: BacktestReport): readonly string[] => notJudged.map(notJudgedText);

async function printReport(report: BacktestReport, options: Options, host: Host): Promise<CommandResult> {
  if (options.json) return print(`${printableJson(backtestJson(report))}\n`, host);
  return print(backtestText(report, await stdoutStyle(options, host), options.verbosity > 0), host);
}
