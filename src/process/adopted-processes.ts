import { childrenOfThread, lastPid, statFields } from "./proc.ts";
import { isRunningChild } from "./spawn-child.ts";

/** The unit of time in /proc, on every system that runs hookctl. */
const TICKS_PER_S = 100;
const SLACK_TICKS = 10;
/** The position of the time since boot among the fields after the process name. */
const START_INDEX = 19;

/** The lists change only while an ancestor's child begins or ends. */
const MAX_LISTINGS = 20;

/**
 * Returns false only if it is certain that `leader`, a child that has exited, left no process running; true otherwise, also if
 * that is unknown. Other processes of this machine change nothing. The system gives orphans a new parent: an ancestor or PID 1 (see PR_SET_CHILD_SUBREAPER in prctl(2)).
 * So every orphan appears among the children of hookctl's ancestors, hookctl and PID 1.
 *
 * Reading /proc/PID/task/TID/children is not atomic: an entry may be missing while the list changes. Two equal readings in a
 * row mean that nothing was missed.
 *
 * `ranMs`: how long the child ran, given if PIDs may have wrapped around in that time. Processes are then compared by their
 * start, not by their PID.
 */
export function mayHaveLeftOrphans(leader: number, ranMs?: number): boolean {
  const sinceTicks = ranMs === undefined ? null : uptimeTicks() - (ranMs / 1000) * TICKS_PER_S - SLACK_TICKS;
  let before: string | null = null;
  const others = new Set<number>();
  for (let count = 0; count < MAX_LISTINGS; count++) {
    const ancestors = readAncestors();
    const last = lastPid();
    // After PIDs wrap around, a larger PID no longer means a later start.
    if (ancestors === null || last === null || last < leader) return true;
    const { children, sessions } = ancestors;
    for (const pid of children) {
      const isLater = sinceTicks === null ? pid > leader && pid <= last : startTicks(pid) >= sinceTicks;
      if (!isLater || others.has(pid)) continue;
      if (mayDescendFromChild(pid, sessions)) return true;
      others.add(pid);
    }
    const now = children.join();
    if (now === before) return false;
    before = now;
  }
  return true;
}

/** The children and the sessions of this process, of its ancestors and of PID 1. */
interface Ancestors {
  readonly children: readonly number[];
  readonly sessions: ReadonlySet<string>;
}

const FIRST_PROCESS = 1;

/** Null if one of them cannot be read. */
function readAncestors(): Ancestors | null {
  const children: number[] = [];
  const sessions = new Set<string>();
  for (let pid = process.pid; ; ) {
    const [state, parent, , session] = statFields(pid);
    if (session === undefined || isDead(state)) return null;
    // A process adopts with its main thread; with another one only after that has ended.
    const listed = childrenOfThread(pid, pid);
    if (listed === null) return null;
    for (const child of listed) children.push(child);
    sessions.add(session);
    if (pid === FIRST_PROCESS) return { children, sessions };
    // A process that was put into a container has no parent there.
    pid = Number(parent) > 0 ? Number(parent) : FIRST_PROCESS;
  }
}

/** A child leads a session of its own, and what descends from it cannot enter one that was there before. */
function mayDescendFromChild(pid: number, sessionsBefore: ReadonlySet<string>): boolean {
  if (isRunningChild(pid)) return false;
  const [state, , , session] = statFields(pid);
  return session !== undefined && !isDead(state) && !sessionsBefore.has(session);
}

const uptimeTicks = (): number => process.getBuiltinModule("node:os").uptime() * TICKS_PER_S;

const startTicks = (pid: number): number => Number(statFields(pid)[START_INDEX]);

const isDead = (state: string | undefined): boolean => state === "Z" || state === "X";
