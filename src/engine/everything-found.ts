import { declaredCandidates } from "../discover/declared.ts";
import { withDistinctNames } from "../discover/distinct-names.ts";
import { type Found, findCandidates } from "../discover/find.ts";
import { foldersFor, type Ground } from "./ground.ts";
import { approvedIn } from "./ledger.ts";

/** The files of the hooks folders and the entries of the settings files, in their order (SPEC 3). */
export function everythingFound(ground: Ground): Found {
  const { scopes, settings } = ground;
  const found = findCandidates(foldersFor(ground));
  const declared = settings.declared.length === 0 ? [] : declaredCandidates(settings.declared);
  const candidates = [...found.candidates, ...declared];
  return { ...found, candidates: withDistinctNames(candidates, scopes.projectDirs, approvedIn(ground)) };
}
