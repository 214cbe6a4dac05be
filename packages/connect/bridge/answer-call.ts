import { isAbsolute } from "node:path";
import type { FoundCandidates } from "../../../src/discover/find-candidates.ts";
import { type CreatedContext, createRunContext, fallbackFolder } from "../../../src/engine/create-run-context.ts";
import { concernsNoHook, findAllCandidates, unmatchedCandidates } from "../../../src/engine/hooks/candidates.ts";
import type { Host } from "../../../src/engine/host.ts";
import { callDepth, DEPTH_LIMIT, type RunContext } from "../../../src/engine/run-context.ts";
import { mayBeFolder } from "../../../src/fs/paths.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { type Agent, blockFormat, deadlineOf } from "../../agents/agent.ts";
import type { AgentCall } from "./agent-call.ts";
import type { ResolvableCall } from "./answer-with-hooks.ts";
import type { BridgeOptions } from "./bridge-options.ts";
import { NO_NOTE, openCall } from "./open-calls.ts";
import { endSilently, raisedEvents } from "./raised-events.ts";
import { findWeakening } from "./seal-watch.ts";

/** Answers a call of an agent: with nothing if it concerns no hook, else with the decision of the hooks. */
export async function answerCall(call: AgentCall, options: BridgeOptions, host: Host): Promise<number> {
  const depth = callDepth(host.env);
  if (depth >= DEPTH_LIMIT) return answerProblem({ code: "RECURSION", depth }, call, true, host);
  // Without its working directory the call runs in HOME, so that the user's own hooks still run.
  const missingFolder = folderOf(call, options, host) === null && fallbackFolder(host) !== null ? host.cwd : null;
  const started = await createBridgeContext(call, options, host);
  if (!started.ok) return answerProblem(started.error, call, options.failClosed, host);
  const open = options.failClosed ? openCall(call, started.value.context, host.processId) : NO_NOTE;
  try {
    return await answerStarted({ call, started: started.value, missingFolder, earlier: open.earlier }, options, host);
  } finally {
    open.close();
  }
}

type StartedCall = Pick<ResolvableCall, "call" | "started" | "missingFolder" | "earlier">;

async function answerStarted(input: StartedCall, options: BridgeOptions, host: Host): Promise<number> {
  const { call, started, missingFolder, earlier } = input;
  const { context } = started;
  if (earlier === "killed" && blockFormat(call.row.answers) !== undefined) {
    return answerForPerson({ code: "CALL_UNANSWERED" }, call, context, host);
  }
  const weakening = await findWeakening(call, options, context, host);
  if (weakening?.isBlocked === true) {
    const { changes, isRestored } = weakening;
    return answerForPerson({ code: "PROTECTION_WEAKENED", changes, isRestored }, call, context, host);
  }
  const found = findAllCandidates(context);
  // A call that has to be blocked in any trouble takes the whole way, which looks for all of them.
  const isClosed = options.failClosed && blockFormat(call.row.answers) !== undefined;
  // A name to skip that no hook has is reported, also without hooks: the registered line does not do what it says.
  const isRegular = options.ignoredVariables.length === 0 && options.skip.length === 0;
  const isUsual = missingFolder === null && isRegular && weakening === null && earlier === "answered";
  const mayEndSilently = !isClosed && isUsual && hasNothingToSay(call);
  if (mayEndSilently && concernsNothing(call, found, started)) {
    const { loaded } = started;
    const raised = found.candidates.length === 0 ? [] : raisedEvents(call, context, host);
    const events = raised.map((one) => ({ ...one, unmatched: unmatchedCandidates(found, { ...one, loaded }) }));
    return endSilently(events, options, host);
  }
  const { answerWithHooks } = await import("./answer-with-hooks.ts");
  return answerWithHooks({ ...input, found, weakening, mayEndSilently }, options, host);
}

/** Blocks the call, and also tells the person: the reason of a block is for the model. */
async function answerForPerson(problem: Problem, { row }: AgentCall, context: RunContext, host: Host): Promise<number> {
  const { answerRecordedTrouble } = await import("./unreliable-answer.ts");
  return answerRecordedTrouble(problem, { row, isClosed: true, context, isTold: true }, host);
}

async function answerProblem(problem: Problem, { row }: AgentCall, isClosed: boolean, host: Host): Promise<number> {
  const { answerTrouble } = await import("./unreliable-answer.ts");
  return answerTrouble(problem, { row, isClosed }, host);
}

/** Events that have an effect without a hook of theirs: both tell the person of hooks, and a message resets the turn limit. */
const TELLING_EVENTS: readonly string[] = ["session_start", "user_message_send"];

/** True if its payload is valid, and none of its events has an effect without a hook. */
const hasNothingToSay = ({ payloads, problems, invalidRaised }: AgentCall): boolean =>
  problems.length + invalidRaised.length === 0 && !payloads.some(({ event }) => TELLING_EVENTS.includes(event));

/** True if no hook can run for any event of the call. */
const concernsNothing = (
  { payloads }: AgentCall,
  found: FoundCandidates,
  { context, loaded }: CreatedContext,
): boolean => payloads.every((payload) => concernsNoHook(found, { payload, context, loaded }));

/** The project's folder, if the command line or the agent names it. */
const folderOf = ({ agent }: Pick<AgentCall, "agent">, options: BridgeOptions, host: Host): string | null =>
  options.directory ?? projectOf(agent, host);

export function createBridgeContext(call: Pick<AgentCall, "agent" | "row">, options: BridgeOptions, host: Host) {
  const directory = folderOf(call, options, host) ?? fallbackFolder(host);
  const agentDeadlineMs = deadlineOf(call.row);
  const deadlineMs = options.deadlineMs ?? agentDeadlineMs;
  return createRunContext(
    { ...options, agent: options.agent.name, directory, deadlineMs, agentDeadlineMs },
    host,
    true,
  );
}

/** The folder in the agent's variable, if it exists. */
function projectOf({ projectVariable }: Agent, { env }: Host): string | null {
  const folder = projectVariable === null ? undefined : env[projectVariable];
  if (folder === undefined || !isAbsolute(folder)) return null;
  return mayBeFolder(folder) ? folder : null;
}
