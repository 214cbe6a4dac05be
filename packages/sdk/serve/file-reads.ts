import { constants, type Stats } from "node:fs";
import { disk, isSettled } from "../../../src/fs/disk.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";

/** The functions of `disk` as they were before `recorded-reads.ts` replaced them. */
export const realDisk = { ...disk };

/** The ways to read a path. `names` is for the entries of a folder: they are unchanged if the folder's stats are. */
const READS = {
  exists: (path) => realDisk.existsSync(path),
  stat: (path) => realDisk.statSync(path, { throwIfNoEntry: false }),
  lstat: (path) => realDisk.lstatSync(path, { throwIfNoEntry: false }),
  names: (path) => realDisk.statSync(path, { throwIfNoEntry: false }),
  link: (path) => realDisk.readlinkSync(path),
  real: (path) => realDisk.realpathSync(path),
  program: (path) => {
    realDisk.accessSync(path, constants.X_OK);
    return true;
  },
} as const satisfies Readonly<Record<string, (path: string) => Stats | string | boolean | undefined>>;

export type ReadKind = keyof typeof READS;

/** The result of a read: stats, a path, a yes or no, or an errno. */
export type ReadResult = Stats | string | boolean;

export interface FileRead {
  readonly kind: ReadKind;
  readonly path: string;
  readonly result: ReadResult;
}

/** Reads a path. Returns null if the result may differ the next time although nothing has changed. */
export function readNow(kind: ReadKind, path: string): ReadResult | null {
  try {
    return resultOf(READS[kind](path));
  } catch (error) {
    return lastingErrno(error);
  }
}

/** The result of a function of `disk` that returned; undefined stands for a missing file. */
export function resultOf(value: unknown): ReadResult | null {
  if (value === undefined) return "ENOENT";
  // A link may lead to a file with the name of an errno.
  if (typeof value === "string") return `to ${value}`;
  return typeof value === "boolean" || isStats(value) ? value : null;
}

/** These errors last until the disk changes; others, such as too many open files, may be gone the next time. */
const LASTING = ["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG", "EINVAL"];

export function lastingErrno(error: unknown): string | null {
  const code = errnoCode(error);
  return code !== null && LASTING.includes(code) ? code : null;
}

export const isStats = (result: unknown): result is Stats =>
  typeof result === "object" && result !== null && "ctimeMs" in result && typeof result.ctimeMs === "number";

/** True if the path still gives the recorded result. */
export const isUnchanged = ({ kind, path, result }: FileRead): boolean => isSame(kind, result, readNow(kind, path));

export function isSame(kind: ReadKind, before: ReadResult | null, now: ReadResult | null): boolean {
  if (!isStats(before) || !isStats(now)) return before === now && now !== null;
  return (comparesTimes(kind, before) ? ALL_FIELDS : ENTRY_FIELDS).every((field) => before[field] === now[field]);
}

const ENTRY_FIELDS = ["ino", "dev", "mode", "uid", "gid"] as const;
const ALL_FIELDS = [...ENTRY_FIELDS, "ctimeMs", "mtimeMs", "size"] as const;

/** The times of a folder change only when entries are added or removed, which matters only for its names. */
const comparesTimes = (kind: ReadKind, stats: Stats): boolean => kind === "names" || !stats.isDirectory();

/** False for stats that could stay the same although the file changes. */
export function isReliable(kind: ReadKind, result: ReadResult, nowMs: number): boolean {
  if (!isStats(result) || !comparesTimes(kind, result)) return true;
  const times = { modifiedMs: result.mtimeMs, changedMs: result.ctimeMs };
  return isSettled(times, nowMs) && !volatileDevices().has(result.dev);
}

/** Files of these devices change without a new mtime. */
let volatile: ReadonlySet<number> | null = null;
function volatileDevices(): ReadonlySet<number> {
  const deviceOf = (path: string): number => realDisk.statSync(path, { throwIfNoEntry: false })?.dev ?? -1;
  volatile ??= new Set(["/proc", "/sys"].map(deviceOf));
  return volatile;
}
