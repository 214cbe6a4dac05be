import { type Approval, type Evidence, NO_APPROVALS } from "../protocol/approval.ts";
import type { Candidate } from "../protocol/hook.ts";
import type { HookProblem, HostProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { decideTrust } from "../trust/decide/decide-trust.ts";
import { createOwnershipCheck } from "../trust/decide/ownership.ts";
import { approvalFolder, compareEvidence, computeEvidence } from "../trust/evidence/evidence.ts";
import {
  incompleteEvidenceProblem,
  unreadableFileProblem,
  unsafeLocationProblem,
} from "../trust/review/approval-problems.ts";
import type { RunContext } from "./run-context.ts";

/** One project hook as the user saw it, before the yes. */
export interface ReviewedHook {
  readonly candidate: Candidate;
  readonly evidence: Evidence;
}

/** Takes down what an approval of these hooks would be bound to. */
export function reviewHooks(
  candidates: readonly Candidate[],
  context: RunContext,
): Result<readonly ReviewedHook[], HostProblem> {
  const unsafe = unsafeLocationProblem(candidates.flatMap((candidate) => unsafeLocation(candidate, context)));
  if (unsafe !== null) return fail(unsafe);
  const reviewed: ReviewedHook[] = [];
  for (const candidate of candidates) {
    const evidence = currentEvidence(candidate);
    if (evidence === null) return fail(incompleteEvidenceProblem(candidate));
    const unreadable = unreadableFileProblem({ ...evidence, path: candidate.path }, approvalFolder(candidate));
    if (unreadable !== null) return fail(unreadable);
    reviewed.push({ candidate, evidence });
  }
  return ok(reviewed);
}

function unsafeLocation(candidate: Candidate, context: RunContext): readonly HookProblem[] {
  const status = decideTrust(candidate, {
    homeDir: context.scopes.homeDir,
    approvals: ok(NO_APPROVALS),
    trustFile: null,
    isTrustedForOneCall: true,
    checkOwnership: createOwnershipCheck(context.userId),
    mainCheckoutOf: () => null,
    supportsSafePath: () => false,
  });
  return status.problem === null ? [] : [status.problem];
}

/**
 * What an approval of this hook would be bound to. Null: it can load too many files. With all that any Python would load, because
 * the hook may be started where another one is found.
 */
export const currentEvidence = (candidate: Candidate, before: Approval | null = null): Evidence | null =>
  computeEvidence(candidate, { before, trustFile: null, supportsSafePath: () => false }, []);

/** Is it another one now than it was when it was shown? */
export function hasChanged({ candidate, evidence }: ReviewedHook): boolean {
  const now = currentEvidence(candidate);
  return now === null || compareEvidence(evidence, now).length > 0;
}
