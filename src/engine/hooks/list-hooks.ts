import { type PostOrder, sortHooks } from "../../chain/order.ts";
import type { EventName } from "../../protocol/event.ts";
import { type Hook, isRefused, isUnidentified, type Source } from "../../protocol/hook.ts";
import type { HookSet } from "./resolve-hooks.ts";

/** What a list is narrowed to; null: not at all. */
export interface ListFilter {
  readonly event: EventName | null;
  readonly source: Source | null;
}

/** One list for all events is in the order of `before_tool_call`; an event that turns priorities around has its own. */
export function listHooks(hookSet: HookSet, wanted: ListFilter, postOrder: PostOrder): readonly Hook[] {
  const { event, source } = wanted;
  const shown = hookSet.hooks
    .filter((hook) => hook.refusal === null || isRefused(hook) || !isUnidentified(hook))
    .filter((hook) => source === null || hook.source === source)
    .filter((hook) => event === null || hook.events.includes(event) || hook.mentionedEvents.includes(event));
  return sortHooks(shown, event ?? "before_tool_call", postOrder);
}
