import type { Candidate } from "../../protocol/hook.ts";
import type { Problem } from "../../protocol/problem.ts";
import { ok, type Result } from "../../protocol/result.ts";
import type { CandidateStatus } from "../../trust/decide/decide-trust.ts";
import { type ReviewedHook, reviewHooks } from "../../trust/review/review.ts";
import { type ReviewItem, VIEW_CHOICES } from "../prompt/review-loop.ts";
import { evidenceIn, type PendingApprovals, reviewView, withDeclaredHooks } from "./pending-approvals.ts";

/** A pending hook or settings file, with the hooks that are approved with it. */
export type HookReviewItem = ReviewItem<readonly ReviewedHook[]>;

const APPROVE_CHOICES = {
  yes: "approve exactly the text shown",
  no: "skip it",
  ...VIEW_CHOICES,
  deny: "never run it, even after a change",
  quit: "quit, and keep the decisions so far",
} as const;

export const APPROVE_QUESTION = { question: "Approve it?", choices: APPROVE_CHOICES };

/** Takes the snapshot first and shows it then, so that a yes approves what was shown. */
export function reviewItems({
  pending,
  hooks,
}: {
  readonly pending: PendingApprovals;
  readonly hooks: readonly CandidateStatus[];
}): Result<readonly HookReviewItem[], Problem> {
  const candidates = withDeclaredHooks(hooks, pending.context);
  const reviewed = reviewHooks(candidates, pending.context);
  if (!reviewed.ok) return reviewed;
  return ok(
    reviewed.value.flatMap((one, index) => {
      const waiting = hooks[index];
      if (waiting === undefined) return [];
      const { candidate } = waiting;
      const file = candidate.entry?.file ?? candidate.path;
      const declared = reviewed.value.slice(hooks.length).filter((other) => isDeclaredIn(candidate, other));
      return [
        { view: reviewView(waiting, pending.context, evidenceIn(reviewed.value)), reviewed: [one, ...declared], file },
      ];
    }),
  );
}

/** Approving a settings file approves the hooks that it declares. */
const isDeclaredIn = ({ settings, path }: Candidate, { candidate }: ReviewedHook): boolean =>
  settings !== undefined && candidate.entry?.file === path;
