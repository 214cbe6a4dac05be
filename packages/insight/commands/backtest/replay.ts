import { describeCall } from "../../../../src/audit/log-lines.ts";
import { type RecordedPayload, readPayloads } from "../../../../src/audit/payload-log.ts";
import { createRedactor, REDACTED, type Redact, redactJson } from "../../../../src/audit/redact.ts";
import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine, OptionsOf } from "../../../../src/cli/command-table.ts";
import { stdoutStyle } from "../../../../src/cli/stream-style.ts";
import { createRunContext } from "../../../../src/engine/create-run-context.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { hooksAreOff } from "../../../../src/engine/run-context.ts";
import { realPathOrSame } from "../../../../src/fs/paths.ts";
import { findEvent } from "../../../../src/protocol/event.ts";
import { EXIT, signalExitCode } from "../../../../src/protocol/exit-code.ts";
import { membersOf } from "../../../../src/protocol/json/read.ts";
import { printableJson, rawJson } from "../../../../src/protocol/json/write.ts";
import { globMatches } from "../../../../src/protocol/match.ts";
import type { UsageProblem } from "../../../../src/protocol/problem.ts";
import { explain } from "../../../../src/protocol/problem-messages/explain.ts";
import { fail, ok, type Result } from "../../../../src/protocol/result.ts";
import type { Verdict } from "../../../../src/protocol/verdict.ts";
import { openReplay, type Replay } from "../../replay/open-replay.ts";
import {
  type ReplayedDecision,
  type ReplayedRun,
  type ReplayReport,
  replayJson,
  replayText,
  type UnjudgedRuns,
} from "../../report/replay-text.ts";
import { findPayload } from "../log/find-run.ts";
import { judgeCalls } from "./judge-calls.ts";

type Options = OptionsOf<"replay">;

const MOST_SHOWN = 1000;
const MOST_NAMED = 20;

/** `hookctl replay [RUN…]`: runs the current hooks on recorded payloads, and shows different decisions. */
export async function replay({ args, options }: CommandLine<"replay">, host: Host): Promise<CommandResult> {
  const started = await createRunContext({ ...options, only: null }, host, false);
  if (!started.ok) return started;
  const wanted = wantedPayloads(args, options, { auditFile: started.value.context.auditFile, host });
  if (!wanted.ok) return wanted;
  const engine = { ...options, only: null, isOff: hooksAreOff(options, host) };
  const today = openReplay({ engine, guards: "on" }, host);
  const report = await replayAll(wanted.value, today, { options, host, redact: createRedactor(host.env) });
  const signal = host.interrupt.raised();
  if (signal !== null) return ok(signalExitCode(signal));
  if (report.same + report.differing + report.unjudged.size === 0) return fail(NOTHING);
  const text = options.json ? `${replayJson(report)}\n` : replayText(report, await stdoutStyle(options, host));
  const printed = print(text, host);
  return printed.ok && report.differing > 0 ? ok(EXIT.checkFailed) : printed;
}

const NOTHING: UsageProblem = {
  code: "USAGE_WRONG_WORDS",
  detail: "No matching run has a recorded payload. With `record: payloads` in your settings, new runs keep theirs.",
  tryThis: "hookctl log",
};

interface PayloadPlace {
  readonly auditFile: string | null;
  readonly host: Host;
}

/** The named runs, or all in a range of time and a project. */
function wantedPayloads(
  runs: readonly string[],
  { since, until, project }: Options,
  { auditFile, host }: PayloadPlace,
): Result<Iterable<RecordedPayload>, UsageProblem> {
  if (runs.length > 0) {
    const found: RecordedPayload[] = [];
    for (const run of runs) {
      const one = findPayload(auditFile, run);
      if (!one.ok) return one;
      found.push(one.value);
    }
    return ok(found);
  }
  const now = host.nowMs();
  const sinceMs = since?.(now).startMs ?? Number.NEGATIVE_INFINITY;
  const untilMs = until?.(now).endMs ?? Number.POSITIVE_INFINITY;
  const folder = project === null ? null : realPathOrSame(project);
  return ok(auditFile === null ? [] : inRange(auditFile, { sinceMs, untilMs, folder }));
}

interface Range {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly folder: string | null;
}

function* inRange(auditFile: string, { sinceMs, untilMs, folder }: Range): Generator<RecordedPayload> {
  for (const recorded of readPayloads(auditFile)) {
    const timeMs = Date.parse(recorded.time);
    const isInTime = !(timeMs < sinceMs || timeMs > untilMs);
    if (isInTime && (folder === null || recorded.project === folder)) yield recorded;
  }
}

interface ReplayWork {
  readonly options: Options;
  readonly host: Host;
  readonly redact: Redact;
}

async function replayAll(
  payloads: Iterable<RecordedPayload>,
  today: Replay,
  { options, host, redact }: ReplayWork,
): Promise<ReplayReport> {
  const runs: ReplayedRun[] = [];
  const unjudged = new Map<string, UnjudgedRuns>();
  let [same, differing] = [0, 0];
  const judge = async (recorded: RecordedPayload): Promise<void> => {
    const judged = await judgeAgain(recorded, today, redact);
    if (typeof judged === "string") {
      const { count, runIds } = unjudged.get(judged) ?? { count: 0, runIds: [] };
      unjudged.set(judged, { count: count + 1, runIds: [...runIds, recorded.runId].slice(0, MOST_NAMED) });
      return;
    }
    if (!isOfHook(judged, options.only)) return;
    if (judged.differs.length === 0) same += 1;
    else differing += 1;
    if (judged.differs.length > 0 && runs.length < MOST_SHOWN) runs.push(judged);
  };
  await judgeCalls(payloads, { word: "run", quiet: options.quiet, judge }, host);
  return { same, differing, runs, unjudged, leftOut: today.leftOut() };
}

const isOfHook = ({ before, after }: ReplayedRun, glob: string | null): boolean =>
  glob === null || [before.decidedBy, after.decidedBy].some((name) => name !== null && globMatches(glob, name));

/** A text is the reason why the run cannot be judged again. */
async function judgeAgain(recorded: RecordedPayload, today: Replay, redact: Redact): Promise<ReplayedRun | string> {
  const { runId, time, cwd, payload, decidedBy, functions } = recorded;
  const event = findEvent(recorded.event)?.event;
  if (event === undefined) return `there is no event ${recorded.event}`;
  if (payload === null) return "its payload was too large to be recorded";
  if (functions.length > 0) return `${functions.join(", ")} took part, of the program that ran it`;
  const before = decisionBefore(recorded);
  const judged = await today.judge({
    id: runId,
    time,
    cwd,
    event,
    payload: payload.raw,
    madeIn: null,
  });
  if (judged.kind === "unjudged") return explain(judged.problem).summary;
  const missing = today.leftOut().find(({ name }) => name === decidedBy);
  if (missing !== undefined) return `${missing.name} decided it, and did not judge: ${missing.why}`;
  const after = decisionAfter(judged.verdict, redact);
  const fields = ["decision", "decidedBy", "reason", "change"] as const;
  return {
    runId,
    time,
    event,
    before,
    after,
    call: describeCall(membersOf(payload), redact),
    differs: fields.filter((field) => before[field] !== after[field]),
    isRedacted: payload.raw.includes(REDACTED),
  };
}

const decisionBefore = ({ decision, decidedBy, reason, change }: RecordedPayload): ReplayedDecision => ({
  decision,
  decidedBy,
  reason,
  change: change?.raw ?? null,
});

/** In the form of the log, with its escapes. */
const decisionAfter = ({ decision, decidedBy, reason, change }: Verdict, redact: Redact): ReplayedDecision => ({
  decision,
  decidedBy,
  reason: reason === null ? null : redact(reason),
  change: change === null ? null : printableJson(rawJson(redactJson(change, redact))),
});
