import { newRunId } from "../../../src/audit/run-stamp.ts";
import type { FoundCandidates } from "../../../src/discover/find-candidates.ts";
import { type CreatedContext, fallbackFolder } from "../../../src/engine/create-run-context.ts";
import {
  concernsNoHook,
  findAllCandidates,
  recordUnmatched,
  unmatchedCandidates,
} from "../../../src/engine/hooks/candidates.ts";
import type { HookSet } from "../../../src/engine/hooks/resolve-hooks.ts";
import type { Host } from "../../../src/engine/host.ts";
import type { UnmatchedHook } from "../../../src/engine/run/unmatched-run.ts";
import { callDepth, DEPTH_LIMIT, type RunContext } from "../../../src/engine/run-context.ts";
import { EXIT } from "../../../src/protocol/exit-code.ts";
import type { Payload } from "../../../src/protocol/payload/payload.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { ok, type Result } from "../../../src/protocol/result.ts";
import { blockFormat } from "../../agents/agent.ts";
import type { CageNote } from "../../cage/agent-calls.ts";
import type { SealFinding } from "../install/seal/check-seal.ts";
import { staysResident } from "../resident/stays-resident.ts";
import { type AgentCall, type BridgeOptions, createBridgeContext, projectFolder } from "./agent-call.ts";
import { cageNote } from "./caged-call.ts";
import { type EarlierCall, NO_NOTE, openCall } from "./open-calls.ts";
import { findWeakening } from "./seal-watch.ts";

/** What files say of a call. What is null is found out when it is needed. */
export interface PreparedCall extends CreatedContext {
  readonly found: FoundCandidates | null;
  /** One for each event that the call raises. */
  readonly hookSets: readonly HookSet[] | null;
}

export type PrepareCall = (
  call: AgentCall,
  options: BridgeOptions,
  host: Host,
) => Promise<Result<PreparedCall, Problem>>;

export const prepareCall: PrepareCall = async (call, options, host) => {
  const created = await createBridgeContext(call, options, host);
  return created.ok ? ok({ ...created.value, found: null, hookSets: null }) : created;
};

/** A call whose context is known. */
export interface StartedCall extends PreparedCall {
  readonly call: AgentCall;
  readonly options: BridgeOptions;
  readonly host: Host;
  /** The agent's working directory if it does not exist; null if it exists. */
  readonly missingFolder: string | null;
  readonly earlier: EarlierCall;
}

/** The agent's settings protect less than when they were sealed; null if they protect as much. */
export type Weakening = SealFinding | null;

/** Set by the front program if no server answered: its value is the launcher. */
const STARTS_SERVER = "HOOKCTL_RESIDENT";

/** Answers a call of an agent: with nothing if it concerns no hook, else with the decision of the hooks. */
export async function answerCall(
  call: AgentCall,
  options: BridgeOptions,
  host: Host,
  prepare: PrepareCall,
): Promise<number> {
  const depth = callDepth(host.env);
  if (depth >= DEPTH_LIMIT) return refuse({ code: "RECURSION", depth }, call, host, true);
  // Without its working directory the call runs in HOME, so that the user's own hooks still run.
  const isMissing = projectFolder(call, options, host) === null && fallbackFolder(host) !== null;
  const started = await prepare(call, options, host);
  if (!started.ok) return refuse(started.error, call, host, options.failClosed);
  const open = options.failClosed ? openCall(call, started.value.context, host.processId) : NO_NOTE;
  const missingFolder = isMissing ? host.cwd : null;
  try {
    return await answerStarted({ ...started.value, call, options, host, missingFolder, earlier: open.earlier });
  } finally {
    if (hasCaller(host)) open.close();
    const launcher = host.env[STARTS_SERVER];
    if (launcher !== undefined && staysResident(started.value.context))
      await leaveServer(launcher, started.value.context);
  }
}

/** The answer stands, whether or not a server can be started. */
async function leaveServer(launcher: string, context: RunContext): Promise<void> {
  try {
    (await import("../resident/start-resident.ts")).startResident(launcher, context);
  } catch {
    // The next call tries it again.
  }
}

/** False if nobody got the answer, because the front program was killed. A signal is answered. */
const hasCaller = ({ interrupt }: Host): boolean => interrupt.raised()?.startsWith("SIG") ?? true;

async function answerStarted(started: StartedCall): Promise<number> {
  const { call, options, host, context, loaded, missingFolder, earlier } = started;
  const canBlock = blockFormat(call.row.answers) !== undefined;
  if (earlier === "killed" && canBlock) return refuse({ code: "CALL_UNANSWERED" }, call, host, true, context);
  const weakening = await findWeakening(call, options, context, host);
  if (weakening?.isBlocked === true) {
    const { changes, isRestored } = weakening;
    return refuse({ code: "PROTECTION_WEAKENED", changes, isRestored }, call, host, true, context);
  }
  const cage = await cageNote(call, context, host.processId);
  if (cage.problem !== null) return refuse(cage.problem, call, host, true, context);
  const found = started.found ?? findAllCandidates(context);
  // A call that is blocked in any trouble takes the long path, which looks for every trouble.
  const isClosed = options.failClosed && canBlock;
  // A name to skip that no hook has is reported, also without hooks: the registered line does not do what it says.
  const isRegular = options.ignoredVariables.length === 0 && options.skip.length === 0;
  const isDefault =
    missingFolder === null && isRegular && weakening === null && earlier === "answered" && isSilent(cage);
  const mayEndSilently = !isClosed && isDefault && hasNothingToSay(call);
  if (mayEndSilently && call.payloads.every((payload) => concernsNoHook(found, { payload, context, loaded }))) {
    const raised = found.candidates.length === 0 ? [] : raisedEvents(call, context, host);
    const events = raised.map((event) => ({ ...event, unmatched: unmatchedCandidates(found, { ...event, loaded }) }));
    return endSilently(events, options, host);
  }
  const { answerWithHooks } = await import("./answer-with-hooks.ts");
  return answerWithHooks(started, { found, weakening, cage, mayEndSilently });
}

const isSilent = ({ context, warnings }: CageNote): boolean => context === null && warnings.length === 0;

/** Answers a problem. With a context the person is told as well, because the reason of a block is for the model. */
async function refuse(
  problem: Problem,
  { row, payloads: [payload] }: AgentCall,
  host: Host,
  isClosed: boolean,
  context: RunContext | null = null,
): Promise<number> {
  const { answerTrouble } = await import("./trouble.ts");
  return answerTrouble(problem, { row, isClosed, context, payload, isTold: context !== null }, host);
}

/** Events that have an effect without a hook: both tell the person about hooks, and a message resets the turn limit. */
const TELLING_EVENTS: readonly string[] = ["session_start", "user_message_send"];

/** True if its payload is valid, and none of its events has an effect without a hook. */
const hasNothingToSay = ({ payloads, problems, invalidRaised }: AgentCall): boolean =>
  problems.length + invalidRaised.length === 0 && !payloads.some(({ event }) => TELLING_EVENTS.includes(event));

/** One event that a call raises, and the context of its run. */
export interface RaisedEvent {
  readonly payload: Payload;
  readonly context: RunContext;
}

/** The events of a call. Each is a run with its own id; only the main one has the payload as the agent sent it. */
export function raisedEvents(
  { payloads, agent, nativeEvent, native }: AgentCall,
  context: RunContext,
  host: Host,
): readonly [RaisedEvent, ...RaisedEvent[]] {
  const [first, ...others] = payloads;
  const isErrorRaised = payloads.some(({ event }) => event === "on_error");
  // The sender may be another agent than the registered one.
  const options = { ...context.options, agent: agent.recordedAs ?? agent.name };
  const shared: RunContext = { ...context, options, isErrorRaised };
  const main = { payload: first, context: { ...shared, native: { event: nativeEvent, members: native } } };
  const idOf = () => newRunId(host.nowMs(), host.random);
  return [main, ...others.map((payload) => ({ payload, context: { ...shared, runId: idOf() } }))];
}

/** Ends a call without an answer, and records the events that no hook matched. */
export async function endSilently(
  events: readonly (RaisedEvent & { readonly unmatched: readonly UnmatchedHook[] })[],
  { quiet }: BridgeOptions,
  host: Host,
): Promise<number> {
  for (const event of events) {
    const lost = await recordUnmatched(event.unmatched, event);
    if (lost.length === 0 || quiet) continue;
    const { warningLines } = await import("../../../src/report/warning-lines.ts");
    host.err(warningLines(lost));
  }
  return EXIT.ok;
}
