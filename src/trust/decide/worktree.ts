import { existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

/**
 * The folder in the main checkout that stands for this one, when this is a linked git worktree; null otherwise. Git's
 * files are read as text and git is never started. A worktree claims its repository in a file that anybody could
 * write, so the claim counts only when the repository's own side names this worktree (SPEC 4).
 */
export function mainCheckoutOf(projectDir: string): string | null {
  const root = gitRootOf(projectDir);
  if (root === null) return null;
  const claimed = /^gitdir: (.+)$/m.exec(textOf(join(root, ".git")))?.[1];
  if (claimed === undefined) return null;
  const own = realOrNull(resolve(root, claimed));
  const common = own === null ? null : realOrNull(resolve(own, textOf(join(own, "commondir")).trim() || "nowhere"));
  if (own === null || common === null || basename(common) !== ".git") return null;
  if (dirname(own) !== join(common, "worktrees")) return null;
  const back = textOf(join(own, "gitdir")).trim();
  if (back === "" || realOrNull(resolve(own, back)) !== realOrNull(join(root, ".git"))) return null;
  return join(dirname(common), relative(root, projectDir));
}

function gitRootOf(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return isFile(join(at, ".git")) ? at : null;
    if (at === dirname(at)) return null;
  }
}

/** A link does not count: it could lead to the claim of a true worktree. */
function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch {
    return false;
  }
}

function textOf(path: string): string {
  try {
    return isFile(path) ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}

function realOrNull(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
