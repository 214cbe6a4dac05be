import { errorPayload, failuresIn, listenersTo, withRaised } from "../chain/raise.ts";
import type { Hook } from "../contract/hook.ts";
import type { Payload } from "../contract/payload.ts";
import type { Verdict } from "../contract/verdict.ts";
import type { Ground } from "./ground.ts";

/** Asks the hooks of `on_error` about each hook that failed, one failure after another. */
export async function withErrorsRaised(
  verdict: Verdict,
  listeners: readonly Hook[],
  ground: Ground,
  ask: (hooks: readonly Hook[], payload: Payload) => Promise<Verdict>,
): Promise<Verdict> {
  let told = verdict;
  for (const step of failuresIn(verdict)) {
    const others = listenersTo(step.hook, listeners);
    if (others.length === 0 || ground.interrupt.raised() !== null) continue;
    told = withRaised(told, await ask(others, errorPayload(step, verdict.payload)), step.hook);
  }
  return told;
}
