import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import type { Scopes } from "../../../src/discover/scopes.ts";
import { isSurelyMissing, pathExists, realPathOrSame } from "../../../src/fs/paths.ts";
import { whyNotWritable } from "../../../src/fs/write-check.ts";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";
import type { LeftFile } from "../report/uninstall-all-text.ts";
import { agentSettingsFiles } from "./agent-files.ts";

/** Where files that hookctl writes are in a project. */
const placesInProject = (): readonly string[] => [
  ...AGENT_NAMES.flatMap((agent) =>
    (["project", "local"] as const).flatMap((scope) =>
      agentSettingsFiles({ agent, scope }, { projectDir: "", homeDir: null }, {}),
    ),
  ),
  ...["json", "yaml", "yml"].map((ending) => `.kodelet/hooks.${ending}`),
];

/** What hookctl has written outside of this call's own folders. */
interface Elsewhere {
  readonly projects: readonly Scopes[];
  /** Files that cannot be undone. */
  readonly left: readonly LeftFile[];
  /** True if one of them can be undone later, with what hookctl has noted. */
  readonly isNeeded: boolean;
}

/** Sorts files that hookctl has written into the projects in which they can be undone, and those that have to stay. */
export function findElsewhere(files: readonly string[], scopes: Scopes, userId: number): Elsewhere {
  const own = [scopes.hasProject ? scopes.projectDir : null, scopes.homeDir]
    .filter((folder) => folder !== null)
    .map(realPathOrSame);
  const found = files.map((file) => {
    const folder = projectOf(file);
    return { file, folder, why: whyLeft(file, folder, userId) };
  });
  const usable = found.flatMap(({ folder, why }) => (folder === null || why !== null ? [] : [folder]));
  const folders = [...new Map(usable.map((folder) => [realPathOrSame(folder), folder])).entries()];
  const left = found.flatMap(({ file, why }) => (why === null ? [] : [{ path: file, why, fix: null }]));
  return {
    projects: folders.flatMap(([real, projectDir]) =>
      own.includes(real) ? [] : [{ ...scopes, projectDir, rootDir: projectDir, hasProject: true }],
    ),
    left,
    isNeeded: left.some(({ path }) => !isSurelyMissing(path)),
  };
}

/** The project that a file of an agent, or hookctl's settings, would be of; null for a file at another place. */
export function projectOf(file: string): string | null {
  const place = placesInProject().find((path) => file.endsWith(`/${path}`));
  return place === undefined ? null : file.slice(0, -place.length - 1);
}

function whyLeft(file: string, folder: string | null, userId: number): string | null {
  if (folder === null) return "it is neither in a project nor where its agent looks in this environment";
  if (isSurelyMissing(folder)) return "its project is gone";
  return whyNotChangeable(file, userId);
}

/** Why a user cannot change a file of another project; null if that is possible. */
export function whyNotChangeable(file: string, userId: number): string | null {
  const why = whyNotWritable({ kind: "user", userId }, file);
  // A file that is gone needs no undo.
  if (why !== null || !pathExists(file)) return why;
  try {
    accessSync(dirname(realPathOrSame(file)), constants.W_OK);
    return null;
  } catch {
    return "its folder cannot be written";
  }
}
