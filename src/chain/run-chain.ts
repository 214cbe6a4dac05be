import type { Asked } from "../contract/asked.ts";
import { explain } from "../contract/explain.ts";
import { type Hook, isMeantElsewhere } from "../contract/hook.ts";
import { matches } from "../contract/match.ts";
import type { Payload } from "../contract/payload.ts";
import { advance, type ChainState, passOver, startChain } from "./advance.ts";

export type AskHook = (hook: Hook, payload: Payload) => Promise<Asked>;

/** Asks each hook in its turn with the payload as the hooks before it left it. */
export async function runChain(hooks: readonly Hook[], payload: Payload, ask: AskHook): Promise<ChainState> {
  let state = startChain(payload);
  for (const hook of hooks) {
    const why = reasonToPass(hook, state);
    state = why === null ? advance(state, hook, await ask(hook, state.payload)) : passOver(state, hook, why);
  }
  return state;
}

/** Why a hook has no turn; null when it has. */
function reasonToPass(hook: Hook, state: ChainState): string | null {
  if (hook.off !== null) return hook.off;
  if (state.status !== "open" && !hook.observe) return `the chain had ended: ${state.status} by ${state.by}`;
  const { hindrance } = hook;
  if (hindrance !== null && isMeantElsewhere(hook, state.payload.event)) return explain(hindrance).summary;
  return matches(hook.match, state.payload.members) ? null : "its match does not fit this payload";
}
