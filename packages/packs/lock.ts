import { join } from "node:path";
import { sha256Of } from "../../src/fs/hash.ts";
import { readIfPresent } from "../../src/fs/read-file.ts";
import type { PackProblem } from "../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../src/protocol/result.ts";
import { compareByBytes } from "../../src/protocol/text/text.ts";
import { checkLock, type LockedPackData } from "./lock-schema.ts";
import {
  isPackName,
  isRevision,
  type Pack,
  type PackFile,
  type Pin,
  parseSource,
  sourceText,
  type WantedPack,
} from "./pack.ts";
import { isPlainPath } from "./pack-files.ts";

/** Properties of files without their content, by path. */
export type FileMarks = ReadonlyMap<string, LockedPackData["files"][string]>;

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
  for (const [name, { source: from, revision = null, files, ...pin }] of Object.entries(data.value.packs)) {
    if (!isPackName(name)) return invalid(`"${name}" cannot be the name of a pack`);
    const file = Object.keys(files).find((key) => !isPlainPath(key));
    if (file !== undefined) return invalid(`"${file}" cannot be a file of a pack`);
    const source = parseSource(from);
    if (!source.ok) return invalid(`the source of ${name} cannot be used`);
    if (revision !== null && !isRevision(revision)) return invalid(`the revision of ${name} cannot be used`);
    if (!isPinned(source.value.kind, pin))
      return invalid(`${name} is not pinned to a commit, or to a version and its integrity`);
    packs.set(name, { source: source.value, revision, pin, files: new Map(Object.entries(files)) });
  }
  return ok(packs);
}

function isPinned(kind: LockedPack["source"]["kind"], { commit, version, integrity }: Pin): boolean {
  if (kind === "git") return commit !== undefined;
  return kind === "folder" || (version !== undefined && isRevision(version) && integrity !== undefined);
}

/** The text of a lock file. Equal locks have equal texts, in any order of adding packs. */
export function lockText(lock: Lock): string {
  const packs = inOrder(lock).map(([name, { source, revision, pin, files }]): [string, LockedPackData] => [
    name,
    {
      source: sourceText(source),
      revision: revision ?? undefined,
      ...pin,
      files: Object.fromEntries(inOrder(files)),
    },
  ]);
  return `${JSON.stringify({ version: 1, packs: Object.fromEntries(packs) }, null, 2)}\n`;
}

const inOrder = <V>(map: ReadonlyMap<string, V>): readonly (readonly [string, V])[] =>
  [...map].sort(([a], [b]) => compareByBytes(a, b));

/** The lock entry of a pack. */
export const lockedFrom = ({ source, revision, pin, files }: Pack): LockedPack => {
  return { source, revision, pin, files: marksOf(files) };
};

export const marksOf = (files: readonly PackFile[]): FileMarks =>
  new Map(files.map(({ path, bytes, isExecutable }) => [path, markOf(sha256Of(bytes), isExecutable)]));

export const markOf = (sha256: string, isExecutable: boolean): LockedPackData["files"][string] =>
  isExecutable ? { sha256, executable: true } : { sha256 };

export type FileState = "same" | "new" | "changed" | "gone";

/** Compares the files of two states of a pack, in byte order. */
export function compareFiles(
  before: FileMarks,
  now: FileMarks,
): readonly { readonly path: string; readonly state: FileState }[] {
  const paths = [...new Set([...before.keys(), ...now.keys()])].sort(compareByBytes);
  return paths.map((path) => {
    const [was, is] = [before.get(path), now.get(path)];
    if (was === undefined || is === undefined) return { path, state: was === undefined ? "new" : "gone" };
    const isSame = was.sha256 === is.sha256 && was.executable === is.executable;
    return { path, state: isSame ? "same" : "changed" };
  });
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
