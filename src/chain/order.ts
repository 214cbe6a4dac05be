import { compareBytes } from "../contract/bytes.ts";
import type { EventName } from "../contract/event.ts";
import { eventRow } from "../contract/event.ts";
import type { Hook } from "../contract/hook.ts";

export type PostOrder = "forward" | "reverse";

/** A folder in front of a name tells two hooks apart and changes no order. */
const fileName = ({ name, baseName }: Hook): string => baseName ?? name;

/** The hooks of one event in run order: priority, then folder, then byte order of names (SPEC 7). */
export function inOrder(hooks: readonly Hook[], event: EventName, postOrder: PostOrder): readonly Hook[] {
  const direction = eventRow(event).phase === "post" && postOrder === "reverse" ? -1 : 1;
  // Ties are not turned around: files named 01, 02, 03 keep their order after the event as before it.
  return [...hooks].sort(
    (a, b) => direction * (a.priority - b.priority) || a.folder - b.folder || compareBytes(fileName(a), fileName(b)),
  );
}
