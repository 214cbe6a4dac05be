import { isWithin } from "../../../protocol/text/text.ts";
import { type CommandPlace, UNKNOWN } from "../../command/call.ts";
import type { AccessKind } from "../../command/files/file-access.ts";
import type { GuardContext, OwnFile } from "../../guard.ts";
import { mayMatch } from "../globs.ts";

/** The own file that a path means: the file, something in its folder or, if it would go with it, a folder around it. */
export function ownFileAt(path: string, kind: AccessKind, { ownFiles, place }: GuardContext): OwnFile | null {
  if (path.startsWith(UNKNOWN)) return isProgram(path, place) ? PROGRAM : null;
  const known = path.split(UNKNOWN)[0] ?? path;
  const isKnown = known === path;
  const literal = isLiteral(path) ? withoutEmptyParts(path) : null;
  const isMeant = (own: OwnFile): boolean => (literal === null ? isSame(path, own) : isIn(literal, own));
  const found = ownFiles.find((own) => (isKnown ? isMeant(own) : own.isFolder && isWithin(known, own.path)));
  if (found !== undefined) return found;
  if (isProgram(path, place)) return PROGRAM;
  return kind === "delete" && isKnown ? (ownFiles.find((own) => isAround(path, own, place)) ?? null) : null;
}

const isLiteral = (path: string): boolean => !/[*?[{]/.test(path);
const withoutEmptyParts = (path: string): string => path.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");

const isIn = (path: string, { path: own, isFolder }: OwnFile): boolean =>
  path === own || (isFolder && isWithin(path, own));

/** A path with wildcards may mean it. */
const isSame = (path: string, { path: own, isFolder }: OwnFile): boolean =>
  path === own || mayMatch(path, own) || (isFolder && (isWithin(path, own) || mayMatch(path, `${own}/**`)));

/** `rm -rf ~/.local/state` deletes the approvals, too. Deleting the project or the home is for the guard `filesystem`. */
function isAround(path: string, { path: own }: OwnFile, { home, project }: CommandPlace): boolean {
  if (isWithin(home, path) || isWithin(project, path)) return false;
  const parts = path.split("/").length;
  const above = own.split("/").slice(0, parts).join("/");
  return above !== own && mayMatch(path, above);
}

const PROGRAM: OwnFile = { path: "", isFolder: true, what: "the program hookctl" };

/** hookctl where package managers put it. A project may have a program of this name of its own. */
function isProgram(path: string, { project }: CommandPlace): boolean {
  if (/(?:^|\/)node_modules\/hookctl(?:\/|$)/.test(path)) return true;
  if (path.startsWith(UNKNOWN)) return /^\0\/hookctl(?:\/|$)/.test(path);
  return /\/bin\/hookctl(?:\.js)?$/.test(path) && !isWithin(path, project);
}

/** True for a file that holds settings of the agent beside hookctl's registration. */
export const isShared = ({ path, isFolder, what }: OwnFile): boolean =>
  !isFolder && /agent/.test(what) && !path.includes("hookctl");
