import { pathExists } from "../fs/paths.ts";
import { type Approvals, NO_APPROVALS } from "../protocol/approval.ts";
import type { Candidate } from "../protocol/hook.ts";
import { fail, type Result } from "../protocol/result.ts";
import { approvalFor, inOtherCheckout } from "../trust/decide/approval-key.ts";
import { mainCheckoutOf } from "../trust/decide/worktree.ts";
import { readApprovals } from "../trust/store/read-approvals.ts";
import { lazy, memoize } from "./lazy.ts";
import type { RunContext } from "./run-context.ts";

/** What is approved. A store that was chosen and is not there must not hide what the usual one holds. */
export function currentApprovals({
  trustFile,
  unusedDefaultTrustFile,
  trustFileProblem,
  userId,
}: RunContext): Result<Approvals, string> {
  if (trustFile === null) return fail(trustFileProblem?.cause ?? "");
  const isMissed = unusedDefaultTrustFile !== null && pathExists(unusedDefaultTrustFile) && !pathExists(trustFile);
  return isMissed ? fail(`it is not there, but ${unusedDefaultTrustFile} is`) : readApprovals(trustFile, userId);
}

/** Answers whether a hook has an approval, its own or that of the main checkout. The store is read at the first question. */
export function approvedCandidates(context: RunContext): (candidate: Candidate) => boolean {
  const approvals = lazy(() => {
    const read = currentApprovals(context);
    return read.ok ? read.value : NO_APPROVALS;
  });
  const mainDirOf = memoize(mainCheckoutOf);
  const isKept = (hook: Pick<Candidate, "source" | "path">): boolean => approvalFor(hook, approvals()) !== null;
  return (candidate) => {
    const { source, projectDir } = candidate;
    if (isKept(candidate)) return true;
    const mainDir = projectDir === null ? null : mainDirOf(projectDir);
    const path = projectDir === null || mainDir === null ? null : inOtherCheckout(candidate.path, projectDir, mainDir);
    return path !== null && isKept({ source, path });
  };
}
