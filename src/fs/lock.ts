import { lstatSync, readlinkSync, symlinkSync, unlinkSync } from "node:fs";
import { errnoCode } from "../protocol/errno.ts";

/** A lock that does not change hands for so long is one that nobody will lift, and that cannot be removed either. */
const STUCK_MS = 15_000;
/** Who waits longer than this while others have their turn waits for nothing. */
export const LOCK_TIMEOUT_MS = 60_000;
/** The longest pause between two looks. Many that look often keep the holder from its work. */
const PAUSE_MS = 25;
/** Long enough for the others to look once. */
const YIELD_MS = 5;
/** No change takes this long: whoever made the lock is gone, though we cannot see its processes from here. */
const STALE_MS = 10_000;

/** The right to change what a lock stands for. */
export interface Lock {
  /** Asked right before a change counts: a holder that was stopped for long may have been given up. */
  readonly isOurs: () => boolean;
  readonly release: () => void;
}

let lockCount = 0;
/** Others wait as well: who has just had its turn does not take the next one at once, or it would always be first. */
let isContended = false;

/**
 * Waits for its turn, however long the others take before it; null when it never comes, or not in `patienceMs`. The lock is a symbolic link that names its holder, because a link is
 * made in one step: the lock of a killed process is known by that name and taken over at once. Throws what the disk says.
 */
export async function takeLock(file: string, patienceMs = LOCK_TIMEOUT_MS): Promise<Lock | null> {
  const owner = `${processSpace()}#${process.pid}#${lockCount++}`;
  const until = Date.now() + patienceMs;
  let holder: { readonly name: string | null; readonly untilMs: number } = { name: null, untilMs: 0 };
  if (isContended) await pause(YIELD_MS);
  isContended = false;
  for (let looks = 1; !createLink(file, owner); looks++) {
    isContended = true;
    const name = removeIfAbandoned(file, owner);
    const now = Date.now();
    // None: it was lifted between our two looks.
    if (name === null || name !== holder.name) holder = { name, untilMs: now + STUCK_MS };
    if (now > until || now > holder.untilMs) return null;
    // By chance, or those that came together would look together for ever.
    await pause(1 + Math.random() * Math.min(PAUSE_MS, looks));
  }
  const isOurs = () => ownerOf(file) === owner;
  return { isOurs, release: () => isOurs() && remove(file) };
}

const pause = (ms: number): Promise<void> => new Promise((resume) => setTimeout(resume, ms));

function createLink(file: string, owner: string): boolean {
  try {
    symlinkSync(owner, file);
    return true;
  } catch (error) {
    if (errnoCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Removes a lock whose holder is gone; gives the holder's name. */
function removeIfAbandoned(file: string, finder: string): string | null {
  const owner = ownerOf(file);
  if (owner !== null && isAbandoned(file, owner)) removeAbandonedLock(owner, file, finder);
  return owner;
}

/**
 * Removes the lock of a holder that was found gone. A guard keeps two that find it so from removing the next holder's
 * lock, and so does a second look: since the first one it may have changed hands.
 */
export function removeAbandonedLock(owner: string, file: string, finder: string): void {
  const guard = `${file}.drop`;
  if (!createLink(guard, finder)) {
    const other = ownerOf(guard);
    if (other !== null && isAbandoned(guard, other)) remove(guard);
    return;
  }
  if (ownerOf(file) === owner) remove(file);
  remove(guard);
}

/** A process number says something only where it was given: same machine, same container. */
function isAbandoned(file: string, owner: string): boolean {
  const [place, number] = owner.split("#");
  return ageMs(file) > STALE_MS || (place === processSpace() && !isAlive(Number(number)));
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return errnoCode(error) !== "ESRCH";
  }
}

/** Null: nobody holds it. A file of another kind in its place has no name in it. */
function ownerOf(file: string): string | null {
  try {
    return readlinkSync(file);
  } catch (error) {
    return errnoCode(error) === "ENOENT" ? null : "";
  }
}

function ageMs(file: string): number {
  const made = lstatSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return made === undefined ? 0 : Date.now() - made;
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Somebody else has removed it.
  }
}

let place: string | undefined;

function processSpace(): string {
  place ??= `${process.getBuiltinModule("node:os").hostname()}/${namespace()}`;
  return place;
}

/** Containers count their processes apart, and may share a home. */
function namespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
