import { findCertainSkip } from "../../../src/chain/order.ts";
import type { CreatedContext } from "../../../src/engine/create-run-context.ts";
import type { Host } from "../../../src/engine/host.ts";
import {
  combineVerdicts,
  couldBlock,
  type EventRun,
  orderedHooks,
  runEvents,
} from "../../../src/engine/run/run-event.ts";
import { appendRun, explainableId } from "../../../src/engine/run/run-record.ts";
import { EVENT_ROWS, type EventName } from "../../../src/protocol/event.ts";
import { EXIT, signalExitCode } from "../../../src/protocol/exit-code.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { type RunRecord, withRunWarnings } from "../../../src/protocol/run-record.ts";
import type { Verdict } from "../../../src/protocol/verdict.ts";
import { type Warning, warningText } from "../../../src/protocol/warning.ts";
import { problemText } from "../../../src/report/problem-text.ts";
import { runText } from "../../../src/report/run/run-text.ts";
import { PLAIN_STYLE } from "../../../src/report/text-style.ts";
import { blockFormat } from "../../agents/agent.ts";
import { nativeAnswer } from "../../agents/native-answer.ts";
import type { AgentCall } from "./agent-call.ts";
import type { EventRuns, ResolvableCall } from "./answer-with-hooks.ts";
import type { BridgeOptions } from "./bridge-options.ts";
import { sessionNotice } from "./session-notice.ts";
import { printAnswer, type SignalWatch } from "./signal-watch.ts";
import {
  answerRecordedTrouble,
  notStartedTrouble,
  projectMissing,
  type TroubleInput,
  troubleOf,
} from "./unreliable-answer.ts";

/** A call whose hooks are resolved. */
export interface ResolvedCall extends ResolvableCall {
  /** One for each event that the call raises. */
  readonly eventRuns: EventRuns;
  readonly watch: SignalWatch;
  /** Whether a signal has to be answered by a block. */
  readonly guard: { mayBlock: boolean };
}

/** Runs the hooks, and answers with their combined decision in the agent's format. */
export async function runAndAnswer(input: ResolvedCall, options: BridgeOptions, host: Host): Promise<number> {
  const { call, started, missingFolder, eventRuns, watch, guard } = input;
  const { row } = call;
  const { context } = started;
  guard.mayBlock = options.failClosed || eventRuns.some(hasGuard);
  const isClosed = options.failClosed && blockFormat(row.answers) !== undefined;
  const trouble = isClosed ? troubleOf(troubleInput(started, eventRuns, missingFolder)) : null;
  if (trouble !== null) return watch.exitCode() ?? answerRecordedTrouble(trouble, { row, isClosed, context }, host);

  const unreadable = unreadableField(call, eventRuns);
  if (unreadable !== null)
    return watch.exitCode() ?? answerRecordedTrouble(unreadable, { row, isClosed: true, context }, host);

  const unregistered = await unregisteredHooks(call, eventRuns[0]);
  const own = [
    ...weakeningWarnings(input.weakening),
    ...(input.earlier === "answered" ? [] : [CALL_UNANSWERED]),
    ...ignoredVariableWarnings(call, options),
    ...invalidEventWarnings(call, eventRuns[0]),
  ];
  const before = [...started.loaded.warnings, ...own, ...unregistered];
  const records = await answerable(await runEvents(eventRuns, before), call, host);
  guard.mayBlock = false;
  const completed: CompletedRuns = { eventRuns, records, started, missingFolder };
  const signal = host.interrupt.raised();
  if (signal !== null) return exitAfterSignal(signal, watch, completed);
  const notStarted = isClosed && !records.some(isStopped) ? notStartedTrouble(records) : null;
  return notStarted === null
    ? answerWithVerdict(call, completed, options, host)
    : answerRecordedTrouble(notStarted, { row, isClosed, context }, host);
}

function troubleInput(
  { context, loaded }: CreatedContext,
  [{ hookSet }]: EventRuns,
  missingFolder: string | null,
): TroubleInput {
  // Unusable project settings have no effect, so that they cannot remove a guard.
  const empty: readonly Problem[] =
    loaded.emptied === null ? [] : [{ code: "CONFIG_NOT_PARSED", file: loaded.emptied, cause: "it is empty" }];
  const problems = [...(loaded.problem === null ? [] : [loaded.problem]), ...empty];
  return { problems, warnings: [...loaded.warnings, ...hookSet.warnings], context, missingFolder };
}

/** The signal handler has answered already, if an answer was needed. */
function exitAfterSignal(signal: string, watch: SignalWatch, { eventRuns, records, started }: CompletedRuns): number {
  for (const [index, one] of records.entries()) appendRun(one, eventRuns[index]?.context ?? started.context);
  return watch.exitCode() ?? signalExitCode(signal);
}

/** Where no person can answer, a question is a block. Rare, so the code for it is loaded only then. */
async function answerable(records: readonly RunRecord[], call: AgentCall, host: Host): Promise<readonly RunRecord[]> {
  if (!records.some(({ verdict }) => verdict.decision === "ask")) return records;
  const { withAnswerableAsks } = await import("./unanswered.ts");
  return withAnswerableAsks(records, call, host);
}

const isStopped = ({ verdict: { decision } }: RunRecord): boolean => decision === "block" || decision === "halt";

/** True if a hook that will run can block the event. */
const hasGuard = ({ payload, hookSet, context }: EventRun): boolean =>
  EVENT_ROWS[payload.event].onBlock !== "ignore" &&
  orderedHooks(payload.event, hookSet, context).some(
    (hook) => hook.disabledReason === null && !hook.observe && findCertainSkip(hook, payload) === null,
  );

/** An unreadable field of an event that a hook could block: a guard must not judge an empty value, or one of two values. */
function unreadableField({ problems }: AgentCall, eventRuns: EventRuns): Problem | null {
  const problem = problems.find(({ code }) => code === "PAYLOAD_FIELD_TYPE" || code === "PAYLOAD_AMBIGUOUS");
  if (problem === undefined) return null;
  return eventRuns.some(({ payload, hookSet, context }) => couldBlock(payload.event, hookSet, context))
    ? problem
    : null;
}

interface CompletedRuns {
  readonly eventRuns: EventRuns;
  readonly records: readonly RunRecord[];
  readonly started: CreatedContext;
  readonly missingFolder: string | null;
}

/** Prints the decision in the agent's format, and warns about the parts that the format does not support. */
function answerWithVerdict(
  call: AgentCall,
  { eventRuns, records, started, missingFolder }: CompletedRuns,
  options: BridgeOptions,
  host: Host,
): number {
  const { context, loaded } = started;
  const [main] = eventRuns;
  const [record, ...further] = records;
  if (record === undefined) return EXIT.ok;
  const verdict = combineVerdicts([record.verdict, ...further.map((one) => one.verdict)]);
  const canShow = call.row.answers.notify !== undefined;
  const time = { isStart: main.payload.event === "session_start", canShow };
  const notice = sessionNotice(records, main.hookSet, context, time);
  // Which project's hooks were not asked is unknown.
  const missing: readonly Problem[] = missingFolder === null ? [] : [projectMissing(missingFolder)];
  const problems = [...call.problems, ...(loaded.problem === null ? [] : [loaded.problem]), ...missing];
  const problemTexts = problems.map((problem) => `hookctl: ${problemText(problem, PLAIN_STYLE).trim()}`);
  const decisive = Math.max(
    0,
    records.findIndex((one) => isDecisive(one, verdict)),
  );
  const answerWith = (runId: string | null) =>
    nativeAnswer(call, verdict, {
      signature: `(${[verdict.decidedBy ?? "hookctl", ...(runId === null ? [] : [`hookctl why ${runId}`])].join(", ")})`,
      notices: [...(notice === null ? [] : [notice]), ...problemTexts],
      mayFollowUp: mayFollowUp(call, record),
    });
  const expected = answerWith(records[decisive]?.run_id ?? null);
  const unsupportedWarnings = expected.unsupported.map((what) =>
    warningText({ code: "NOT_SAID", agent: call.agent.title, what }),
  );
  const explainable = records.map((one, index) => {
    const complete = index === 0 ? withRunWarnings(one, unsupportedWarnings) : one;
    const own = eventRuns[index]?.context ?? context;
    const appended = appendRun(complete, own);
    printRun(appended, options, host);
    return explainableId(complete, appended, own);
  });
  // An id that nobody can look up is not printed.
  const { answer, mustArrive } = explainable[decisive] == null ? answerWith(null) : expected;
  for (const text of problemTexts) host.err(`${text}\n`);
  return printAnswer(answer, mustArrive, host);
}

/** True for the run whose decision was taken for the call. */
const isDecisive = ({ verdict }: RunRecord, { decision, decidedBy, reason }: Verdict): boolean =>
  verdict.decision === decision && verdict.decidedBy === decidedBy && verdict.reason === reason;

/** Checked when a session starts, or, for an agent without that event, at a prompt. */
async function unregisteredHooks(
  call: AgentCall,
  { payload, hookSet, context }: EventRun,
): Promise<readonly Warning[]> {
  if (payload.event !== "session_start" && payload.event !== "user_message_send") return [];
  const { unregisteredEventWarnings } = await import("./unregistered-events.ts");
  return unregisteredEventWarnings(call, hookSet.hooks, context);
}

const CALL_UNANSWERED: Warning = { code: "CALL_UNANSWERED" };

const weakeningWarnings = (weakening: ResolvableCall["weakening"]): readonly Warning[] =>
  weakening === null ? [] : [{ code: "PROTECTION_WEAKENED", ...weakening }];

const ignoredVariableWarnings = ({ agent }: AgentCall, { ignoredVariables }: BridgeOptions): readonly Warning[] =>
  ignoredVariables.map((variable) => ({ code: "VARIABLE_IGNORED", variable, agent: agent.title }));

/** Events whose payload is invalid. An event that no hook handles is not reported. */
function invalidEventWarnings({ invalidRaised }: AgentCall, { hookSet, context }: EventRun): readonly Warning[] {
  const isHandled = (event: EventName) =>
    orderedHooks(event, hookSet, context).some(({ disabledReason }) => disabledReason === null);
  return invalidRaised
    .filter(({ event }) => isHandled(event))
    .flatMap(({ event, problems }) => problems.map((problem): Warning => ({ code: "NOT_ASKED", event, problem })));
}

/** Prints the report of a run, unless it was allowed without warnings and failures. */
function printRun(record: RunRecord, { quiet }: BridgeOptions, host: Host): void {
  const isQuiet = record.verdict.decision === "continue" && record.verdict.warnings.length === 0;
  if (!quiet && !(isQuiet && record.hooks.every(({ failure }) => failure === null)))
    host.err(runText(record, PLAIN_STYLE));
}

/**
 * False at the agent's own limit of follow-ups, and if the agent already continues because of another program's hook.
 */
function mayFollowUp({ agent, native }: AgentCall, { verdict }: RunRecord): boolean {
  const isContinuing = ["stop_hook_active", "stopHookActive"].some((key) => native.get(key)?.raw === "true");
  const count = verdict.turns?.count ?? 1;
  if (isContinuing && count <= 1) return false;
  return agent.followUpLimit === 0 || count <= agent.followUpLimit;
}
