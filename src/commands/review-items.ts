import { type Reviewed, review } from "../engine/review.ts";
import type { Candidate } from "../protocol/hook.ts";
import type { Problem } from "../protocol/problem.ts";
import { ok, type Result } from "../protocol/result.ts";
import { candidatesOf, type Pending, viewOf, type Waiting } from "./pending.ts";
import { LOOK_CHOICES, type ReviewItem } from "./review-prompt.ts";

/** A hook or a settings file that waits for a yes, with the hooks that the yes brings. */
export type HookItem = ReviewItem<readonly Reviewed[]>;

const CHOICES = {
  yes: "approve exactly what was shown",
  no: "leave it as it is, and go on",
  ...LOOK_CHOICES,
  deny: "never run it, whatever it becomes",
  quit: "stop here, and keep the answers so far",
} as const;

export const QUESTION = { question: "Approve it?", choices: CHOICES };

/** What each of them is now: taken down first, then read for the screen. The yes is for what was on the screen. */
export function itemsOf({
  pending,
  hooks,
}: {
  readonly pending: Pending;
  readonly hooks: readonly Waiting[];
}): Result<readonly HookItem[], Problem> {
  const candidates = candidatesOf(hooks, pending.context);
  const reviewed = review(candidates, pending.context);
  if (!reviewed.ok) return reviewed;
  return ok(
    reviewed.value.flatMap((one, index) => {
      const waiting = hooks[index];
      if (waiting === undefined) return [];
      const { candidate } = waiting;
      const file = candidate.entry?.file ?? candidate.path;
      const declared = reviewed.value.slice(hooks.length).filter((other) => isDeclaredIn(candidate, other));
      return [{ view: viewOf(waiting, pending.context), reviewed: [one, ...declared], file }];
    }),
  );
}

/** A yes to a settings file is one to the hooks that it declares. */
const isDeclaredIn = ({ settings, path }: Candidate, { candidate }: Reviewed): boolean =>
  settings !== undefined && candidate.entry?.file === path;
