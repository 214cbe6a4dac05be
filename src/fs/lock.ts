import { lstatSync, lutimesSync, readFileSync, readlinkSync, symlinkSync, unlinkSync } from "node:fs";
import { errnoCode } from "../protocol/errno.ts";

/** A lock that has the same holder for so long will not be released, and cannot be removed either. */
const STUCK_MS = 15_000;
/** How long to wait while other processes take and release the lock. */
export const LOCK_TIMEOUT_MS = 60_000;
/** The longest pause between two attempts. */
const MAX_PAUSE_MS = 250;
/** A pause grows with the time waited, or the attempts of many processes would take the time that its holders need. */
const PAUSE_SHARE = 0.25;
/** Long enough for a waiting process to find the lock free. */
const YIELD_MS = 5;
/** A holder that has not renewed its lock for so long counts as gone, even if its process cannot be seen from here. */
const STALE_MS = 10_000;

/** A lock that this process holds. */
export interface Lock {
  /** Checked right before a change is written: a process that was stopped for long may have lost the lock. */
  readonly isOurs: () => boolean;
  /** Says that the holder is alive, for one that needs more than a few seconds. */
  readonly renew: () => void;
  readonly release: () => void;
}

let lockCount = 0;
/** Other processes are waiting: this one yields before it takes the lock again, or it would always be first. */
let isContended = false;

/**
 * Takes a lock; null if that fails within the timeout. The lock is a symbolic link whose target names the holder, because
 * a link is created in one step: the lock of a killed process is recognized and taken over at once. Throws disk errors.
 */
export async function takeLock(file: string, timeoutMs = LOCK_TIMEOUT_MS): Promise<Lock | null> {
  const owner = newOwner();
  const startedMs = Date.now();
  const until = startedMs + timeoutMs;
  let holder: { readonly name: string | null; readonly untilMs: number } = { name: null, untilMs: 0 };
  if (isContended) await pause(YIELD_MS);
  isContended = false;
  while (!createLink(file, owner)) {
    isContended = true;
    const name = removeIfAbandoned(file, owner);
    const now = Date.now();
    if (name === null || name !== holder.name) holder = { name, untilMs: now + STUCK_MS };
    if (name !== null && (now > until || now > holder.untilMs)) return null;
    await pause(pauseMs(now - startedMs));
  }
  return heldLock(file, owner);
}

/**
 * Takes a lock; or waits until its present holder has released it or is gone, at most so long, and returns null. For work
 * that needs to be done once, not in turn. Throws disk errors.
 */
export async function takeLockOrAwait(
  file: string,
  timeoutMs: number,
  isInterrupted: () => boolean = () => false,
): Promise<Lock | null> {
  const owner = newOwner();
  if (createLink(file, owner)) return heldLock(file, owner);
  const startedMs = Date.now();
  const holder = ownerOf(file);
  for (let now = startedMs; isHolder(holder) && now - startedMs < timeoutMs && !isInterrupted(); now = Date.now()) {
    if (isAbandoned(file, holder)) {
      // It may be in a folder that has become read-only.
      removeAbandonedLock(holder, file, owner);
      return null;
    }
    await pause(pauseMs(now - startedMs));
    if (ownerOf(file) !== holder) return null;
  }
  return null;
}

/** False if the lock was released, and for what is no lock. */
const isHolder = (owner: string | null): owner is string => owner !== null && owner !== "";

const newOwner = (): string => `${processSpace()}#${process.pid}#${lockCount++}#${startOf(process.pid) ?? ""}`;

function heldLock(file: string, owner: string): Lock {
  const isOurs = () => ownerOf(file) === owner;
  return { isOurs, renew: () => isOurs() && touch(file), release: () => isOurs() && remove(file) };
}

/** Random, or processes that started together would always try together. */
const pauseMs = (waitedMs: number): number => 1 + Math.random() * Math.min(MAX_PAUSE_MS, waitedMs * PAUSE_SHARE);
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

/** Removes a lock whose holder is gone. Returns the name of the present holder, or null if there is none any more. */
function removeIfAbandoned(file: string, finder: string): string | null {
  const owner = ownerOf(file);
  if (owner !== null && isAbandoned(file, owner)) removeAbandonedLock(owner, file, finder);
  return ownerOf(file);
}

/**
 * Removes the lock of a holder that is gone. A second lock and a second check keep two processes that do this at once from
 * removing the lock of the next holder.
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

/** A process id is only meaningful on the same machine and in the same container. */
function isAbandoned(file: string, owner: string): boolean {
  const [place, number, , start] = owner.split("#");
  // A time in the future is none that a holder has set, and the lock would stay until then.
  return Math.abs(ageMs(file)) > STALE_MS || (place === processSpace() && !isRunning(Number(number), start));
}

/** False for another process that got the number of one that is gone. */
function isRunning(processId: number, start: string | undefined): boolean {
  const present = startOf(processId);
  return isAlive(processId) && (present === null || present === start);
}

/** When a process started, in ticks since the machine did; null where the system does not show it. */
function startOf(processId: number): string | null {
  try {
    // The program's name before it, in parentheses, may hold anything.
    const [, fields = ""] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${processId}/stat`, "latin1")) ?? [];
    return fields.split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return errnoCode(error) !== "ESRCH";
  }
}

/** Null if there is no lock; empty for a file that is not a link. */
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

function touch(file: string): void {
  try {
    const now = Date.now() / 1e3;
    lutimesSync(file, now, now);
  } catch {
    // Another process took it over, and `isOurs` is false then.
  }
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Another process has removed it.
  }
}

let place: string | undefined;

export function processSpace(): string {
  place ??= `${process.getBuiltinModule("node:os").hostname()}/${namespace()}`;
  return place;
}

/** Containers have their own process ids, and may share a home directory. */
function namespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
