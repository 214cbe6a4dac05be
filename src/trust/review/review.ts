import { type Evidence, NO_APPROVALS } from "../../protocol/approval.ts";
import type { Candidate } from "../../protocol/hook.ts";
import type { HookProblem, HostProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { decideTrust } from "../decide/decide-trust.ts";
import { createOwnershipCheck } from "../decide/ownership.ts";
import { approvalFolder, compareEvidence, computeEvidence } from "../evidence/evidence.ts";
import { hashPluginFiles } from "../evidence/plugin-files.ts";
import { incompleteEvidenceProblem, unreadableFileProblem, unsafeLocationProblem } from "./approval-problems.ts";

/** A project hook and the state in which it is shown for approval. */
export interface ReviewedHook {
  readonly candidate: Candidate;
  readonly evidence: Evidence;
}

interface ReviewContext {
  readonly scopes: { readonly homeDir: string | null };
  readonly userId: number;
}

/** Takes the snapshot that is shown, and that an approval is compared with: the evidence of each hook. */
export function reviewHooks(
  candidates: readonly Candidate[],
  context: ReviewContext,
): Result<readonly ReviewedHook[], HostProblem> {
  const unsafe = unsafeLocationProblem(unsafeLocations(candidates, context));
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

function unsafeLocations(candidates: readonly Candidate[], { scopes, userId }: ReviewContext): readonly HookProblem[] {
  return candidates.flatMap((candidate) => {
    const { trust, problem } = decideTrust(candidate, {
      homeDir: scopes.homeDir,
      approvals: ok(NO_APPROVALS),
      trustFile: null,
      isTrustedForOneCall: false,
      checkOwnership: createOwnershipCheck(userId),
      mainCheckoutOf: () => null,
      supportsSafePath: () => false,
    });
    return trust === "unsafe" && problem !== null ? problem : [];
  });
}

/**
 * Computes what an approval of this hook would be bound to; null if its files cannot all be found. Assumes a Python
 * without PYTHONSAFEPATH, because the hook may later be started by another version.
 */
export function currentEvidence(candidate: Candidate): Evidence | null {
  const evidence = computeEvidence(candidate, { before: null, trustFile: null, supportsSafePath: () => false }, []);
  if (evidence === null) return null;
  return { ...evidence, files: { ...evidence.files, ...hashPluginFiles(candidate, evidence.helpers) } };
}

/** True if the hook is no longer in the state that was shown. */
export function hasChanged({ candidate, evidence }: ReviewedHook): boolean {
  const now = currentEvidence(candidate);
  return now === null || compareEvidence(evidence, now).length > 0;
}
