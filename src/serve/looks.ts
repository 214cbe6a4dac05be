import { constants, type Stats } from "node:fs";
import { dirname } from "node:path";
import { disk, isSettled } from "../fs/disk.ts";
import { errnoCode } from "../protocol/errno.ts";

/** The looks at the disk on which something depends, to be repeated later. */
export interface Looks {
  /** Notes every look until the work is done; also those of other work at that time, which only makes it stricter. */
  readonly during: <T>(work: () => Promise<T>) => Promise<T>;
  /** True if every look finds now what it found then. */
  readonly areUnchanged: () => boolean;
}

/** What a look finds: stats, text, a yes or no, or the errno. Null: it cannot be relied on. */
type Found = Stats | string | boolean | null;

interface Look {
  readonly kind: Kind;
  readonly path: string;
  readonly found: NonNullable<Found>;
}

/** Looks that found nothing because a folder lacks their names: its times change with the first that it gets. */
interface MissingNames {
  readonly looks: Look[];
  /** The folder, before it was looked at for the first of the names. Null: its times tell nothing. */
  readonly stats: Stats | null;
}

/** With more all are dropped: to repeat them would take as long as what they save. */
const MOST_LOOKS = 5000;
/** So many more after the first work: each session that is seen adds some. */
const MOST_LATER = 100;

const real = { ...disk };
const open = new Set<Notes>();

export function openLooks(nowMs: () => number): Looks {
  notesLooks();
  const notes = new Notes(nowMs);
  return {
    during: async (work) => {
      const leave = notes.join();
      try {
        return await work();
      } finally {
        leave();
      }
    },
    areUnchanged: () => notes.areUnchanged(),
  };
}

class Notes {
  readonly #nowMs: () => number;
  readonly #found = new Map<string, Look>();
  readonly #repeated = new Map<string, Look>();
  /** By folder. Most places of settings and hooks are empty, and many of these in the same folder. */
  readonly #missing = new Map<string, MissingNames>();
  #isReliable = true;
  #most = MOST_LOOKS;
  #joined = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  join(): () => void {
    this.#joined++;
    open.add(this);
    return () => {
      this.#most = Math.min(this.#most, this.#found.size + MOST_LATER);
      if (--this.#joined === 0) open.delete(this);
    };
  }

  note(kind: Kind, path: string, found: NonNullable<Found>): void {
    if (!this.#isReliable) return;
    const key = `${kind} ${path}`;
    const before = this.#found.get(key);
    if (before === undefined && this.#found.size < this.#most && this.#mayKeep(kind, found)) {
      const own = { kind, path, found };
      this.#found.set(key, own);
      if (kind === "real" && found === `to ${path}`) this.#noteWithoutLinks(path);
      else this.#keep(own);
    } else if (before === undefined || !isSame(kind, before.found, found)) this.distrust();
  }

  /** Something was found out that no look can repeat. */
  distrust(): void {
    this.#isReliable = false;
    this.#found.clear();
    this.#repeated.clear();
    this.#missing.clear();
  }

  areUnchanged(): boolean {
    if (!this.#isReliable) return false;
    return (
      [...this.#repeated.values()].every(findsSame) &&
      [...this.#missing].every(([folder, missing]) => this.#areMissing(folder, missing))
    );
  }

  /** A path is real if no part of it is a link: the parts are often those of other paths, and quicker to look at. */
  #noteWithoutLinks(path: string): void {
    const found = look("lstat", path);
    if (!isStats(found) || found.isSymbolicLink()) this.distrust();
    else this.note("lstat", path, found);
    if (path !== dirname(path)) this.#noteWithoutLinks(dirname(path));
  }

  #keep(own: Look): void {
    const { kind, path, found } = own;
    const lacking = found === "ENOENT" || found === false ? folderLacking(path) : null;
    if (lacking === null) {
      // What has stats exists.
      if (isStats(found) && !found.isSymbolicLink()) this.#repeated.delete(`exists ${path}`);
      if (kind !== "exists" || !this.#hasStats(path)) this.#repeated.set(`${kind} ${path}`, own);
      return;
    }
    const { folder, stats } = lacking;
    const known = this.#missing.get(folder);
    if (known !== undefined) known.looks.push(own);
    else this.#missing.set(folder, { looks: [own], stats: this.#mayKeep("names", stats) ? stats : null });
  }

  #hasStats(path: string): boolean {
    const [stat, lstat] = [this.#found.get(`stat ${path}`)?.found, this.#found.get(`lstat ${path}`)?.found];
    return isStats(stat) || (isStats(lstat) && !lstat.isSymbolicLink());
  }

  #areMissing(folder: string, { looks, stats }: MissingNames): boolean {
    if (looks.length === 1) return looks.every(findsSame);
    const now = look("names", folder);
    if (isSame("names", stats, now)) return true;
    if (!looks.every(findsSame)) return false;
    if (isStats(now) && this.#mayKeep("names", now)) {
      // It got other names, and its times tell of these again.
      this.#missing.delete(folder);
      for (const one of looks) this.#keep(one);
    }
    return true;
  }

  #mayKeep(kind: Kind, found: NonNullable<Found>): boolean {
    if (!isStats(found) || !countsTimes(kind, found)) return true;
    const times = { modifiedMs: found.mtimeMs, changedMs: found.ctimeMs };
    return isSettled(times, this.#nowMs()) && !volatileDevices().has(found.dev);
  }
}

const findsSame = ({ kind, path, found }: Look): boolean => isSame(kind, found, look(kind, path));

/**
 * The folder that lacks a part of this path, and how it was right before it was looked at for that. Null: nothing is
 * lacking, as where a link leads nowhere.
 */
function folderLacking(path: string): { readonly folder: string; readonly stats: Stats } | null {
  const folder = dirname(path);
  const stats = look("names", folder);
  if (stats === "ENOENT" && folder !== path) return folderLacking(folder);
  return isStats(stats) && stats.isDirectory() && look("lstat", path) === "ENOENT" ? { folder, stats } : null;
}

const isStats = (found: unknown): found is Stats =>
  typeof found === "object" && found !== null && "ctimeMs" in found && typeof found.ctimeMs === "number";

/** The times of a folder tell of the names in it, and of nothing else that can be seen in its stats. */
const countsTimes = (kind: Kind, found: Stats): boolean => kind === "names" || !found.isDirectory();

function isSame(kind: Kind, before: Found, now: Found): boolean {
  if (!isStats(before) || !isStats(now)) return before === now && now !== null;
  return isSameEntry(before, now) && (!countsTimes(kind, before) || isSameContent(before, now));
}

const isSameEntry = (one: Stats, other: Stats): boolean =>
  one.ino === other.ino &&
  one.dev === other.dev &&
  one.mode === other.mode &&
  one.uid === other.uid &&
  one.gid === other.gid;

const isSameContent = (one: Stats, other: Stats): boolean =>
  one.ctimeMs === other.ctimeMs && one.mtimeMs === other.mtimeMs && one.size === other.size;

/** Files of these devices change without a sign of it. */
let volatile: ReadonlySet<number> | null = null;
function volatileDevices(): ReadonlySet<number> {
  volatile ??= new Set(["/proc", "/sys"].flatMap((path) => real.statSync(path, { throwIfNoEntry: false })?.dev ?? []));
  return volatile;
}

/** How each kind of look is made. */
const LOOKS = {
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

type Kind = keyof typeof LOOKS;

function look(kind: Kind, path: string): Found {
  try {
    return foundIn(LOOKS[kind](path));
  } catch (error) {
    return foundBy(error);
  }
}

/** What a look returned; nothing stands for a missing file. */
function foundIn(value: unknown): Found {
  if (value === undefined) return "ENOENT";
  // A link may lead to a file with the name of an errno.
  if (typeof value === "string") return `to ${value}`;
  return typeof value === "boolean" || isStats(value) ? value : null;
}

/** These last until the disk changes; any other, such as too many open files, may be gone the next time. */
const LASTING = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG", "EINVAL"]);

function foundBy(error: unknown): Found {
  const code = errnoCode(error);
  return code !== null && LASTING.has(code) ? code : null;
}

/** Puts functions that note each look in the place of those that look. They stay: without open notes they only look. */
function notesLooks(): void {
  if (disk.statSync !== real.statSync) return;
  Object.assign(disk, {
    existsSync: noting(real.existsSync, "exists"),
    lstatSync: noting(real.lstatSync, "lstat"),
    readlinkSync: noting(real.readlinkSync, "link"),
    realpathSync: noting(real.realpathSync, "real"),
    statSync: noting(real.statSync, "stat"),
    accessSync: lookingBefore(real.accessSync, (mode) => (mode === constants.X_OK ? "program" : null)),
    openSync: lookingBefore(real.openSync, (flags) =>
      typeof flags === "number" && (flags & constants.O_NOFOLLOW) !== 0 ? "lstat" : "stat",
    ),
    readdirSync: lookingBefore(real.readdirSync, () => "names"),
    readFileSync: lookingBefore(real.readFileSync, () => "stat"),
    readSync: lookingBefore(real.readSync, () => "stat"),
  } satisfies typeof disk);
}

/** Notes what the function itself finds. */
function noting<F extends (...args: never[]) => unknown>(looking: F, kind: Kind): F {
  return new Proxy(looking, {
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
        noteInAll(kind, args[0], () => found);
      }
    },
  });
}

/**
 * Looks before a function that finds more than a look does: what changes in between is then a difference. `kindOf` gets its
 * second argument; null: no look tells enough.
 */
function lookingBefore<F extends (...args: never[]) => unknown>(reading: F, kindOf: (how: unknown) => Kind | null): F {
  return new Proxy(reading, {
    apply: (target, self, args: unknown[]) => {
      const [path, how] = args;
      // What is open was noted when it was opened.
      if (typeof path !== "number") noteInAll(kindOf(how), path, look);
      try {
        return Reflect.apply(target, self, args);
      } catch (error) {
        if (foundBy(error) === null) distrustAll();
        throw error;
      }
    },
  });
}

function noteInAll(kind: Kind | null, path: unknown, find: typeof look): void {
  if (open.size === 0) return;
  const isKnown = kind !== null && typeof path === "string";
  const found = isKnown ? find(kind, path) : null;
  if (!isKnown || found === null) distrustAll();
  else for (const notes of open) notes.note(kind, path, found);
}

function distrustAll(): void {
  for (const notes of open) notes.distrust();
}
