import type { DialectName, EventName } from "../protocol/event.ts";
import { eventRow } from "../protocol/event.ts";
import { DEFAULT_PRIORITY, type Hook } from "../protocol/hook.ts";
import type { PostOrder } from "../protocol/settings.ts";
import { compareByBytes } from "../protocol/text.ts";

export type { PostOrder };

/** Contracts in which the hook that runs first before the event runs last after it. */
const WRAPPING_DIALECTS: readonly DialectName[] = ["agenthook"];

/** A folder in front of a name tells two hooks apart and changes no order. */
const fileName = ({ name, baseName }: Hook): string => baseName ?? name;

/** The hooks of one event in run order: priority, then folder, then byte order of names (SPEC 7). */
export function sortHooks(hooks: readonly Hook[], event: EventName, postOrder: PostOrder): readonly Hook[] {
  const { phase, aliases } = eventRow(event);
  const isTurned = ({ dialect }: Hook): boolean =>
    phase === "post" &&
    (postOrder === "reverse" ||
      (postOrder === "dialect" && WRAPPING_DIALECTS.includes(dialect) && aliases[dialect] !== undefined));
  // Mirrored at the default, so that each pair of hooks has its order whatever else is in the chain, and hooks without
  // a priority keep theirs: files named 01, 02, 03 run in the same order before and after the event.
  const rank = (hook: Hook): number => (isTurned(hook) ? 2 * DEFAULT_PRIORITY - hook.priority : hook.priority);
  return [...hooks].sort((a, b) => rank(a) - rank(b) || a.rank - b.rank || compareByBytes(fileName(a), fileName(b)));
}
