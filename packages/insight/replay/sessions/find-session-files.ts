import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { absoluteFolder } from "../../../../src/engine/user-paths.ts";
import { globMatches } from "../../../../src/protocol/match.ts";
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
  const found: SessionFile[] = [];
  const take = (file: string, top: string): void => {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats?.isFile() !== true || found.length >= MOST_FILES) return;
    const named = projectFile === undefined ? null : join(top, projectFile);
    found.push({ path: file, modifiedMs: stats.mtimeMs, projectFile: named });
  };
  walk({ folder: root, top: root, names: path, depth: 0 }, take);
  return found;
}

interface Step {
  readonly folder: string;
  /** The folder that the first `*` matches: that of one project. */
  readonly top: string;
  readonly names: readonly string[];
  readonly depth: number;
}

function walk({ folder, top, names, depth }: Step, take: (file: string, top: string) => void): void {
  const [name = "", ...rest] = names;
  if (depth > DEEPEST) return;
  if (name === "**") walk({ folder, top, names: rest, depth }, take);
  for (const entry of entriesOf(folder)) {
    const isFit = name === "**" || globMatches(name, entry.name);
    if (!isFit) continue;
    const at = join(folder, entry.name);
    const below = { folder: at, top: name === "*" ? at : top, names: name === "**" ? names : rest, depth: depth + 1 };
    if (entry.isDirectory() && (name === "**" || rest.length > 0)) walk(below, take);
    if (entry.isFile() && name !== "**" && rest.length === 0) take(at, top);
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
