import { constants, type Stats } from "node:fs";
import { disk } from "../fs/disk.ts";
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
  readonly path: string;
  readonly repeat: (path: string) => Found;
  readonly isSame: (before: Found, now: Found) => boolean;
}

/** With more all are dropped: to repeat them would take as long as what they save. */
const MOST_LOOKS = 5000;
/** So many more after the first work: each session that is seen adds some. */
const MOST_LATER = 100;
/** Within this time a file can change without a new timestamp. */
const SETTLING_MS = 2000;

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
  readonly #found = new Map<string, { readonly look: Look; readonly found: Found }>();
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

  /** Looks before the one that is noted: what changes in between is then a difference. */
  note(key: string, look: Look): void {
    if (!this.#isReliable) return;
    const before = this.#found.get(key);
    const found = look.repeat(look.path);
    if (before === undefined && this.#found.size < this.#most && this.#mayKeep(look, found))
      this.#found.set(key, { look, found });
    else if (before === undefined || !look.isSame(before.found, found)) this.distrust();
  }

  /** Something was found out that no look can repeat. */
  distrust(): void {
    this.#isReliable = false;
    this.#found.clear();
  }

  areUnchanged(): boolean {
    if (!this.#isReliable) return false;
    for (const { look, found } of this.#found.values()) if (!look.isSame(found, look.repeat(look.path))) return false;
    return true;
  }

  #mayKeep({ isSame }: Look, found: Found): boolean {
    if (found === null) return false;
    if (!isStats(found) || (isSame === isSamePlace && found.isDirectory())) return true;
    return this.#nowMs() - Math.max(found.mtimeMs, found.ctimeMs) >= SETTLING_MS && !volatileDevices().has(found.dev);
  }
}

const isStats = (found: Found): found is Stats => typeof found === "object" && found !== null;

/** The times of a folder tell of the names in it, and of nothing else that can be seen in its stats. */
const isSamePlace = (before: Found, now: Found): boolean =>
  isStats(before) && isStats(now)
    ? isSameEntry(before, now) && (before.isDirectory() || isSameContent(before, now))
    : before === now && now !== null;

const isSameFile = (before: Found, now: Found): boolean =>
  isSamePlace(before, now) && (!isStats(before) || !isStats(now) || isSameContent(before, now));

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

/** These last until the disk changes; any other, such as too many open files, may be gone the next time. */
const LASTING = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG", "EINVAL"]);

function found(look: () => Found): Found {
  try {
    return look();
  } catch (error) {
    const code = errnoCode(error);
    return code !== null && LASTING.has(code) ? code : null;
  }
}

const statsOf = (path: string): Found => found(() => real.statSync(path, { throwIfNoEntry: false }) ?? "ENOENT");
const ownStatsOf = (path: string): Found => found(() => real.lstatSync(path, { throwIfNoEntry: false }) ?? "ENOENT");

/** How each kind of look is repeated. */
const LOOKS = {
  exists: { repeat: (path) => real.existsSync(path), isSame: isSamePlace },
  stat: { repeat: statsOf, isSame: isSamePlace },
  lstat: { repeat: ownStatsOf, isSame: isSamePlace },
  names: { repeat: statsOf, isSame: isSameFile },
  link: { repeat: (path) => found(() => real.readlinkSync(path)), isSame: isSamePlace },
  real: { repeat: (path) => found(() => real.realpathSync(path)), isSame: isSamePlace },
  program: {
    repeat: (path) =>
      found(() => {
        real.accessSync(path, constants.X_OK);
        return true;
      }),
    isSame: isSamePlace,
  },
} as const satisfies Readonly<Record<string, Omit<Look, "path">>>;

type Kind = keyof typeof LOOKS;

/** Puts functions that note each look in the place of those that look. They stay: without open notes they only look. */
function notesLooks(): void {
  if (disk.statSync !== real.statSync) return;
  const kindOfOpen = (flags: unknown): Kind =>
    typeof flags === "number" && (flags & constants.O_NOFOLLOW) !== 0 ? "lstat" : "stat";
  Object.assign(disk, {
    accessSync: noting(real.accessSync, ([, mode]) => (mode === constants.X_OK ? "program" : null)),
    existsSync: noting(real.existsSync, () => "exists"),
    lstatSync: noting(real.lstatSync, () => "lstat"),
    openSync: noting(real.openSync, ([, flags]) => kindOfOpen(flags)),
    readdirSync: noting(real.readdirSync, () => "names"),
    readFileSync: noting(real.readFileSync, () => "stat"),
    readlinkSync: noting(real.readlinkSync, () => "link"),
    readSync: noting(real.readSync, () => "stat"),
    realpathSync: noting(real.realpathSync, () => "real"),
    statSync: noting(real.statSync, () => "stat"),
  } satisfies typeof disk);
}

/** `kindOf` tells by the arguments how the look is repeated; null: it cannot be. What is open was noted when it was opened. */
function noting<F extends (...args: never[]) => unknown>(
  look: F,
  kindOf: (args: readonly unknown[]) => Kind | null,
): F {
  return new Proxy(look, {
    apply: (target, self, args: unknown[]) => {
      if (open.size > 0) noteLook(args, kindOf);
      try {
        return Reflect.apply(target, self, args);
      } catch (error) {
        if (!LASTING.has(errnoCode(error) ?? "")) for (const notes of open) notes.distrust();
        throw error;
      }
    },
  });
}

function noteLook(args: readonly unknown[], kindOf: (args: readonly unknown[]) => Kind | null): void {
  const [path] = args;
  if (typeof path === "number") return;
  const kind = typeof path === "string" ? kindOf(args) : null;
  for (const notes of open) {
    if (kind === null || typeof path !== "string") notes.distrust();
    else notes.note(`${kind} ${path}`, { ...LOOKS[kind], path });
  }
}
