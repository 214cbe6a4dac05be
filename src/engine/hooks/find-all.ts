import { declaredCandidates } from "../../discover/declared.ts";
import { withDistinctNames } from "../../discover/distinct-names.ts";
import { type FoundCandidates, findCandidates } from "../../discover/find-candidates.ts";
import { NO_APPROVALS } from "../../protocol/approval.ts";
import type { Candidate } from "../../protocol/hook.ts";
import { approvalFor, inOtherCheckout } from "../../trust/decide/approval-key.ts";
import { mainCheckoutOf } from "../../trust/decide/worktree.ts";
import { memoize } from "../lazy.ts";
import { hookFolders, type RunContext } from "../run-context.ts";

/** The files of the hooks folders and the entries of the settings files, in their order (SPEC 3). */
export function findAllCandidates(context: RunContext): FoundCandidates {
  const { scopes, settings } = context;
  const found = findCandidates(hookFolders(context));
  const declared = settings.declared.length === 0 ? [] : declaredCandidates(settings.declared);
  const candidates = [...found.candidates, ...declared];
  return { ...found, candidates: withDistinctNames(candidates, scopes.projectDirs, isApprovedIn(context)) };
}

/** True if a hook has an approval, its own or that of the main checkout. The store is read at the first question. */
function isApprovedIn({ trustStore }: RunContext): (candidate: Candidate) => boolean {
  const mainDirOf = memoize(mainCheckoutOf);
  const isApproved = (hook: Pick<Candidate, "source" | "path">): boolean => {
    const approvals = trustStore.approvals();
    return approvalFor(hook, approvals.ok ? approvals.value : NO_APPROVALS) !== null;
  };
  return (candidate) => {
    const { source, projectDir } = candidate;
    if (isApproved(candidate)) return true;
    const mainDir = projectDir === null ? null : mainDirOf(projectDir);
    const path = projectDir === null || mainDir === null ? null : inOtherCheckout(candidate.path, projectDir, mainDir);
    return path !== null && isApproved({ source, path });
  };
}
