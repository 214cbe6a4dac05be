import { identify } from "../discover/identify.ts";
import { NO_IDENTITY_CACHE } from "../discover/identity-cache.ts";
import type { Approval } from "../protocol/approval.ts";
import type { Candidate } from "../protocol/hook.ts";
import type { HostProblem } from "../protocol/problem.ts";
import type { Result } from "../protocol/result.ts";
import { type ApprovalContext, approveReviewed } from "../trust/review/approve-reviewed.ts";
import { reviewHooks } from "../trust/review/review.ts";
import { hookEnvironments } from "./hook-environment.ts";
import type { RunContext } from "./run-context.ts";

/** Approves project hooks as they are now, without showing them: for commands that have just written them. */
export async function approve(
  candidates: readonly Candidate[],
  context: RunContext,
): Promise<Result<readonly Approval[], HostProblem>> {
  const reviewed = reviewHooks(candidates, context);
  return reviewed.ok ? approveReviewed(reviewed.value, approvalContext(context)) : reviewed;
}

/** Hooks are asked for their events in the environment that a run gives them, and nothing is cached. */
export const approvalContext = (context: RunContext): ApprovalContext => ({
  store: context,
  nowMs: context.nowMs,
  identify: (files, recheckTrust) =>
    identify(files, {
      cache: NO_IDENTITY_CACHE,
      nowMs: context.nowMs,
      cwd: context.cwd,
      environmentOf: hookEnvironments(context),
      recheckTrust,
      interrupt: context.interrupt,
    }),
});
