import { rmdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Scopes } from "../../../src/discover/scopes.ts";
import type { UserPaths } from "../../../src/engine/user-paths.ts";
import { MACHINE_CACHE } from "../../../src/fs/machine-folder.ts";
import { isInside, pathExists, realPathOrSame } from "../../../src/fs/paths.ts";
import { readIfPresent } from "../../../src/fs/read-file.ts";
import { readJson } from "../../../src/protocol/json/read.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { MADE } from "../../cage/index.ts";
import { HOOKCTL_FILE } from "../own-program.ts";

/** A folder in which only hookctl writes. */
export interface OwnFolder {
  readonly path: string;
  readonly about: string;
  /** The empty folders that remain above it and were made with it, the innermost first. */
  readonly parents: readonly string[];
}

/** The folders of a user in which only hookctl writes. */
export function ownFolders({ homeDir }: Scopes, { auditFile, cacheDir }: UserPaths): readonly OwnFolder[] {
  const all = [
    { path: homeDir === null ? null : join(homeDir, ".kodelet", "resident"), about: "sockets of its servers" },
    {
      path: auditFile === null ? null : dirname(auditFile),
      about: "approvals, logs, sessions, pauses, the cage, and copies of your files",
    },
    { path: cacheDir, about: "its cache" },
  ];
  return all.flatMap(({ path, about }) =>
    path !== null && pathExists(path) ? [{ path, about, parents: madeWith(path, homeDir ?? path) }] : [],
  );
}

/** The folder of what root has parsed for everybody. */
export const machineFolders = (): readonly OwnFolder[] =>
  pathExists(MACHINE_CACHE) ? [{ path: MACHINE_CACHE, about: "its cache for all users", parents: [] }] : [];

/** The folders that the cage has made for calls. Those that are empty go. */
export function foldersOfCage({ auditFile }: UserPaths): readonly string[] {
  const read = auditFile === null ? null : readIfPresent(join(dirname(auditFile), "cage", MADE));
  const lines = read?.ok === true ? (read.value?.toString("utf8") ?? "").split("\n") : [];
  return lines.flatMap((line) => {
    const value = readJson(line, 1);
    const path: unknown = value.ok ? JSON.parse(value.value.raw) : null;
    return typeof path === "string" ? [path] : [];
  });
}

const AT_ONCE_MS = 1_000;

/** The folders above a folder, inside HOME, that were made in the same moment: nobody has needed them before. */
function madeWith(path: string, home: string): readonly string[] {
  const parent = dirname(path);
  if (parent === home || !isInside(home, parent)) return [];
  const [made, above] = [path, parent].map((folder) => statSync(folder).birthtimeMs);
  // A file system that does not record the time has zero.
  const isSame = made !== undefined && above !== undefined && above > 0 && Math.abs(made - above) < AT_ONCE_MS;
  return isSame ? [parent, ...madeWith(parent, home)] : [];
}

/** Removes the folders that are empty, the innermost first. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of [...new Set(folders)].toSorted((one, other) => other.length - one.length)) {
    try {
      rmdirSync(folder);
    } catch {
      // It contains files of others, or is gone.
    }
  }
}

/** Lock files of package managers, and how each removes a dependency of a project. */
const MANAGERS: readonly (readonly [lock: string, command: string])[] = [
  ["pnpm-lock.yaml", "pnpm remove hookctl"],
  ["yarn.lock", "yarn remove hookctl"],
  ["bun.lock", "bun remove hookctl"],
  ["bun.lockb", "bun remove hookctl"],
  ["", "npm uninstall hookctl"],
];

/** Parts of the paths of global installations. */
const GLOBAL: readonly (readonly [part: RegExp, command: string])[] = [
  [/\/pnpm\/(?:global\/|.*\/global\/)/, "pnpm remove --global hookctl"],
  [/\/\.bun\/install\/global\//, "bun remove --global hookctl"],
  [/\/yarn\/global\//, "yarn global remove hookctl"],
];

/** The command that removes this program; null if no package manager installed it. */
export function removalCommand(file = HOOKCTL_FILE, node = process.execPath): string | null {
  const path = realPathOrSame(file);
  const linked = join(dirname(dirname(realPathOrSame(node))), "lib", "node_modules", "hookctl", "bin", "hookctl.js");
  if (linked !== path && realPathOrSame(linked) === path) return "npm uninstall --global hookctl";
  const [folder = "", ...inside] = path.split("/node_modules/");
  if (inside.length === 0 || folder.includes("/_npx/")) return null;
  const global = GLOBAL.find(([part]) => part.test(path));
  if (global !== undefined) return global[1];
  if (pathExists(join(folder, "package.json"))) {
    const manager = MANAGERS.find(([lock]) => pathExists(join(folder, lock)));
    return `cd ${shellQuote(folder)} && ${manager?.[1]}`;
  }
  const prefix = folder.replace(/\/lib$/, "");
  const isDefault = prefix === dirname(dirname(realPathOrSame(node)));
  return `npm uninstall --global hookctl${isDefault ? "" : ` --prefix ${shellQuote(prefix)}`}`;
}
