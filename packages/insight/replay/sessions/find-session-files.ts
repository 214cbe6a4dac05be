import { join } from "node:path";
import fastGlob from "fast-glob";
import { absoluteFolder } from "../../../../src/engine/user-paths.ts";
import type { SessionPlace } from "../../../agents/transcripts/transcript.ts";

/** A file of an agent's own sessions. */
export interface SessionFile {
  readonly path: string;
  readonly modifiedMs: number;
  /** A file that may name the project folder; null if the lines of the session name it. */
  readonly projectFile: string | null;
}

const MOST_FILES = 200_000;
const DEEPEST = 8;

/** The session files below a folder, without links. Unreadable folders are skipped. */
export function findSessionFiles(
  { variable, folder, path, projectFile }: SessionPlace,
  env: Readonly<Record<string, string | undefined>>,
): readonly SessionFile[] {
  const home = absoluteFolder(env, "HOME");
  const chosen = variable === null ? null : absoluteFolder(env, variable);
  const root = chosen ?? (home === null ? null : join(home, folder));
  if (root === null) return [];
  const found = fastGlob.sync(path.join("/"), {
    cwd: root,
    deep: DEEPEST,
    dot: true,
    followSymbolicLinks: false,
    suppressErrors: true,
    stats: true,
  });
  // The folder of one project is the one that `*` matches.
  const depth = path.indexOf("*") + 1;
  return found
    .slice(0, MOST_FILES)
    .map((entry) => ({
      path: join(root, entry.path),
      modifiedMs: entry.stats?.mtimeMs ?? 0,
      projectFile: projectFile === undefined ? null : join(root, ...entry.path.split("/").slice(0, depth), projectFile),
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}
