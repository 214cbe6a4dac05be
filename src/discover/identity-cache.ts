import { dirname } from "node:path";
import { disk, isSettled, unrepeatable } from "../fs/disk.ts";
import { takeLockOrAwait } from "../fs/lock.ts";
import { writeCacheFile } from "../fs/machine-folder.ts";
import { readOwnFile } from "../fs/permissions.ts";
import { makeFolder } from "../fs/write-file.ts";
import type { Candidate, FileStamp } from "../protocol/hook.ts";
import { isObject } from "../protocol/json/read.ts";

/** Declarations of hooks, keyed by the exact state of their files. */
export interface IdentityCache {
  readonly get: (candidate: Candidate) => CachedAnswer | null;
  /** The last declaration of the file at this path, even if the file has changed or cannot be read any more. */
  readonly lastAnswer: (path: string) => string | null;
  readonly set: (candidate: Candidate, remembered: CachedAnswer) => void;
  /**
   * Waits, at most so long, while another process identifies hooks, and then knows what it has cached. Returns how to let
   * the others go on, for after `save`.
   */
  readonly claim: (timeoutMs: number, isInterrupted: () => boolean) => Promise<() => void>;
  /** Writes new entries. A failure only costs time in the next call. */
  readonly save: () => void;
}

export interface CachedAnswer {
  readonly answer: string;
  /** SHA-256 of the file that printed the declaration. */
  readonly hash: string | null;
}

type Entry = readonly [key: string, answer: string, hash: string];
/** As they were read: each is checked when it is looked up. */
type Entries = Readonly<Record<string, unknown>>;

const VERSION = 1;
const MOST_ENTRIES = 5000;

export const NO_IDENTITY_CACHE: IdentityCache = {
  get: () => null,
  lastAnswer: () => null,
  set: () => undefined,
  claim: async () => () => undefined,
  save: () => undefined,
};

/** One cache of two: the second is for the hooks of the machine. */
export function splitCache(own: IdentityCache, machine: IdentityCache): IdentityCache {
  const cacheOf = ({ source }: Candidate): IdentityCache => (source === "machine" ? machine : own);
  return {
    ...own,
    get: (candidate) => cacheOf(candidate).get(candidate),
    set: (candidate, answer) => cacheOf(candidate).set(candidate, answer),
    save: () => {
      own.save();
      machine.save();
    },
  };
}

/** The cache in one file, which is read at the first lookup and written only if something was added. */
export function openIdentityCache(file: string, nowMs: number): IdentityCache {
  let known: Entries | null = null;
  const added = new Map<string, Entry>();
  const entryOf = (path: string): Entry | undefined => {
    known ??= readEntries(file);
    const entry = added.get(path) ?? (Object.hasOwn(known, path) ? known[path] : undefined);
    return isEntry(entry) ? entry : undefined;
  };
  return {
    get: (candidate) => {
      const entry = entryOf(candidate.path);
      if (entry?.[0] !== keyOf(candidate.stamp) || !isSettled(candidate.stamp, nowMs)) return null;
      return { answer: entry[1], hash: entry[2] === "" ? null : entry[2] };
    },
    lastAnswer: (path) => entryOf(path)?.[1] ?? null,
    set: (candidate, { answer, hash }) => void added.set(candidate.path, [keyOf(candidate.stamp), answer, hash ?? ""]),
    claim: async (timeoutMs, isInterrupted) => {
      // The next time nobody else may do it.
      unrepeatable.count++;
      const release = await claimFile(`${file}.lock`, timeoutMs, isInterrupted);
      known = null;
      return release;
    },
    save: () => {
      if (added.size > 0) writeEntries(file, [...Object.entries(readEntries(file)), ...added]);
    },
  };
}

async function claimFile(file: string, timeoutMs: number, isInterrupted: () => boolean): Promise<() => void> {
  try {
    makeFolder(dirname(file));
    const lock = await takeLockOrAwait(file, timeoutMs, isInterrupted);
    return () => lock?.release();
  } catch {
    // Read-only or full: nothing can be cached, so each process identifies the hooks itself.
    return () => undefined;
  }
}

const keyOf = (stamp: FileStamp): string =>
  [stamp.device, stamp.inode, stamp.size, stamp.modifiedMs, stamp.changedMs, stamp.mode].join(":");

/** The file as it was last read, for a program that makes many calls. */
let lastRead: { readonly file: string; readonly state: string; readonly entries: Entries } | null = null;

function readEntries(file: string): Entries {
  try {
    const stats = disk.statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return {};
    const state = [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(":");
    if (lastRead?.file !== file || lastRead.state !== state) lastRead = { file, state, entries: entriesIn(file) };
    return lastRead.entries;
  } catch {
    return {};
  }
}

function entriesIn(file: string): Entries {
  try {
    const found: unknown = JSON.parse(readOwnFile(file));
    return isObject(found) && found.version === VERSION && isObject(found.hooks) ? found.hooks : {};
  } catch {
    return {};
  }
}

function writeEntries(file: string, entries: readonly (readonly [path: string, entry: unknown])[]): void {
  const kept = Object.fromEntries(entries.filter(([, entry]) => isEntry(entry)).slice(-MOST_ENTRIES));
  try {
    writeCacheFile(file, JSON.stringify({ version: VERSION, hooks: kept }));
  } catch {
    // Read-only or full: the next call starts the hooks again.
  }
}

const isEntry = (entry: unknown): entry is Entry =>
  Array.isArray(entry) && entry.length === 3 && entry.every((part) => typeof part === "string");
