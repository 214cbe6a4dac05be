import { EVENT_ROWS } from "../protocol/event.ts";
import { DEFAULT_PRIORITY, type Hook, isTrustRefusal } from "../protocol/hook.ts";
import { type HookResponse, type HookResult, metadataWithPriority } from "../protocol/hook-response.ts";
import { applyChange, type Payload, targetValue } from "../protocol/payload/payload.ts";
import { isLostGuard, type Problem } from "../protocol/problem.ts";
import { explain } from "../protocol/problem-messages/explain.ts";
import { ok } from "../protocol/result.ts";
import { quoteHookName } from "../protocol/text/shell-quote.ts";
import { truncate } from "../protocol/text/text.ts";
import type { Outcome, Step, Verdict } from "../protocol/verdict.ts";
import { guardWarningsIn, type Warning, warningText } from "../protocol/warning.ts";
import { type DialectMembers, findSkip, matchesForCertain, type Skip, skipFor } from "./order.ts";

interface ChainValues {
  readonly first: Payload;
  readonly payload: Payload;
  readonly change: string | null;
  readonly context: readonly string[];
  readonly followUps: readonly string[];
  readonly pushes: readonly string[];
  readonly systemMessage: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly warnings: readonly Warning[];
  readonly steps: readonly Step[];
  readonly isAllowed: boolean;
  /** The first hook that responded `ask`. A later block overrules it. */
  readonly ask: { readonly by: string; readonly reason: string } | null;
}

/** The chain so far: open, or ended by one hook. After the end only observers run. */
export type ChainState =
  | (ChainValues & { readonly status: "open" })
  | (ChainValues & { readonly status: "blocked"; readonly by: string; readonly reason: string })
  | (ChainValues & { readonly status: "replaced"; readonly by: string });

export function startChain(payload: Payload): ChainState {
  return {
    status: "open",
    first: payload,
    payload,
    change: null,
    context: [],
    followUps: [],
    pushes: [],
    systemMessage: null,
    metadata: {},
    warnings: [],
    steps: [],
    isAllowed: false,
    ask: null,
  };
}

/** A hook and the result of invoking it. */
type Invocation = Pick<Step, "hook"> & { readonly result: HookResult };

/** The functions with which the chain reaches the outside. */
export interface ChainCalls {
  readonly invoke: (hook: Hook, payload: Payload) => Promise<HookResult>;
  /** Without it a hook's `match` sees the payload's members as they are. */
  readonly membersFor?: DialectMembers;
}

/** Invokes the hooks one after another, each with the payload as the hooks before it left it. */
export async function runChain(hooks: readonly Hook[], payload: Payload, calls: ChainCalls): Promise<ChainState> {
  let state = startChain(payload);
  for (const hook of hooks) {
    const skip = endedChainSkip(state, hook) ?? findSkip(hook, state.payload, calls.membersFor);
    if (skip !== null) state = skipHook(state, hook, skip);
    else {
      const result = await calls.invoke(hook, state.payload);
      const isCertain = matchesForCertain(hook, state.payload, calls.membersFor);
      state = advance(state, hook, isCertain ? result : withoutGrants(hook, result));
    }
  }
  return state;
}

/** The result for a tool that only shares a name with the one in the hook's `match`: the hook may block it, no more. */
function withoutGrants(hook: Hook, result: HookResult): HookResult {
  const { response } = result;
  if (!response.ok || response.value === null) return result;
  const { value } = response;
  if (value.change !== null) {
    const reason = `${hook.name} changes the arguments of a built-in tool; this tool only shares its name`;
    return { ...result, response: ok({ ...value, change: null, decision: "block", reason }) };
  }
  return value.decision === "allow" ? { ...result, response: ok({ ...value, decision: "none" }) } : result;
}

/** After a block or a replacement only observers run. */
const endedChainSkip = (state: ChainState, hook: Hook): Skip | null =>
  hook.disabledReason !== null || state.status === "open" || hook.observe || mayDecide(state, hook)
    ? null
    : skipFor(`not run: ${state.by} had ${state.status}`);

/** Applies one hook's result: how a block, a change, an observer or a failure affects the verdict. */
function advance(before: ChainState, hook: Hook, result: HookResult): ChainState {
  const turn: Invocation = { hook, result };
  const state = withWarnings(before, ...result.warnings);
  if (!result.response.ok) return afterFailure(state, turn, result.response.error);
  const reply = result.response.value;
  if (hook.observe) return withStep(state, turn, "observed");
  if (reply === null) return withStep(state, turn, "continue");
  const warned = withWarnings(state, ...reply.warnings);
  const { possibleBlock: problem } = reply;
  if (problem === null) return afterResponse(warned, turn, reply);
  // A possible block is a failure of a fail-closed hook; of a fail-open hook the readable rest is used.
  if (effectOfBlock(state) !== "ignore" && !hook.failOpen) return afterFailure(warned, turn, problem);
  return afterResponse(withWarnings(warned, { code: "BLOCK_DOUBTFUL", hook: hook.name, problem }), turn, reply);
}

/** Records a hook that did not run. */
function skipHook(state: ChainState, hook: Hook, skip: Skip): ChainState {
  const step: Step = { hook, outcome: "skipped", result: null, ...skip, change: null, failed: null };
  return { ...state, steps: [...state.steps, step] };
}

/** The verdict of a finished chain. A block drops earlier changes and keeps the context. */
export function verdictOf(state: ChainState): Verdict {
  const { first, payload, change, warnings, context, followUps, pushes, systemMessage, metadata, steps } = state;
  const end = decisionOf(state);
  const isBlocked = end.decision === "block" || end.decision === "halt";
  return {
    event: first.event,
    ...end,
    isAllowed: state.isAllowed && end.decision === "continue",
    sent: first,
    payload: isBlocked ? first : payload,
    change: isBlocked || change === null ? null : targetValue(payload),
    context,
    followUps,
    pushes,
    turns: null,
    systemMessage,
    metadata,
    warnings: warnings.map(warningText),
    guardWarnings: guardWarningsIn(warnings),
    steps,
  };
}

function decisionOf(state: ChainState): Pick<Verdict, "decision" | "reason" | "decidedBy"> {
  if (state.status === "blocked") {
    return { decision: effectOfBlock(state) === "deny" ? "block" : "halt", reason: state.reason, decidedBy: state.by };
  }
  if (state.ask !== null) return { decision: "ask", reason: state.ask.reason, decidedBy: state.ask.by };
  return { decision: "continue", reason: null, decidedBy: state.status === "replaced" ? state.by : null };
}

function afterFailure(before: ChainState, turn: Invocation, problem: Problem): ChainState {
  const { hook, result } = turn;
  const outcome = !result.wasNotInvoked ? "failed" : isTrustRefusal(problem) ? "refused" : "skipped";
  const state = withStep(withWarnings(before, { code: "PROBLEM", problem }), turn, outcome);
  if (hook.observe || !mayDecide(state, hook)) return state;
  if (effectOfBlock(state) === "deny") {
    if (isLostGuard(problem)) return withBlock(state, hook, lostReason(hook, problem));
    // The call does not fit, the hook did not fail: `fail_open` does not apply.
    if (problem.code === "HOOK_CALL_NOT_PASSED") return withBlock(state, hook, explain(problem).summary);
  }
  if (hook.failOpen && !isStarved(hook, problem)) return state;
  return withBlock(state, hook, `${hook.name} could not decide: ${explain(problem).summary}`);
}

/** A replacement ends the chain for all but the machine's hooks, which judge it. */
const mayDecide = ({ status }: Pick<ChainState, "status">, hook: Hook): boolean =>
  status === "open" || (status === "replaced" && hook.source === "machine");

/** A machine's hook for which the hooks before it left no time: they must not decide for it. */
const isStarved = (hook: Hook, problem: Problem): boolean =>
  hook.source === "machine" &&
  (problem.code === "HOOK_DEADLINE_PASSED" || (problem.code === "HOOK_TIMED_OUT" && problem.byDeadline));

/** The agent reads this reason, but only the user may approve the hook. */
function lostReason({ name, path }: Hook, problem: Problem): string {
  const { summary, hint } = explain(problem);
  if (problem.code === "HOOK_REFUSED_CHANGED") {
    if (problem.fix !== undefined) return `${summary} (${path}). Ask the user to decide. ${hint}`;
    const changes = truncate(problem.changes.join(", "), 300);
    return `${name} changed since it was approved: ${changes} (${path}). Ask the user to review it: hookctl trust ${quoteHookName(name)}`;
  }
  return `${summary}. Ask the user to repair it: hookctl doctor`;
}

function afterResponse(before: ChainState, turn: Invocation, reply: HookResponse): ChainState {
  const { hook } = turn;
  const { texts, isCut } = cutToLimit(reply.context);
  const cut: readonly Warning[] = isCut
    ? [{ code: "CONTEXT_CUT", hook: hook.name, limitBytes: CONTEXT_LIMIT_BYTES }]
    : [];
  const state = withWarnings(before, ...cut, ...latePriorityWarning(hook, reply));
  const metadata = metadataWithPriority(reply);
  const gathered: ChainState = {
    ...state,
    context: reply.contextMode === "overwrite" ? texts : [...state.context, ...texts],
    followUps: [...state.followUps, ...reply.followUps],
    pushes: [...state.pushes, ...reply.pushes],
    systemMessage: reply.systemMessage ?? state.systemMessage,
    metadata: metadata === null ? state.metadata : { ...state.metadata, [hook.name]: metadata },
    isAllowed: state.isAllowed || reply.decision === "allow",
  };
  // A blank reason is no reason, because Go writes an empty string for a missing value.
  const reason = reply.reason?.trim() ? reply.reason : null;
  if (reply.decision === "block") {
    const outcome = effectOfBlock(state) === "ignore" ? "continue" : "block";
    return withBlock(withStep(gathered, turn, outcome), hook, reason ?? `blocked by hook ${hook.name}`);
  }
  const asking = reply.decision === "ask" ? withAsk(gathered, hook, reason ?? `${hook.name} asks`) : gathered;
  return afterChange(asking, turn, reply);
}

const effectOfBlock = ({ first }: ChainState) => EVENT_ROWS[first.event].onBlock;

/** A response comes too late to set the priority. No warning for the default priority. */
const latePriorityWarning = (hook: Hook, { priority }: HookResponse): readonly Warning[] =>
  priority === null || Number(priority) === hook.priority || Number(priority) === DEFAULT_PRIORITY
    ? []
    : [{ code: "PRIORITY_TOO_LATE", hook: hook.name, returned: priority, declared: hook.priority }];

function afterChange(state: ChainState, turn: Invocation, { change, isReplace }: HookResponse): ChainState {
  const { hook } = turn;
  const { event } = state.first;
  if (change === null) return withStep(state, turn, "continue");
  if (EVENT_ROWS[event].target === null) {
    const warning: Warning = { code: "CHANGE_IGNORED", hook: hook.name, key: "a new value", event };
    return withStep(withWarnings(state, warning), turn, "continue");
  }
  const changed = { ...state, payload: applyChange(state.payload, change), change };
  if (!isReplace) return withStep(changed, turn, "modify", change);
  return { ...withStep(changed, turn, "replace", change), status: "replaced", by: hook.name };
}

const withBlock = (state: ChainState, hook: Hook, reason: string): ChainState =>
  effectOfBlock(state) === "ignore"
    ? withIgnoredBlock(state, hook)
    : { ...state, status: "blocked", by: hook.name, reason };

const withAsk = (state: ChainState, hook: Hook, reason: string): ChainState =>
  effectOfBlock(state) === "ignore"
    ? withIgnoredBlock(state, hook)
    : { ...state, ask: state.ask ?? { by: hook.name, reason } };

const withIgnoredBlock = (state: ChainState, { name }: Hook): ChainState =>
  withWarnings(state, { code: "BLOCK_IGNORED", hook: name, event: state.first.event });

function withStep(state: ChainState, turn: Invocation, outcome: Outcome, change: string | null = null): ChainState {
  return { ...state, steps: [...state.steps, { ...turn, outcome, why: null, mismatch: null, change, failed: null }] };
}

function withWarnings(state: ChainState, ...warnings: readonly Warning[]): ChainState {
  return warnings.length === 0 ? state : { ...state, warnings: [...state.warnings, ...warnings] };
}

export const CONTEXT_LIMIT_BYTES = 8 * 1024;

/** The texts in 8 KiB. The rest is cut off, with a mark at the end. */
function cutToLimit(texts: readonly string[]): { readonly texts: readonly string[]; readonly isCut: boolean } {
  const kept: string[] = [];
  let room = CONTEXT_LIMIT_BYTES;
  for (const text of texts) {
    const { read } = new TextEncoder().encodeInto(text, new Uint8Array(room));
    if (read < text.length) return { texts: [...kept, `${text.slice(0, read)}… [cut at 8 KiB]`], isCut: true };
    room -= new TextEncoder().encode(text).length;
    kept.push(text);
  }
  return { texts: kept, isCut: false };
}
