import { join } from "node:path";
import { checkLock, type LockData, type LockedPackData } from "../../src/config/schema/config-schema.ts";
import { sha256Of } from "../../src/fs/hash.ts";
import { readIfPresent } from "../../src/fs/read-file.ts";
import type { PackProblem } from "../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../src/protocol/result.ts";
import { compareByBytes } from "../../src/protocol/text/text.ts";
import {
  isPackName,
  isRevision,
  type Pack,
  type PackFile,
  type PackSource,
  type Pin,
  parseSource,
  sourceText,
  type WantedPack,
} from "./pack.ts";
import { isPlainPath } from "./pack-files.ts";

/** Properties of a file without its content. */
export interface FileMark {
  readonly sha256: string;
  readonly isExecutable: boolean;
}

export type FileMarks = ReadonlyMap<string, FileMark>;

/** A pack as the lock file pins it. */
export interface LockedPack extends WantedPack {
  readonly pin: Pin;
  readonly files: FileMarks;
}

/** The packs of a lock file by name. */
export type Lock = ReadonlyMap<string, LockedPack>;

/** Reads the text of a lock file. It comes with a clone, so everything in it is checked. */
export function parseLock(text: string, path: string): Result<Lock, PackProblem> {
  const invalid = (detail: string): Result<never, PackProblem> => fail({ code: "PACK_LOCK_INVALID", path, detail });
  const data = checkLock(text);
  if (!data.ok) return invalid(data.error);
  const packs = new Map<string, LockedPack>();
  for (const [name, one] of Object.entries(data.value.packs)) {
    if (!isPackName(name)) return invalid(`"${name}" cannot be the name of a pack`);
    const file = Object.keys(one.files).find((key) => !isPlainPath(key));
    if (file !== undefined) return invalid(`"${file}" cannot be a file of a pack`);
    const source = parseSource(one.source);
    if (!source.ok) return invalid(`the source of ${name} cannot be used`);
    if (one.revision !== undefined && !isRevision(one.revision))
      return invalid(`the revision of ${name} cannot be used`);
    if (!isPinned(source.value, one))
      return invalid(`${name} is not pinned to a commit, or to a version and its integrity`);
    packs.set(name, lockedPack(source.value, one));
  }
  return ok(packs);
}

function isPinned({ kind }: PackSource, { commit, version, integrity }: LockedPackData): boolean {
  if (kind === "folder") return true;
  return kind === "git"
    ? commit !== undefined
    : version !== undefined && isRevision(version) && integrity !== undefined;
}

function lockedPack(source: PackSource, { revision, files, ...data }: LockedPackData): LockedPack {
  const marks = Object.entries(files).map(([path, mark]): [string, FileMark] => [
    path,
    { sha256: mark.sha256, isExecutable: mark.executable === true },
  ]);
  return { source, revision: revision ?? null, pin: pinOf(data), files: new Map(marks) };
}

const pinOf = ({ commit, version, integrity }: Omit<LockedPackData, "files">): Pin => ({
  ...(commit === undefined ? {} : { commit }),
  ...(version === undefined ? {} : { version }),
  ...(integrity === undefined ? {} : { integrity }),
});

/** The text of a lock file. Equal locks have equal texts, in any order of adding packs. */
export function lockText(lock: Lock): string {
  const packs = inOrder(lock).map(([name, one]): [string, LockedPackData] => [name, packData(one)]);
  const data: LockData = { version: 1, packs: Object.fromEntries(packs) };
  return `${JSON.stringify(data, null, 2)}\n`;
}

function packData({ source, revision, pin, files }: LockedPack): LockedPackData {
  const marks = inOrder(files).map(([path, { sha256, isExecutable }]): [string, LockedPackData["files"][string]] => [
    path,
    isExecutable ? { sha256, executable: true } : { sha256 },
  ]);
  return {
    source: sourceText(source),
    ...(revision === null ? {} : { revision }),
    ...pin,
    files: Object.fromEntries(marks),
  };
}

const inOrder = <V>(map: ReadonlyMap<string, V>): readonly (readonly [string, V])[] =>
  [...map].sort(([a], [b]) => compareByBytes(a, b));

/** The lock entry of a pack. */
export const lockedFrom = ({ source, revision, pin, files }: Pack): LockedPack => {
  return { source, revision, pin, files: marksOf(files) };
};

export const marksOf = (files: readonly PackFile[]): FileMarks =>
  new Map(files.map(({ path, bytes, isExecutable }) => [path, { sha256: sha256Of(bytes), isExecutable }]));

export type FileState = "same" | "new" | "changed" | "gone";

/** Compares the files of two states of a pack, in byte order. */
export function compareFiles(
  before: FileMarks,
  now: FileMarks,
): readonly { readonly path: string; readonly state: FileState }[] {
  const paths = [...new Set([...before.keys(), ...now.keys()])].sort(compareByBytes);
  return paths.map((path) => ({ path, state: stateOf(before.get(path), now.get(path)) }));
}

function stateOf(before: FileMark | undefined, now: FileMark | undefined): FileState {
  if (before === undefined) return "new";
  if (now === undefined) return "gone";
  return before.sha256 === now.sha256 && before.isExecutable === now.isExecutable ? "same" : "changed";
}

export const lockFileIn = (root: string): string => join(root, ".kodelet", "hooks.lock");

const MOST_BYTES = 16 * 1024 * 1024;

/** The packs of a project or of the user; none without a lock file. */
export function readLockFile(root: string): Result<Lock, PackProblem> {
  const path = lockFileIn(root);
  const read = readIfPresent(path);
  if (!read.ok) return fail({ code: "PACK_LOCK_INVALID", path, detail: read.error });
  if (read.value === null) return ok(new Map());
  if (read.value.length > MOST_BYTES) return fail({ code: "PACK_LOCK_INVALID", path, detail: "it is too large" });
  return parseLock(read.value.toString("utf8"), path);
}
