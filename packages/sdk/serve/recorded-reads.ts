import { constants, type Stats } from "node:fs";
import { dirname } from "node:path";
import { disk, isSettled } from "../../../src/fs/disk.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";

/** Records every file-system read made while a value is computed. The value is valid as long as all reads give the same result. */
export interface RecordedReads {
  /** Records every read until the work is done; also reads of other work at that time, which only makes it stricter. */
  readonly during: <T>(work: () => Promise<T>) => Promise<T>;
  /** True if every read gives the same result now. */
  readonly areUnchanged: () => boolean;
}

/** The result of a read: stats, text, a yes or no, or the errno. Null if it may differ the next time without a change. */
type Found = Stats | string | boolean | null;

interface Read {
  readonly kind: Kind;
  readonly path: string;
  readonly found: NonNullable<Found>;
}

/** Reads that found nothing because a folder lacks their names: its mtime changes when the first of them is created. */
interface MissingNames {
  readonly reads: Read[];
  /** Stats of the folder before the first lookup in it; null if its mtime cannot be trusted. */
  readonly stats: Stats | null;
}

/** Above this limit nothing is cached: re-validating it would cost as much as computing it. */
const MOST_READS = 5000;
/** The number of reads after the first work: each session adds some. */
const MOST_LATER = 100;

const real = { ...disk };
const active = new Set<Recording>();

export function recordReads(nowMs: () => number): RecordedReads {
  installRecorders();
  const recording = new Recording(nowMs);
  return {
    during: async (work) => {
      const leave = recording.join();
      try {
        return await work();
      } finally {
        leave();
      }
    },
    areUnchanged: () => recording.areUnchanged(),
  };
}

class Recording {
  readonly #nowMs: () => number;
  readonly #found = new Map<string, Read>();
  /** The reads that are repeated to validate the value: one of them can stand for several. */
  readonly #repeated = new Map<string, Read>();
  /** By folder. Most files of settings and hooks do not exist, and many of them would be in the same folder. */
  readonly #missing = new Map<string, MissingNames>();
  #isValid = true;
  #most = MOST_READS;
  #joined = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  join(): () => void {
    this.#joined++;
    active.add(this);
    return () => {
      this.#most = Math.min(this.#most, this.#found.size + MOST_LATER);
      if (--this.#joined === 0) active.delete(this);
    };
  }

  add(kind: Kind, path: string, found: NonNullable<Found>): void {
    if (!this.#isValid) return;
    const key = `${kind} ${path}`;
    const before = this.#found.get(key);
    if (before === undefined && this.#found.size < this.#most && this.#isReliable(kind, found)) {
      const read = { kind, path, found };
      this.#found.set(key, read);
      if (kind === "real" && found === `to ${path}`) this.#addWithoutLinks(path);
      else this.#addRepeated(read);
    } else if (before === undefined || !isSame(kind, before.found, found)) this.invalidate();
  }

  /** For a result that no read can repeat. */
  invalidate(): void {
    this.#isValid = false;
    this.#found.clear();
    this.#repeated.clear();
    this.#missing.clear();
  }

  areUnchanged(): boolean {
    if (!this.#isValid) return false;
    return (
      [...this.#repeated.values()].every(givesSame) &&
      [...this.#missing].every(([folder, missing]) => this.#areMissing(folder, missing))
    );
  }

  /** A path is real if no part of it is a link: the parts are shared with other paths, and lstat is faster. */
  #addWithoutLinks(path: string): void {
    const found = readNow("lstat", path);
    if (!isStats(found) || found.isSymbolicLink()) this.invalidate();
    else this.add("lstat", path, found);
    if (path !== dirname(path)) this.#addWithoutLinks(dirname(path));
  }

  #addRepeated(read: Read): void {
    const { kind, path, found } = read;
    const lacking = found === "ENOENT" || found === false ? folderLacking(path) : null;
    if (lacking === null) {
      // A file with stats exists.
      if (isStats(found) && !found.isSymbolicLink()) this.#repeated.delete(`exists ${path}`);
      if (kind !== "exists" || !this.#hasStats(path)) this.#repeated.set(`${kind} ${path}`, read);
      return;
    }
    const { folder, stats } = lacking;
    const known = this.#missing.get(folder);
    if (known !== undefined) known.reads.push(read);
    else this.#missing.set(folder, { reads: [read], stats: this.#isReliable("names", stats) ? stats : null });
  }

  #hasStats(path: string): boolean {
    const [stat, lstat] = [this.#found.get(`stat ${path}`)?.found, this.#found.get(`lstat ${path}`)?.found];
    return isStats(stat) || (isStats(lstat) && !lstat.isSymbolicLink());
  }

  #areMissing(folder: string, { reads, stats }: MissingNames): boolean {
    if (reads.length === 1) return reads.every(givesSame);
    const now = readNow("names", folder);
    if (isSame("names", stats, now)) return true;
    if (!reads.every(givesSame)) return false;
    if (isStats(now) && this.#isReliable("names", now)) {
      // The folder got other names, and its present mtime covers the missing names again.
      this.#missing.delete(folder);
      for (const read of reads) this.#addRepeated(read);
    }
    return true;
  }

  #isReliable(kind: Kind, found: NonNullable<Found>): boolean {
    if (!isStats(found) || !comparesTimes(kind, found)) return true;
    const times = { modifiedMs: found.mtimeMs, changedMs: found.ctimeMs };
    return isSettled(times, this.#nowMs()) && !volatileDevices().has(found.dev);
  }
}

const givesSame = ({ kind, path, found }: Read): boolean => isSame(kind, found, readNow(kind, path));

/**
 * The folder that lacks a part of this path, with its stats from right before the lookup. Null if no part is missing, such
 * as for a broken link.
 */
function folderLacking(path: string): { readonly folder: string; readonly stats: Stats } | null {
  const folder = dirname(path);
  const stats = readNow("names", folder);
  if (stats === "ENOENT" && folder !== path) return folderLacking(folder);
  return isStats(stats) && stats.isDirectory() && readNow("lstat", path) === "ENOENT" ? { folder, stats } : null;
}

const isStats = (found: unknown): found is Stats =>
  typeof found === "object" && found !== null && "ctimeMs" in found && typeof found.ctimeMs === "number";

/** A folder's mtime changes only when entries are added or removed. */
const comparesTimes = (kind: Kind, found: Stats): boolean => kind === "names" || !found.isDirectory();

function isSame(kind: Kind, before: Found, now: Found): boolean {
  if (!isStats(before) || !isStats(now)) return before === now && now !== null;
  return isSameEntry(before, now) && (!comparesTimes(kind, before) || isSameContent(before, now));
}

const isSameEntry = (one: Stats, other: Stats): boolean =>
  one.ino === other.ino &&
  one.dev === other.dev &&
  one.mode === other.mode &&
  one.uid === other.uid &&
  one.gid === other.gid;

const isSameContent = (one: Stats, other: Stats): boolean =>
  one.ctimeMs === other.ctimeMs && one.mtimeMs === other.mtimeMs && one.size === other.size;

/** Files of these devices change without a new mtime. */
let volatile: ReadonlySet<number> | null = null;
function volatileDevices(): ReadonlySet<number> {
  volatile ??= new Set(["/proc", "/sys"].flatMap((path) => real.statSync(path, { throwIfNoEntry: false })?.dev ?? []));
  return volatile;
}

/** How each kind of read is made. */
const READS = {
  exists: (path) => real.existsSync(path),
  stat: (path) => real.statSync(path, { throwIfNoEntry: false }),
  lstat: (path) => real.lstatSync(path, { throwIfNoEntry: false }),
  names: (path) => real.statSync(path, { throwIfNoEntry: false }),
  link: (path) => real.readlinkSync(path),
  real: (path) => real.realpathSync(path),
  program: (path) => {
    real.accessSync(path, constants.X_OK);
    return true;
  },
} as const satisfies Readonly<Record<string, (path: string) => Stats | string | boolean | undefined>>;

type Kind = keyof typeof READS;

function readNow(kind: Kind, path: string): Found {
  try {
    return foundIn(READS[kind](path));
  } catch (error) {
    return foundBy(error);
  }
}

/** The result of a call that returned; undefined stands for a missing file. */
function foundIn(value: unknown): Found {
  if (value === undefined) return "ENOENT";
  // A link may lead to a file with the name of an errno.
  if (typeof value === "string") return `to ${value}`;
  return typeof value === "boolean" || isStats(value) ? value : null;
}

/** These errors last until the disk changes; others, such as too many open files, may be gone the next time. */
const LASTING = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG", "EINVAL"]);

function foundBy(error: unknown): Found {
  const code = errnoCode(error);
  return code !== null && LASTING.has(code) ? code : null;
}

/** Replaces the functions of `disk` by functions that record each read while a recording is active. */
function installRecorders(): void {
  if (disk.statSync !== real.statSync) return;
  Object.assign(disk, {
    existsSync: recordingResult(real.existsSync, "exists"),
    lstatSync: recordingResult(real.lstatSync, "lstat"),
    readlinkSync: recordingResult(real.readlinkSync, "link"),
    realpathSync: recordingResult(real.realpathSync, "real"),
    statSync: recordingResult(real.statSync, "stat"),
    accessSync: recordingBefore(real.accessSync, (mode) => (mode === constants.X_OK ? "program" : null)),
    openSync: recordingBefore(real.openSync, (flags) =>
      typeof flags === "number" && (flags & constants.O_NOFOLLOW) !== 0 ? "lstat" : "stat",
    ),
    readdirSync: recordingBefore(real.readdirSync, () => "names"),
    readFileSync: recordingBefore(real.readFileSync, () => "stat"),
    readSync: recordingBefore(real.readSync, () => "stat"),
  } satisfies typeof disk);
}

/** Records the result of the function itself. */
function recordingResult<F extends (...args: never[]) => unknown>(reading: F, kind: Kind): F {
  return new Proxy(reading, {
    apply: (target, self, args: unknown[]) => {
      let found: Found = null;
      try {
        const value: unknown = Reflect.apply(target, self, args);
        found = foundIn(value);
        return value;
      } catch (error) {
        found = foundBy(error);
        throw error;
      } finally {
        recordInAll(kind, args[0], () => found);
      }
    },
  });
}

/**
 * Records stats before a function that reads content: a change in between is then a difference. `kindOf` gets the second
 * argument, and returns null if no kind of read covers the call.
 */
function recordingBefore<F extends (...args: never[]) => unknown>(
  reading: F,
  kindOf: (how: unknown) => Kind | null,
): F {
  return new Proxy(reading, {
    apply: (target, self, args: unknown[]) => {
      const [path, how] = args;
      // A descriptor was recorded when its file was opened.
      if (typeof path !== "number") recordInAll(kindOf(how), path, readNow);
      try {
        return Reflect.apply(target, self, args);
      } catch (error) {
        if (foundBy(error) === null) invalidateAll();
        throw error;
      }
    },
  });
}

function recordInAll(kind: Kind | null, path: unknown, find: typeof readNow): void {
  if (active.size === 0) return;
  const isKnown = kind !== null && typeof path === "string";
  const found = isKnown ? find(kind, path) : null;
  if (!isKnown || found === null) invalidateAll();
  else for (const recording of active) recording.add(kind, path, found);
}

function invalidateAll(): void {
  for (const recording of active) recording.invalidate();
}
