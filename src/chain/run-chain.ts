import type { Hook } from "../protocol/hook.ts";
import type { HookResult } from "../protocol/hook-response.ts";
import type { Payload } from "../protocol/payload.ts";
import { advance, type ChainState, skipHook, startChain } from "./advance.ts";
import { skipReason } from "./skip-reason.ts";

export type InvokeHook = (hook: Hook, payload: Payload) => Promise<HookResult>;

/** Asks each hook in its turn with the payload as the hooks before it left it. */
export async function runChain(hooks: readonly Hook[], payload: Payload, ask: InvokeHook): Promise<ChainState> {
  let state = startChain(payload);
  for (const hook of hooks) {
    const why = hook.disabledReason ?? chainEndedReason(state, hook) ?? skipReason(hook, state.payload);
    state = why === null ? advance(state, hook, await ask(hook, state.payload)) : skipHook(state, hook, why);
  }
  return state;
}

/** After the end only observers have a turn. */
const chainEndedReason = (state: ChainState, { observe }: Hook): string | null =>
  state.status === "open" || observe ? null : `the chain had ended: ${state.status} by ${state.by}`;
