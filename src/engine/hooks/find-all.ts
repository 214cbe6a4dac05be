import { declaredCandidates } from "../../discover/declared.ts";
import { withDistinctNames } from "../../discover/distinct-names.ts";
import { type FoundCandidates, findCandidates } from "../../discover/find-candidates.ts";
import { approvedCandidates } from "../current-approvals.ts";
import { hookFolders, type RunContext } from "../run-context.ts";

/** The files of the hooks folders and the entries of the settings files, in their order (SPEC 3). */
export function findAllCandidates(context: RunContext): FoundCandidates {
  const { scopes, settings } = context;
  const found = findCandidates(hookFolders(context));
  const declared = settings.declared.length === 0 ? [] : declaredCandidates(settings.declared);
  const candidates = [...found.candidates, ...declared];
  return { ...found, candidates: withDistinctNames(candidates, scopes.projectDirs, approvedCandidates(context)) };
}
