import { type DialectName, EVENT_ROWS, type EventName } from "../protocol/event.ts";
import { DEFAULT_PRIORITY, type Hook, hookForEvent, mentionsOnlyOtherEvents } from "../protocol/hook.ts";
import type { JsonObject } from "../protocol/json/read.ts";
import { certainMismatch, firstMismatch, MATCH_DOES_NOT_FIT, type Mismatch, matches } from "../protocol/match.ts";
import type { Payload } from "../protocol/payload/payload.ts";
import { concernsGuards } from "../protocol/payload/tool-call.ts";
import { explain } from "../protocol/problem-messages/explain.ts";
import type { PostOrder } from "../protocol/settings-file.ts";
import { compareByBytes } from "../protocol/text/text.ts";

export type { PostOrder };

/** Dialects in which the first hook before an event is the last one after it. */
const WRAPPING_DIALECTS: readonly DialectName[] = ["agenthook"];

/** The folder in front of a name distinguishes hooks but does not order them. */
const fileName = ({ name, baseName }: Hook): string => baseName ?? name;

/** The orders of the hooks of a call. */
export interface RunOrder {
  readonly postOrder: PostOrder;
  readonly machine: { readonly postOrder: PostOrder };
}

/** The machine's hooks come last, so that what they judge is what happens: no other hook can change it after them. */
export const orderHooks = (
  hooks: readonly Hook[],
  event: EventName,
  { postOrder, machine }: RunOrder,
): readonly Hook[] => {
  const ofMachine = hooks.filter(({ source }) => source === "machine");
  const others = ofMachine.length === 0 ? hooks : hooks.filter(({ source }) => source !== "machine");
  const sorted = sortHooks(others, event, postOrder);
  return ofMachine.length === 0 ? sorted : [...sorted, ...sortHooks(ofMachine, event, machine.postOrder)];
};

/** Sorts the hooks of an event by priority, then folder rank, then name. */
export function sortHooks(hooks: readonly Hook[], event: EventName, postOrder: PostOrder): readonly Hook[] {
  const { phase, aliases } = EVENT_ROWS[event];
  const isTurned = ({ dialect }: Hook): boolean =>
    phase === "post" &&
    (postOrder === "reverse" ||
      (postOrder === "dialect" && WRAPPING_DIALECTS.includes(dialect) && aliases[dialect] !== undefined));
  // Priorities are mirrored at the default, so that hooks without a priority keep their order: files named 01, 02, 03 run
  // in the same order before and after the event.
  const rank = (hook: Hook): number => (isTurned(hook) ? 2 * DEFAULT_PRIORITY - hook.priority : hook.priority);
  return [...hooks].sort((a, b) => rank(a) - rank(b) || a.rank - b.rank || compareByBytes(fileName(a), fileName(b)));
}

/** The payload's members as a dialect names them. */
export type DialectMembers = (dialect: DialectName, payload: Payload) => JsonObject;

/** Why a hook does not run. */
export interface Skip {
  readonly why: string;
  /** Null if the hook is skipped for another reason than its `match`. */
  readonly mismatch: Mismatch | null;
}

/** Why a hook does not run with this payload, whatever the hooks before it decide; null when it runs. */
export function findSkip(hook: Hook, payload: Payload, membersFor?: DialectMembers): Skip | null {
  const { match, dialect } = hook;
  const named = { event: payload.event, dialect };
  return skipUnless(hook, payload, () =>
    firstMismatch(match, match === null ? payload.members : (membersFor?.(dialect, payload) ?? payload.members), named),
  );
}

/** True if the hook's match also holds without names that a tool of an MCP server or a plugin shares with a built-in tool. */
export function matchesForCertain({ match, dialect }: Hook, payload: Payload, membersFor?: DialectMembers): boolean {
  if (match?.tool_name === undefined) return true;
  const members = membersFor?.(dialect, payload) ?? payload.members;
  return matches(match, members, { event: payload.event, dialect }, "certain");
}

/** Why a hook is skipped for certain, as far as that is known before the dialects are loaded; null: it may run. */
export const findCertainSkip = (hook: Hook, payload: Payload): Skip | null =>
  skipUnless(hook, payload, () => {
    const { dialect } = hookForEvent(hook, payload.event);
    return certainMismatch(hook.match, payload.members, { event: payload.event, dialect });
  });

function skipUnless(hook: Hook, payload: Payload, findMismatch: () => Mismatch | null): Skip | null {
  if (hook.disabledReason !== null) return skipFor(hook.disabledReason);
  const { refusal } = hook;
  if (refusal !== null && mentionsOnlyOtherEvents(hook, payload.event)) return skipFor(explain(refusal).summary);
  if (hook.kind === "guard" && !concernsGuards(payload.event, payload.members))
    return skipFor("it judges commands and files");
  const mismatch = findMismatch();
  return mismatch === null ? null : { why: MATCH_DOES_NOT_FIT, mismatch };
}

/** A skip for another reason than the `match`. */
export const skipFor = (why: string): Skip => ({ why, mismatch: null });
