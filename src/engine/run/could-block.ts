import type { EventName } from "../../protocol/event.ts";
import { eventRow } from "../../protocol/event.ts";
import type { Hook } from "../../protocol/hook.ts";
import { isLostGuard } from "../../protocol/problem.ts";
import type { HookSet } from "../hooks/resolve-hooks.ts";
import type { RunContext } from "../run-context.ts";
import { orderedHooks } from "./run-event.ts";

/** May one of the hooks of an event block it? Also one whose `match` would pass it over: there is nothing to match with. */
export const couldBlock = (event: EventName, hookSet: HookSet, context: RunContext): boolean =>
  eventRow(event).onBlock === "deny" && orderedHooks(event, hookSet, context).some(isGuard);

/** What these schemes say adds something, and never stops anything. */
const HARMLESS: readonly string[] = ["inject", "template_push", "shell_exec", "shell_push"];

function isGuard({ observe, disabledReason, entry, refusal, failOpen }: Hook): boolean {
  if (observe || disabledReason !== null || HARMLESS.includes(entry?.scheme ?? "")) return false;
  return refusal === null || !failOpen || isLostGuard(refusal);
}
