import { statSync } from "node:fs";
import { readOwnFile } from "../fs/permissions.ts";
import { writeFileAtomic } from "../fs/write-file.ts";
import type { Candidate, FileStamp } from "../protocol/hook.ts";
import { isObject } from "../protocol/json/unchecked.ts";

/** What hooks answered before, keyed by the exact state of their files. */
export interface IdentityCache {
  readonly get: (candidate: Candidate) => CachedAnswer | null;
  /** What the file at this path said last, whatever became of it since: for one that we may not look at any more. */
  readonly lastAnswer: (path: string) => string | null;
  readonly set: (candidate: Candidate, remembered: CachedAnswer) => void;
  /** Writes what is new. A cache that cannot be written costs time, never an answer. */
  readonly save: () => void;
}

export interface CachedAnswer {
  readonly answer: string;
  /** SHA-256 of the file that gave the answer. */
  readonly hash: string | null;
}

type Entries = Record<string, readonly [key: string, answer: string, hash: string]>;

const VERSION = 1;
/** Within this time a file can change without its times showing it. */
const SETTLING_MS = 2000;
const MOST_ENTRIES = 5000;

export const NO_IDENTITY_CACHE: IdentityCache = {
  get: () => null,
  lastAnswer: () => null,
  set: () => undefined,
  save: () => undefined,
};

export const isSettled = (candidate: Candidate, nowMs: number): boolean =>
  nowMs - Math.max(candidate.stamp.modifiedMs, candidate.stamp.changedMs) >= SETTLING_MS;

/** The cache in one file; nothing is read before the first question and nothing is written without an answer. */
export function openIdentityCache(file: string, nowMs: number): IdentityCache {
  let entries: Entries | null = null;
  let isChanged = false;
  const loaded = (): Entries => {
    entries ??= readEntries(file);
    return entries;
  };
  return {
    get: (candidate) => {
      const entry = loaded()[candidate.path];
      if (entry?.[0] !== keyOf(candidate.stamp) || !isSettled(candidate, nowMs)) return null;
      return { answer: entry[1], hash: entry[2] === "" ? null : entry[2] };
    },
    lastAnswer: (path) => loaded()[path]?.[1] ?? null,
    set: (candidate, { answer, hash }) => {
      loaded()[candidate.path] = [keyOf(candidate.stamp), answer, hash ?? ""];
      isChanged = true;
    },
    save: () => {
      if (isChanged) writeEntries(file, loaded());
    },
  };
}

const keyOf = (stamp: FileStamp): string =>
  [stamp.device, stamp.inode, stamp.size, stamp.modifiedMs, stamp.changedMs, stamp.mode].join(":");

/** For a program that asks often: the file as it was read last, and its state then. */
let lastRead: { readonly file: string; readonly state: string; readonly entries: Entries } | null = null;

function readEntries(file: string): Entries {
  const state = stateOf(file);
  if (state === null) return Object.create(null);
  if (lastRead?.file !== file || lastRead.state !== state) lastRead = { file, state, entries: entriesIn(file) };
  // A copy: what a run adds belongs to it until it is saved.
  return Object.assign(Object.create(null), lastRead.entries);
}

/** Null: there is nothing that could be read. */
function stateOf(file: string): string | null {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? null : [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(":");
  } catch {
    return null;
  }
}

function entriesIn(file: string): Entries {
  try {
    const found: unknown = JSON.parse(readOwnFile(file));
    if (!isObject(found) || found.version !== VERSION || !isObject(found.hooks)) return Object.create(null);
    const whole = Object.entries(found.hooks).filter(([, entry]) => isEntry(entry));
    return Object.assign(Object.create(null), Object.fromEntries(whole)) as Entries;
  } catch {
    return Object.create(null);
  }
}

function writeEntries(file: string, entries: Entries): void {
  const kept = Object.fromEntries(Object.entries(entries).slice(-MOST_ENTRIES));
  try {
    writeFileAtomic(file, JSON.stringify({ version: VERSION, hooks: kept }));
  } catch {
    // Read-only or full: the hooks are asked again next time.
  }
}

function isEntry(entry: unknown): boolean {
  return Array.isArray(entry) && entry.length === 3 && entry.every((part) => typeof part === "string");
}
