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
import { fail, ok, unwrap } from "../../../../src/protocol/result.ts";
import { pluralize } from "../../../../src/protocol/text/count.ts";
import { truncateEscaped } from "../../../../src/protocol/text/text.ts";
import type { Style } from "../../../../src/report/text-style.ts";
import { openReplay, type Replay } from "../../replay/open-replay.ts";
import { findPayload } from "../log/find-run.ts";
import { judgeCalls } from "./judge-calls.ts";

type Options = OptionsOf<"replay">;

const MOST_SHOWN = 1000;
const MOST_NAMED = 20;

/** `hookctl replay [RUN…]`: runs the current hooks on recorded payloads, and shows different decisions. */
export async function replay({ args, options }: CommandLine<"replay">, host: Host): Promise<CommandResult> {
  const { isAgents, agent, exportFile, failOnChange, ...common } = options;
  if (isAgents || agent !== null || exportFile !== null || failOnChange !== null)
    return (await import("./backtest.ts")).backtest({ args, options }, host);
  const { auditFile } = unwrap(await createRunContext({ ...common, only: null }, host, false)).context;
  const payloads =
    args.length > 0
      ? args.map((run) => findPayload(auditFile, run))
      : auditFile === null
        ? []
        : payloadsInRange(auditFile, options, host);
  const engine = { ...common, only: null, isOff: hooksAreOff(options, host) };
  const today = openReplay({ engine, guards: "on" }, host);
  const report = noRuns();
  const redact = createRedactor(host.env);
  const judge = async (recorded: RecordedPayload): Promise<void> =>
    addRun(report, recorded.runId, await judgeAgain(recorded, today, redact), options.only);
  await judgeCalls(payloads, { word: "run", quiet: options.quiet, judge }, host);
  const signal = host.interrupt.raised();
  if (signal !== null) return ok(signalExitCode(signal));
  report.leftOut = today.leftOut();
  if (report.same + report.differing + report.unjudged.size === 0) return fail(NOTHING);
  const text = options.json ? replayJson(report) : replayText(report, await stdoutStyle(options, host));
  return print(text, host, false, report.differing > 0 ? EXIT.checkFailed : EXIT.ok);
}

const NOTHING: UsageProblem = {
  code: "USAGE_WRONG_WORDS",
  detail: "No matching run has a recorded payload. With `record: payloads` in your settings, new runs keep theirs.",
  tryThis: "hookctl log",
};

function* payloadsInRange(file: string, { since, until, project }: Options, host: Host): Generator<RecordedPayload> {
  const now = host.nowMs();
  const sinceMs = since?.(now).startMs ?? Number.NEGATIVE_INFINITY;
  const untilMs = until?.(now).endMs ?? Number.POSITIVE_INFINITY;
  const folder = project === null ? null : realPathOrSame(project);
  for (const recorded of readPayloads(file)) {
    const timeMs = Date.parse(recorded.time);
    const isInTime = !(timeMs < sinceMs || timeMs > untilMs);
    if (isInTime && (folder === null || recorded.project === folder)) yield recorded;
  }
}

/** The fields of a decision that may differ, and their names in the text. */
const FIELDS = { decision: "decision", decided_by: "decided by", reason: "reason", change: "change" } as const;
type Field = keyof typeof FIELDS;
const FIELD_NAMES = Object.keys(FIELDS) as readonly Field[];

/** A decision about one call; the change is the new value as raw JSON. */
type ReplayedDecision = Readonly<Record<Field, string | null>>;

const noRuns = () => ({
  same: 0,
  differing: 0,
  /** The first runs that the current hooks decide differently. */
  runs: [] as ReplayedRun[],
  /** Runs that could not be judged: why -> their number and the ids of the first. */
  unjudged: new Map<string, { count: number; readonly runIds: string[] }>(),
  leftOut: [] as ReturnType<Replay["leftOut"]>,
});

type ReplayReport = ReturnType<typeof noRuns>;

function addRun(report: ReplayReport, runId: string, judged: ReplayedRun | string, glob: string | null): void {
  if (typeof judged === "string") {
    const known = report.unjudged.get(judged) ?? { count: 0, runIds: [] };
    report.unjudged.set(judged, known);
    known.count += 1;
    if (known.runIds.length < MOST_NAMED) known.runIds.push(runId);
    return;
  }
  const deciders = [judged.before.decided_by, judged.after.decided_by];
  if (glob !== null && !deciders.some((name) => name !== null && globMatches(glob, name))) return;
  if (judged.differs.length === 0) report.same += 1;
  else if (++report.differing <= MOST_SHOWN) report.runs.push(judged);
}

type ReplayedRun = Exclude<Awaited<ReturnType<typeof judgeAgain>>, string>;

/** A text is the reason why the run cannot be judged again. */
async function judgeAgain(recorded: RecordedPayload, today: Replay, redact: Redact) {
  const { runId, time, cwd, payload, decision, decidedBy, reason, change, functions } = recorded;
  const event = findEvent(recorded.event)?.event;
  if (event === undefined) return `there is no event ${recorded.event}`;
  if (payload === null) return "its payload was too large to be recorded";
  if (functions.length > 0) return `functions of the program that ran it took part: ${functions.join(", ")}`;
  const judged = await today.judge({ id: runId, time, cwd, event, payload: payload.raw, madeIn: null });
  if (judged.kind === "unjudged") return explain(judged.problem).summary;
  const missing = today.leftOut().find(({ name }) => name === decidedBy);
  if (missing !== undefined) return `${missing.name} decided it, but could not judge it again: ${missing.why}`;
  const { verdict } = judged;
  const before: ReplayedDecision = { decision, decided_by: decidedBy, reason, change: change?.raw ?? null };
  // In the form of the log, with its escapes.
  const after: ReplayedDecision = {
    decision: verdict.decision,
    decided_by: verdict.decidedBy,
    reason: verdict.reason === null ? null : redact(verdict.reason),
    change: verdict.change === null ? null : printableJson(rawJson(redactJson(verdict.change, redact))),
  };
  return {
    run_id: runId,
    time,
    event,
    call: describeCall(membersOf(payload), redact),
    before,
    after,
    differs: FIELD_NAMES.filter((field) => before[field] !== after[field]),
    /** True if a secret was redacted from the payload, so that the hooks saw another call. */
    redacted: payload.raw.includes(REDACTED),
  };
}

function replayText({ same, differing, runs, unjudged, leftOut }: ReplayReport, style: Style): string {
  const more = differing > runs.length ? `… ${pluralize(differing - runs.length, "more run")}\n` : "";
  const words = `${differing} ${differing === 1 ? "differs" : "differ"}`;
  const head = `${pluralize(same + differing, "recorded run")}: ${style.strong(words)}, ${same} as before\n`;
  const notes = [
    ...leftOut.map(({ name, why }) => `${name} did not judge: ${why}`),
    ...[...unjudged].map(
      ([why, { count, runIds }]) => `${pluralize(count, "run")} could not be judged: ${why} (${runIds[0]})`,
    ),
  ].map((note) => `${style.warn("▲")} ${truncateEscaped(note, 300)}\n`);
  return runs.map((run) => runText(run, style)).join("") + more + head + notes.join("");
}

function runText({ run_id, time, event, call, before, after, differs, redacted }: ReplayedRun, style: Style): string {
  const note = redacted ? style.faint(" (a secret was removed from its payload)") : "";
  const shown = (value: string | null): string => truncateEscaped(value ?? "none", 200);
  const lines = differs.map(
    (field) => `  ${FIELDS[field]}: ${style.bad(shown(before[field]))} → ${style.good(shown(after[field]))}\n`,
  );
  const head = truncateEscaped(`${run_id}  ${time}  ${event}${call === null ? "" : `  ${call}`}`, 220);
  return `${style.strong(head)}${note}\n${lines.join("")}`;
}

function replayJson({ same, differing, runs, unjudged, leftOut }: ReplayReport): string {
  const decisionJson = ({ change, ...decision }: ReplayedDecision) => ({
    ...decision,
    change: change === null ? null : rawJson(change),
  });
  const json = {
    schema: "hookctl.replay/1",
    same,
    differing,
    runs: runs.map(({ before, after, ...run }) => ({
      ...run,
      before: decisionJson(before),
      after: decisionJson(after),
    })),
    unjudged: [...unjudged].map(([why, { count, runIds }]) => ({ why, count, run_ids: runIds })),
    left_out: leftOut.map(({ name, path, why }) => ({ name, path, why })),
  };
  return `${printableJson(json)}\n`;
}
