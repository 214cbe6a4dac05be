import { dirname, join } from "node:path";
import { disk } from "../../src/fs/disk.ts";
import { mainCheckoutOf } from "../../src/fs/git.ts";
import { entryNames, isInside, isRealFolder, isRegularFile, pathExists } from "../../src/fs/paths.ts";

/** What in a project starts programs outside the cage, so that no call may write or create it. */
export interface Closed {
  readonly paths: readonly string[];
  /** Git folders of the project, those of submodules included. */
  readonly repositories: readonly string[];
  /** Files that git replaces as a whole, or removes with a worktree, so that they cannot be mounted. */
  readonly gitFiles: readonly string[];
}

/** An agent, an editor or git may be started in each of these folders; `names` are relative to one. */
export function closedIn(folders: readonly string[], names: readonly string[]): Closed {
  const repositories = [...new Set(folders.flatMap((folder) => repositoryOf(folder) ?? []))].flatMap(withSubmodules);
  const worktrees = repositories.flatMap((folder) =>
    entryNames(join(folder, "worktrees")).map((name) => join(folder, "worktrees", name)),
  );
  return {
    paths: [
      ...folders.flatMap((folder) => names.map((name) => join(folder, name))),
      ...folders.map((folder) => join(folder, ".git")).filter(isRegularFile),
      ...repositories.flatMap((folder) => [join(folder, "hooks"), join(folder, "commondir")]),
    ],
    repositories,
    gitFiles: [
      ...repositories.map((folder) => join(folder, "config")),
      ...[...repositories, ...worktrees].map((folder) => join(folder, "config.worktree")),
      ...worktrees.map((folder) => join(folder, "commondir")),
    ],
  };
}

/** The git folder of a folder, or of the main checkout of a linked worktree; null if it has none. */
function repositoryOf(folder: string): string | null {
  const own = join(folder, ".git");
  if (isRealFolder(own)) return own;
  const main = isRegularFile(own) ? mainCheckoutOf(folder) : null;
  return main === null ? null : join(main, ".git");
}

function withSubmodules(repository: string): readonly string[] {
  const below = (folder: string): readonly string[] =>
    entryNames(folder).flatMap((name) => {
      const path = join(folder, name);
      if (!isRealFolder(path)) return [];
      return pathExists(join(path, "HEAD")) ? withSubmodules(path) : below(path);
    });
  return [repository, ...below(join(repository, "modules"))];
}

const MOST_DEPTH = 3;
const MOST_FOLDERS = 2000;

/**
 * The project, the folders above the call in it, and those below the project that have a repository or a closed path
 * already. What a call creates in another folder is its own. Neither hidden folders nor installed packages are searched.
 */
export function startFolders(project: string, above: readonly string[], names: readonly string[]): readonly string[] {
  const marks = new Set([".git", ...names.map((name) => name.split("/")[0] ?? name)]);
  const found = new Set([project, ...above.filter((folder) => isInside(project, folder))]);
  const waiting = [{ folder: project, depth: 0 }];
  for (let seen = 0; seen < MOST_FOLDERS; seen++) {
    const next = waiting.shift();
    if (next === undefined) break;
    for (const entry of entriesOf(next.folder)) {
      if (marks.has(entry.name)) found.add(next.folder);
      const isSearched = entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules";
      if (isSearched && next.depth < MOST_DEPTH)
        waiting.push({ folder: join(next.folder, entry.name), depth: next.depth + 1 });
    }
  }
  return [...found];
}

function entriesOf(folder: string) {
  try {
    return disk.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The folders from the project to a path, the path included. */
export const stepsTo = (project: string, path: string): readonly string[] =>
  path === project || dirname(path) === path ? [] : [...stepsTo(project, dirname(path)), path];
