import { posix } from "node:path";
import { isWithin } from "../../../src/protocol/text/text.ts";
import { mayMatch } from "../../../src/shell/globs.ts";
import { UNKNOWN } from "../../../src/shell/unknown.ts";
import type { FileAccess } from "../command/files/file-access.ts";
import type { AccessKind } from "../command/files/named-file.ts";
import type { Finding, Guard, GuardContext } from "../guard.ts";
import { readRules } from "./command-rules.ts";
import table from "./protected-paths/rules.json" with { type: "json" };

const DOES: Readonly<Partial<Record<AccessKind, string>>> = {
  write: "changes",
  delete: "deletes",
  mode: "changes the permissions of",
};

const RULES = readRules(table);

export const protectedPaths: Guard = { ...RULES.guard, judgeFile };

function judgeFile(access: FileAccess, { paths, place }: GuardContext): Finding | null {
  const does = DOES[access.kind];
  if (does === undefined || access.path.startsWith(UNKNOWN)) return null;
  for (const glob of paths) {
    const pattern = absolute(glob, place);
    if (isUnknown(access)) {
      if (!isBelow(access.path, pattern)) continue;
      return { ...found(access, does, glob), decision: "ask", isUnknown: true };
    }
    if (access.tree !== undefined) {
      if (isWithin(place.project, access.path) || !holds(access.path, pattern)) continue;
      return { ...found(access, "may change", glob), decision: "ask", isUnknown: true };
    }
    if (mayMatch(access.path, pattern) || mayMatch(access.path, `${pattern}/**`)) return found(access, does, glob);
    if (access.kind === "delete" && holds(access.path, pattern))
      return { ...found(access, `${does} a folder with`, glob), rule: "delete-around" };
  }
  return null;
}

const isUnknown = ({ path }: FileAccess): boolean => path.includes(UNKNOWN);

/** True if a path with an unknown part is in a folder that the pattern names. */
function isBelow(path: string, pattern: string): boolean {
  const folder = literalFolder(pattern);
  return folder.split("/").length > 2 && literalFolder(path).startsWith(folder);
}

/** The part of a path before its first wildcard or unknown part, up to a slash. */
const literalFolder = (path: string): string => {
  const at = path.search(/[*?[{\0]/);
  return at === -1 ? path : path.slice(0, path.lastIndexOf("/", at) + 1);
};

/** True if files that the pattern means are in the folder. */
function holds(folder: string, pattern: string): boolean {
  const literal = literalFolder(pattern).replace(/\/$/, "");
  const parts = folder.split("/").length;
  const above = literal.split("/").slice(0, parts).join("/");
  return literal.split("/").length >= parts && mayMatch(folder, above);
}

function found({ source, call }: FileAccess, does: string, glob: string): Finding {
  return RULES.find("change-protected", call?.source ?? source, { effect: `${does} files that \`${glob}\` protects` });
}

function absolute(glob: string, { project, home }: GuardContext["place"]): string {
  if (/^~(?=\/|$)/.test(glob)) return home + glob.slice(1);
  if (glob.startsWith("/")) return posix.normalize(glob);
  // As in .gitignore, a name without a slash matches in every folder.
  const isName = !glob.replace(/\/$/, "").includes("/");
  return posix.normalize(`${project}/${isName ? "**/" : ""}${glob}`).replace(/\/$/, "");
}
