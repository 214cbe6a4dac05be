import { formatDuration } from "../../protocol/text/units.ts";
import { pluralize } from "../text-style.ts";

/** What a person sees while tests run; before the hooks are known, `total` is 0. */
export const progressText = (done: number, total: number, ms: number): string =>
  total === 0 ? "Looking for hooks …" : `${done} of ${pluralize(total, "hook")} tested, ${formatDuration(ms)} …`;
