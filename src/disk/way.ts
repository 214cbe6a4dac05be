import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { placeError } from "../contract/place-error.ts";

/** Where a path leads when each link on its way is followed, and what on that way somebody else could change. */
export interface Way {
  /** What is not there yet is appended as it is named. */
  readonly real: string;
  /** It leads through `/proc` or the like, where a name means something else for each process. */
  readonly isOfSystem: boolean;
  /** In words, the place first; null: nobody but the user and root can change where it leads. */
  readonly unsafe: string | null;
}

/** May others change it? Whose it is, is asked apart. */
export type IsOpen = (stats: Stats) => boolean;

const STICKY = 0o1000;
const MOST_LINKS = 40;

const OF_THE_SYSTEM = ["/proc", "/dev", "/sys"];

/**
 * Follows a path step by step from `/`. Each folder and link on the way must belong to the user, to root, or to whoever
 * owns `/` (root has another number in a user namespace), and no folder may be open to others. In a sticky folder nobody
 * can replace what is there, so it may be open, unless the next step is missing: anybody could make it.
 */
export function wayFollower(userId: number, isOpen: IsOpen): (path: string) => Way {
  const looked = new Map<string, Stats | string>();
  const look = (path: string): Stats | string => {
    const known = looked.get(path) ?? statsOrCode(path);
    looked.set(path, known);
    return known;
  };
  const system = look("/");
  const owners = [userId, 0, typeof system === "string" ? 0 : system.uid];
  return (path) => follow(path, { look, isOpen, owners });
}

interface Looking {
  readonly look: (path: string) => Stats | string;
  readonly isOpen: IsOpen;
  readonly owners: readonly number[];
}

function follow(path: string, looking: Looking): Way {
  const steps = stepsOf(path);
  let at = "/";
  let unsafe: string | null = null;
  let isOfSystem = false;
  for (let links = 0; steps.length > 0; ) {
    const name = steps.shift() ?? "";
    const next = name === ".." ? dirname(at) : join(at, name);
    const stats = looking.look(next);
    isOfSystem ||= OF_THE_SYSTEM.includes(next);
    unsafe ??= typeof stats === "string" ? unsafeUnseen(next, stats, looking) : unsafeItself(next, stats, looking);
    if (typeof stats === "string") return { real: join(next, ...steps), isOfSystem, unsafe };
    if (!stats.isSymbolicLink()) at = next;
    else if (links++ === MOST_LINKS) return { real: next, isOfSystem, unsafe: `${next} is a ring of links` };
    else {
      const target = readlinkSync(next);
      if (target.startsWith("/")) at = "/";
      steps.unshift(...stepsOf(target));
    }
  }
  return { real: at, isOfSystem, unsafe };
}

const stepsOf = (path: string): string[] => path.split("/").filter((step) => step !== "" && step !== ".");

function unsafeItself(path: string, stats: Stats, { isOpen, owners }: Looking): string | null {
  if (!owners.includes(stats.uid)) return `${path} belongs to another user (uid ${stats.uid})`;
  const isShared = !stats.isSymbolicLink() && (stats.mode & STICKY) === 0 && isOpen(stats);
  return isShared ? `${path} is writable by group or others` : null;
}

/**
 * What is missing could be made by whoever may write to the folder that it is missing from. Any other error says nothing
 * of others, and comes back to whoever reads or writes there.
 */
function unsafeUnseen(path: string, code: string, { look, isOpen }: Looking): string | null {
  if (code !== "ENOENT") return null;
  const folder = dirname(path);
  const above = look(folder);
  return typeof above !== "string" && isOpen(above) ? `anybody may make files in ${folder}` : null;
}

function statsOrCode(path: string): Stats | string {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? "ENOENT";
  } catch (error) {
    return placeError(error);
  }
}
