import { constants, type Stats } from "node:fs";
import { dirname } from "node:path";
import { disk } from "../../../src/fs/disk.ts";
import {
  type FileRead,
  isReliable,
  isSame,
  isStats,
  isUnchanged,
  lastingErrno,
  type ReadKind,
  type ReadResult,
  readNow,
  realDisk,
  resultOf,
} from "./file-reads.ts";

/** Above this limit nothing is cached: re-validating it would cost as much as computing it. */
const MOST_READS = 5000;
/** The number of reads after the first work: each session adds some. */
const MOST_LATER = 100;

/**
 * Records every file-system read made while a value is computed. The value is valid as long as all reads give the same
 * result. For this, the functions of `disk` are replaced by functions that report each read to the active recordings.
 */
export class RecordedReads {
  readonly #nowMs: () => number;
  /** Each read by kind and path. */
  readonly #reads = new Map<string, FileRead>();
  /** The reads that are repeated to validate the value. */
  readonly #repeated: FileRead[] = [];
  /**
   * Reads that found nothing, by the folder that lacks their names. Most files of settings and hooks do not exist, so the
   * stats of the folder are compared instead: they change when a name is added.
   */
  readonly #missing = new Map<string, MissingNames>();
  #isValid = true;
  #mostReads = MOST_READS;
  #activeWork = 0;

  constructor(nowMs: () => number) {
    installRecorders();
    this.#nowMs = nowMs;
  }

  /** Records every read until the work is done; also reads of other work at that time, which only makes it stricter. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#activeWork++;
    active.add(this);
    try {
      return await work();
    } finally {
      this.#mostReads = Math.min(this.#mostReads, this.#reads.size + MOST_LATER);
      if (--this.#activeWork === 0) active.delete(this);
    }
  }

  /** True if every read gives the same result now. */
  areUnchanged(): boolean {
    const areMissing = () => [...this.#missing].every(([folder, missing]) => this.#areStillMissing(folder, missing));
    return this.#isValid && this.#repeated.every(isUnchanged) && areMissing();
  }

  add(kind: ReadKind, path: string, result: ReadResult): void {
    if (!this.#isValid) return;
    const key = `${kind} ${path}`;
    const before = this.#reads.get(key);
    const isNew = before === undefined;
    const canRepeat = isNew
      ? this.#reads.size < this.#mostReads && isReliable(kind, result, this.#nowMs())
      : isSame(kind, before.result, result);
    if (!canRepeat) this.invalidate();
    if (!canRepeat || !isNew) return;
    const read = { kind, path, result };
    this.#reads.set(key, read);
    if (kind === "real" && result === `to ${path}`) this.#addWithoutLinks(path);
    else this.#repeat(read);
  }

  /** For a read that cannot be repeated. */
  invalidate(): void {
    this.#isValid = false;
    this.#reads.clear();
    this.#repeated.length = 0;
    this.#missing.clear();
  }

  /** A path is real if no part of it is a link: the parts are shared with other paths, and lstat is faster. */
  #addWithoutLinks(path: string): void {
    const stats = readNow("lstat", path);
    if (!isStats(stats) || stats.isSymbolicLink()) this.invalidate();
    else this.add("lstat", path, stats);
    if (path !== dirname(path)) this.#addWithoutLinks(dirname(path));
  }

  #repeat(read: FileRead): void {
    const isMissing = read.result === "ENOENT" || read.result === false;
    const lacking = isMissing ? folderLacking(read.path) : null;
    if (lacking === null) {
      this.#repeated.push(read);
      return;
    }
    const { folder, stats } = lacking;
    const known = this.#missing.get(folder);
    if (known !== undefined) known.reads.push(read);
    else this.#missing.set(folder, { reads: [read], stats: this.#isReliableFolder(stats) ? stats : null });
  }

  #areStillMissing(folder: string, { reads, stats }: MissingNames): boolean {
    if (reads.length === 1) return reads.every(isUnchanged);
    const now = readNow("names", folder);
    if (isSame("names", stats, now)) return true;
    if (!reads.every(isUnchanged)) return false;
    if (isStats(now) && this.#isReliableFolder(now)) {
      // Other names were added to the folder. From now on its new stats stand for the missing names.
      this.#missing.delete(folder);
      for (const read of reads) this.#repeat(read);
    }
    return true;
  }

  #isReliableFolder(stats: Stats): boolean {
    return isReliable("names", stats, this.#nowMs());
  }
}

interface MissingNames {
  readonly reads: FileRead[];
  /** Stats of the folder before the first lookup in it; null if its mtime cannot be trusted. */
  readonly stats: Stats | null;
}

/**
 * The folder that lacks a part of this path, with its stats from right before the lookup; null if no part is missing, such
 * as for a broken link.
 */
function folderLacking(path: string): { readonly folder: string; readonly stats: Stats } | null {
  const folder = dirname(path);
  const stats = readNow("names", folder);
  if (stats === "ENOENT" && folder !== path) return folderLacking(folder);
  return isStats(stats) && stats.isDirectory() && readNow("lstat", path) === "ENOENT" ? { folder, stats } : null;
}

const active = new Set<RecordedReads>();

function installRecorders(): void {
  if (disk.statSync !== realDisk.statSync) return;
  Object.assign(disk, {
    existsSync: recordingResult(realDisk.existsSync, "exists"),
    lstatSync: recordingResult(realDisk.lstatSync, "lstat"),
    readlinkSync: recordingResult(realDisk.readlinkSync, "link"),
    realpathSync: recordingResult(realDisk.realpathSync, "real"),
    statSync: recordingResult(realDisk.statSync, "stat"),
    accessSync: recordingBefore(realDisk.accessSync, (mode) => (mode === constants.X_OK ? "program" : null)),
    openSync: recordingBefore(realDisk.openSync, (flags) => (followsNoLink(flags) ? "lstat" : "stat")),
    readdirSync: recordingBefore(realDisk.readdirSync, () => "names"),
    readFileSync: recordingBefore(realDisk.readFileSync, () => "stat"),
    readSync: recordingBefore(realDisk.readSync, () => "stat"),
  } satisfies typeof disk);
}

const followsNoLink = (flags: unknown): boolean => typeof flags === "number" && (flags & constants.O_NOFOLLOW) !== 0;

type DiskFunction = (...args: never[]) => unknown;

/** Records the result of the function itself. */
function recordingResult<F extends DiskFunction>(reading: F, kind: ReadKind): F {
  return new Proxy(reading, {
    apply: (target, self, args: unknown[]) => {
      let result: ReadResult | null = null;
      try {
        const value: unknown = Reflect.apply(target, self, args);
        result = resultOf(value);
        return value;
      } catch (error) {
        result = lastingErrno(error);
        throw error;
      } finally {
        record(kind, args[0], () => result);
      }
    },
  });
}

/**
 * Records stats before a function that reads content: a change in between is then a difference. `kindOf` gets the second
 * argument, and returns null if no kind of read covers the call.
 */
function recordingBefore<F extends DiskFunction>(reading: F, kindOf: (how: unknown) => ReadKind | null): F {
  return new Proxy(reading, {
    apply: (target, self, args: unknown[]) => {
      const [path, how] = args;
      // A descriptor was recorded when its file was opened.
      if (typeof path !== "number") record(kindOf(how), path, readNow);
      try {
        return Reflect.apply(target, self, args);
      } catch (error) {
        if (lastingErrno(error) === null) for (const recording of active) recording.invalidate();
        throw error;
      }
    },
  });
}

/** Adds a read to all active recordings, which are no longer valid if it cannot be repeated. */
function record(kind: ReadKind | null, path: unknown, read: typeof readNow): void {
  if (active.size === 0) return;
  const isKnown = kind !== null && typeof path === "string";
  const result = isKnown ? read(kind, path) : null;
  for (const recording of active) {
    if (isKnown && result !== null) recording.add(kind, path, result);
    else recording.invalidate();
  }
}
