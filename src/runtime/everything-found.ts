import { declaredCandidates } from "../discover/declared.ts";
import { type Found, findCandidates } from "../discover/find.ts";
import { foldersFor, type Ground } from "./ground.ts";

/** The files of the hooks folders and the entries of the settings files, in their order (SPEC 3). */
export function everythingFound(ground: Ground): Found {
  const found = findCandidates(foldersFor(ground));
  const { declared } = ground.settings;
  if (declared.length === 0) return found;
  return { ...found, candidates: [...found.candidates, ...declaredCandidates(declared)] };
}
