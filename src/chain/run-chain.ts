import type { Hook } from "../protocol/hook.ts";
import type { HookResult } from "../protocol/hook-response.ts";
import type { Payload } from "../protocol/payload/payload.ts";
import { advance, type ChainState, mayDecide, skipHook, startChain } from "./advance.ts";
import { type DialectMembers, skipReason } from "./skip-reason.ts";

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
    const why =
      hook.disabledReason ?? chainEndedReason(state, hook) ?? skipReason(hook, state.payload, calls.membersFor);
    state = why === null ? advance(state, hook, await calls.invoke(hook, state.payload)) : skipHook(state, hook, why);
  }
  return state;
}

/** After a block or a replacement only observers run. */
const chainEndedReason = (state: ChainState, hook: Hook): string | null =>
  state.status === "open" || hook.observe || mayDecide(state, hook)
    ? null
    : `the chain had ended: ${state.status} by ${state.by}`;
