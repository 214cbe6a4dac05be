import { describeCall } from "../../../src/audit/log-lines.ts";
import { findCertainSkip } from "../../../src/chain/order.ts";
import type { FoundCandidates } from "../../../src/discover/find-candidates.ts";
import { hasNothingToReport } from "../../../src/engine/hooks/candidates.ts";
import { mayRunAny, resolveHooks, unmatchedHooks } from "../../../src/engine/hooks/resolve-hooks.ts";
import {
  combineVerdicts,
  couldBlock,
  type EventRun,
  orderedHooks,
  runEvents,
} from "../../../src/engine/run/run-event.ts";
import { appendRun, explainableId } from "../../../src/engine/run/run-record.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { closeInheritedOnFirstStart } from "../../../src/process/spawn-child.ts";
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
import type { CageNote } from "../../cage/agent-calls.ts";
import type { AgentCall } from "./agent-call.ts";
import { endSilently, type RaisedEvent, raisedEvents, type StartedCall, type Weakening } from "./answer-call.ts";
import { sessionNotice } from "./session-notice.ts";
import { answerTrouble, notStartedTrouble, printAnswer, projectMissing, troubleOf, watchSignals } from "./trouble.ts";

interface FoundHooks {
  readonly found: FoundCandidates;
  readonly weakening: Weakening;
  readonly cage: CageNote;
  /** True if nothing has to be said where no hook runs. */
  readonly mayEndSilently: boolean;
}

/** One run for each event that the call raises. */
type EventRuns = readonly [EventRun, ...EventRun[]];

/** Resolves and runs the hooks of every raised event, and answers with their combined decision in the agent's format. */
export async function answerWithHooks(started: StartedCall, hooks: FoundHooks): Promise<number> {
  const { call, options, host, context, loaded, missingFolder } = started;
  const { row } = call;
  const hasCandidates = hooks.found.candidates.length > 0;
  let mayBlock = options.failClosed || hasCandidates || context.machine !== null;
  // Without a guard a signal ends this process in the default way: no answer has to be given.
  const exitCode = mayBlock ? watchSignals(row, () => mayBlock, host) : () => null;
  if (hasCandidates) closeInheritedOnFirstStart();
  const eventRuns = await resolveEventRuns(started, hooks.found);
  const isSilent = hooks.mayEndSilently && eventRuns.every((run) => concernsNone(run, started));
  if (isSilent && host.interrupt.raised() === null) {
    const events = eventRuns.map((run) => ({ ...run, unmatched: unmatchedHooks(run.hookSet, run.payload) }));
    return endSilently(events, options, host);
  }
  mayBlock = options.failClosed || eventRuns.some(hasGuard);
  const isClosed = options.failClosed && blockFormat(row.answers) !== undefined;
  const warnings = [...loaded.warnings, ...eventRuns[0].hookSet.warnings];
  const trouble = isClosed ? troubleOf(settingsProblems(started), warnings, missingFolder, context) : null;
  const unreliable = trouble ?? unreadableField(call, eventRuns);
  if (unreliable !== null) return exitCode() ?? answerTrouble(unreliable, { row, isClosed: true, context }, host);
  const ofCall = await callWarnings(started, hooks.weakening, eventRuns[0]);
  const before = [...loaded.warnings, ...ofCall, ...hooks.cage.warnings];
  const records = await answerable(await runEvents(eventRuns, before), started);
  mayBlock = false;
  const signal = host.interrupt.raised();
  if (signal !== null) {
    for (const [index, record] of records.entries()) appendRun(record, eventRuns[index]?.context ?? context);
    return exitCode() ?? signalExitCode(signal);
  }
  const notStarted = isClosed && !records.some(isStopped) ? notStartedTrouble(records) : null;
  if (notStarted !== null) return answerTrouble(notStarted, { row, isClosed, context }, host);
  return answerWithVerdict(started, eventRuns, records, hooks.cage);
}

async function resolveEventRuns(
  { call, context, host, hookSets }: StartedCall,
  found: FoundCandidates,
): Promise<EventRuns> {
  const [main, ...others] = raisedEvents(call, context, host);
  const resolved = async (raised: RaisedEvent, index: number): Promise<EventRun> => ({
    ...raised,
    hookSet: hookSets?.[index] ?? (await resolveHooks(found, raised.context, raised.payload.event)),
  });
  const eventRuns: [EventRun, ...EventRun[]] = [await resolved(main, 0)];
  for (const [index, other] of others.entries()) eventRuns.push(await resolved(other, index + 1));
  return eventRuns;
}

/** True if no hook can run for the event, and nothing about the hooks has to be reported. */
const concernsNone = ({ payload, hookSet, context }: EventRun, { loaded }: StartedCall): boolean =>
  !mayRunAny(hookSet, payload) &&
  hookSet.hooks.every(({ state }) => state === "ready" || state === "disabled") &&
  hasNothingToReport([...hookSet.warnings, ...hookSet.notices], { context, loaded });

/** Unusable project settings have no effect, so that they cannot remove a guard. */
const settingsProblems = ({ loaded: { problem, emptied } }: StartedCall): readonly Problem[] => [
  ...(problem === null ? [] : [problem]),
  ...(emptied === null ? [] : [{ code: "CONFIG_NOT_PARSED", file: emptied, cause: "it is empty" } as const]),
];

/** True if a hook that will run can block the event. */
const hasGuard = ({ payload, hookSet, context }: EventRun): boolean =>
  EVENT_ROWS[payload.event].onBlock !== "ignore" &&
  orderedHooks(payload.event, hookSet, context).some(
    (hook) => hook.disabledReason === null && !hook.observe && findCertainSkip(hook, payload) === null,
  );

/** An unreadable field of an event that a hook could block: a guard must not judge an empty value, or one of two values. */
function unreadableField({ problems }: AgentCall, eventRuns: EventRuns): Problem | null {
  const problem = problems.find(({ code }) => code === "PAYLOAD_FIELD_TYPE" || code === "PAYLOAD_AMBIGUOUS");
  const mayBlock = ({ payload, hookSet, context }: EventRun) => couldBlock(payload.event, hookSet, context);
  return problem !== undefined && eventRuns.some(mayBlock) ? problem : null;
}

/** The warnings of the call itself. */
async function callWarnings(
  { call, options, earlier }: StartedCall,
  weakening: Weakening,
  main: EventRun,
): Promise<readonly Warning[]> {
  const { agent, invalidRaised } = call;
  // An event that no hook handles is not reported.
  const isHandled = (event: EventName) =>
    orderedHooks(event, main.hookSet, main.context).some(({ disabledReason }) => disabledReason === null);
  const invalid = invalidRaised.filter(({ event }) => isHandled(event));
  return [
    ...(weakening === null ? [] : [{ code: "PROTECTION_WEAKENED", ...weakening } as const]),
    ...(earlier === "answered" ? [] : [{ code: "CALL_UNANSWERED" } as const]),
    ...options.ignoredVariables.map(
      (variable) => ({ code: "VARIABLE_IGNORED", variable, agent: agent.title }) as const,
    ),
    ...invalid.flatMap(({ event, problems }) =>
      problems.map((problem) => ({ code: "NOT_ASKED", event, problem }) as const),
    ),
    ...(await unregisteredHooks(call, main)),
  ];
}

/** Checked when a session starts, or, for an agent without that event, at a prompt. */
async function unregisteredHooks(call: AgentCall, { payload, hookSet, context }: EventRun) {
  if (payload.event !== "session_start" && payload.event !== "user_message_send") return [];
  const { unregisteredEventWarnings } = await import("./unregistered-events.ts");
  return unregisteredEventWarnings(call, hookSet.hooks, context);
}

/** Where no person can answer, a question is a block. This is rare, so the code for it is loaded only then. */
async function answerable(records: readonly RunRecord[], { call, host }: StartedCall): Promise<readonly RunRecord[]> {
  if (!records.some(({ verdict }) => verdict.decision === "ask")) return records;
  const { withAnswerableAsks } = await import("./unanswered.ts");
  return withAnswerableAsks(records, call, host);
}

const isStopped = ({ verdict: { decision } }: RunRecord): boolean => decision === "block" || decision === "halt";

/** Prints the decision in the agent's format, and warns about the parts that the format does not support. */
function answerWithVerdict(
  { call, options, host, context, loaded, missingFolder }: StartedCall,
  eventRuns: EventRuns,
  records: readonly RunRecord[],
  cage: CageNote,
): number {
  const [record, ...further] = records;
  if (record === undefined) return EXIT.ok;
  const combined = combineVerdicts([record.verdict, ...further.map((other) => other.verdict)]);
  const verdict = cage.context === null ? combined : { ...combined, context: [...combined.context, cage.context] };
  const [{ payload, hookSet }] = eventRuns;
  const canShow = call.row.answers.notify !== undefined;
  const notice = sessionNotice(records, hookSet, context, { isStart: payload.event === "session_start", canShow });
  // Which project's hooks were not asked is unknown.
  const missing = missingFolder === null ? [] : [projectMissing(missingFolder)];
  const problems = [...call.problems, ...(loaded.problem === null ? [] : [loaded.problem]), ...missing];
  const problemTexts = problems.map((problem) => `hookctl: ${problemText(problem, PLAIN_STYLE).trim()}`);
  const answerWith = (runId: string | null) =>
    nativeAnswer(call, verdict, {
      signature: `(${[verdict.decidedBy ?? "hookctl", ...(runId === null ? [] : [`hookctl why ${runId}`])].join(", ")})`,
      notices: [
        ...(notice === null ? [] : [notice]),
        ...problemTexts,
        ...allowNotice(verdict, runId, records, context),
      ],
      mayFollowUp: mayFollowUp(call, record),
    });
  const decisive = records.findIndex((other) => isDecisive(other, verdict));
  const decisiveIndex = Math.max(0, decisive);
  const expected = answerWith(records[decisiveIndex]?.run_id ?? null);
  const unsupported = expected.unsupported.map((what) =>
    warningText({ code: "NOT_SAID", agent: call.agent.title, what }),
  );
  const explainable = records.map((other, index) => {
    const complete = index === 0 ? withRunWarnings(other, unsupported) : other;
    const runContext = eventRuns[index]?.context ?? context;
    const appended = appendRun(complete, runContext);
    if (!options.quiet && isNoteworthy(appended)) host.err(runText(appended, PLAIN_STYLE));
    return explainableId(complete, appended, runContext);
  });
  // An id that nobody can look up is not printed.
  const { answer, mustArrive } = explainable[decisiveIndex] == null ? answerWith(null) : expected;
  for (const text of problemTexts) host.err(`${text}\n`);
  return printAnswer(answer, mustArrive, host);
}

/** How the person allows what a guard blocked: in the message for the person, never in the reason, which the agent reads. */
function allowNotice(
  { decision, decidedBy, sent }: Verdict,
  runId: string | null,
  records: readonly RunRecord[],
  { settings }: RunContext,
): readonly string[] {
  if (decision !== "block" || runId === null) return [];
  const guard = settings.guards.find(({ name }) => name === decidedBy);
  if (guard === undefined || guard.name === "self-protection" || guard.source === "machine") return [];
  const hasFailed = records.some(({ hooks }) =>
    hooks.some(({ name, failure }) => name === decidedBy && failure !== null),
  );
  // No rule can be made from a call of which only the beginning is recorded.
  const isWhole = describeCall(sent.members, (text) => text)?.endsWith("…") === false;
  return hasFailed || !isWhole
    ? []
    : [`hookctl: ${guard.name} blocked this call. Allow it here: hookctl allow ${runId}`];
}

/** True for the run whose decision was taken for the call. */
const isDecisive = ({ verdict }: RunRecord, { decision, decidedBy, reason }: Verdict): boolean =>
  verdict.decision === decision && verdict.decidedBy === decidedBy && verdict.reason === reason;

/** True unless the run was allowed without warnings and failures. */
const isNoteworthy = ({ verdict: { decision, warnings }, hooks }: RunRecord): boolean =>
  decision !== "continue" || warnings.length > 0 || hooks.some(({ failure }) => failure !== null);

/**
 * False at the agent's own limit of follow-ups, and if the agent already continues because of another program's hook.
 */
function mayFollowUp({ agent, native }: AgentCall, { verdict }: RunRecord): boolean {
  const isContinuing = ["stop_hook_active", "stopHookActive"].some((key) => native.get(key)?.raw === "true");
  const count = verdict.turns?.count ?? 1;
  if (isContinuing && count <= 1) return false;
  return agent.followUpLimit === 0 || count <= agent.followUpLimit;
}
