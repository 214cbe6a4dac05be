import { existsSync } from "node:fs";
import { errnoCode } from "../protocol/errno.ts";
import { mayHaveLeftOrphans } from "./adopted-processes.ts";
import { childrenOfThread, EMPTY, isProcOurs, lastPid, numbersIn, readProc, statFields } from "./proc.ts";
import { enclosingTokens, TOKEN_VARIABLE } from "./process-request.ts";

/*
 * How a child is stopped:
 *
 * 1. A child leads its own process group and session. `signalGroup` sends SIGTERM to the whole group, and SIGKILL after
 *    the grace period (run-process.ts decides when). A child that stays in the group cannot escape that.
 * 2. A process that left the group, for example with setsid(2), still has the child's token in its environment, which
 *    /proc shows. `killDescendants` finds these processes and kills them.
 * 3. Most children leave nothing behind. A search through all processes would cost each call some milliseconds, so
 *    `mayHaveLeftProcesses` first excludes it by the PIDs that were assigned since the child started.
 *
 * A process that left the group and also removed the token is not found. Without /proc (macOS) only the group is killed.
 */

/** Identifies the processes that one child may have left behind. */
export interface ChildRemains {
  /** The PID of the child, which leads its process group. */
  readonly leader: number;
  /** The value that its descendants inherit in their environment. */
  readonly token: string;
}

interface KillRequest extends ChildRemains {
  readonly killed: Set<number>;
  readonly settle: (count: number) => void;
}

/** More scans are needed only if processes start faster than they can be scanned. */
const MAX_SCANS = 200;
/** The pause before a process inside execve(2) is scanned again. */
const EXEC_WAIT_MS = 1;

let waiting: readonly KillRequest[] = [];

/**
 * Kills the processes that a child left behind: its group, and descendants that left the group but still have the token
 * in their environment (Linux). Resolves to their number. Children that exit at the same time share one scan of all
 * processes, because a scan for each would delay them all.
 */
export function killDescendants(remains: ChildRemains): Promise<number> {
  return new Promise((settle) => {
    if (waiting.length === 0) setImmediate(() => void killWaiting());
    waiting = [...waiting, { ...remains, killed: new Set(), settle }];
  });
}

/**
 * During a scan a process may start another one and exit, and a new process has a PID before it appears in /proc. So the
 * PIDs above the first match are scanned again, until a scan finds no match and no process has started since.
 */
async function killWaiting(): Promise<void> {
  const requests = waiting;
  waiting = [];
  const groups = requests.filter(({ leader }) => signalGroup(leader, 0));
  let last = lastPid();
  let scan = killMatching(allPids(), groups, requests);
  // A group that was sent SIGKILL cannot fork any more, so only the first scan includes its members.
  for (const { leader } of groups) signalGroup(leader, "SIGKILL");
  for (let count = 1; count < MAX_SCANS && (scan.rescanAfter !== null || lastPid() !== last); count++) {
    if (scan.isExecuting) await new Promise((resume) => setTimeout(resume, EXEC_WAIT_MS));
    const previous = last;
    last = lastPid();
    scan = killMatching(pidsBetween(scan.rescanAfter ?? previous, last) ?? allPids(), [], requests);
  }
  for (const { killed, settle } of requests) settle(killed.size);
}

interface Scan {
  /**
   * Below the PID of every process that was killed or whose token could not be read: their children have higher PIDs.
   * Null if there was no such process.
   */
  readonly rescanAfter: number | null;
  readonly isExecuting: boolean;
}

/** Kills each of these processes that is in the group of one of `groups` or has the token of one of `requests`. */
function killMatching(pids: readonly number[], groups: readonly KillRequest[], requests: readonly KillRequest[]): Scan {
  const byGroup = new Map(groups.map((request) => [request.leader, request]));
  const byToken = new Map(requests.map((request) => [request.token, request]));
  let rescanAfter: number | null = null;
  let isExecuting = false;
  for (const pid of pids) {
    if (pid === process.pid) continue;
    const member = byGroup.size === 0 ? undefined : byGroup.get(processGroup(pid));
    const token = member === undefined ? tokenOfProcess(pid) : "";
    if (token === EXECUTING) {
      isExecuting = true;
      rescanAfter = Math.min(rescanAfter ?? pid, pid - 1);
      continue;
    }
    const request = member ?? requestForToken(byToken, token);
    if (request === undefined || request.killed.has(pid)) continue;
    request.killed.add(pid);
    signalProcess(pid, "SIGKILL");
    rescanAfter = Math.min(rescanAfter ?? pid, pid - 1);
  }
  return { rescanAfter, isExecuting };
}

function requestForToken(byToken: ReadonlyMap<string, KillRequest>, token: string): KillRequest | undefined {
  for (const one of token === "" ? [] : enclosingTokens(token)) {
    const request = byToken.get(one);
    if (request !== undefined) return request;
  }
  return undefined;
}

/** In this time no system comes back to the same PID: it has at least 32,768 of them. */
const PID_CYCLE_MS = 1000;

/**
 * True if a child that exited by itself may have left a process that holds none of its pipes open. Only processes with a
 * later PID are checked, and there are usually none. One that left the group and removed the token from its environment is
 * not found.
 */
export function mayHaveLeftProcesses({ leader, token }: ChildRemains, ranMs: number): boolean {
  if (ranMs > PID_CYCLE_MS && (signalGroup(leader, 0) || mayHaveLeftOrphans(leader, ranMs))) return true;
  let checkedUpTo = leader;
  for (let scan = 0; scan < MAX_SCANS; scan++) {
    const last = lastPid();
    if (last === checkedUpTo) return false;
    // When many hooks run at once, checking every new PID would make each run scan the processes of all others.
    if (last !== null && last - leader > MAX_SINGLE_CHECKS && !mayHaveLeftOrphans(leader)) return false;
    const newer = pidsBetween(checkedUpTo, last);
    // The later PIDs are unknown, so the caller has to scan all processes.
    if (last === null || newer === null) return true;
    if (newer.length > 0 && (signalGroup(leader, 0) || newer.some((pid) => mayCarry(pid, token)))) return true;
    checkedUpTo = last;
  }
  return true;
}

function mayCarry(pid: number, token: string): boolean {
  if (pid === process.pid) return false;
  const carried = tokenOfProcess(pid);
  return carried === EXECUTING || enclosingTokens(carried).includes(token);
}

export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has exited in the meantime.
  }
}

/** Sends a signal to every process of a group. False if the group has no process left. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch (error) {
    // EPERM: the group has a process, but this user may not signal it (a set-uid program).
    return errnoCode(error) === "EPERM";
  }
}

/**
 * The descendants that are in the leader's process group. Found from parent to child instead of by a scan of all
 * processes, so a process whose parent has exited is missing.
 */
export function descendantsInGroup(leader: number): readonly number[] {
  const members: number[] = [];
  const waiting = [leader];
  // A process that gets a new parent meanwhile cannot cause a cycle, but a fork bomb could keep this loop running.
  for (let next = waiting.pop(); next !== undefined && members.length < MAX_COUNTED; next = waiting.pop()) {
    const children = childrenOf(next);
    members.push(...children.filter((pid) => processGroup(pid) === leader));
    waiting.push(...children);
  }
  return members;
}

const MAX_COUNTED = 1000;

/** The descendants of a monitor that are no descendants of its program: the first process inside, and the program. */
export const MONITOR_PROCESSES = 2;

/**
 * True while a process may be left inside: the system kills all of them before the first process is gone. An orphan
 * may stay a zombie, to which the signals of its group are still sent.
 */
export const isInsideAlive = (first: number | null, leader: number): boolean =>
  first !== null && processGroup(first) === leader;

/**
 * Asks the processes inside to exit. The monitor would exit at once and take them with it, and the first process inside
 * ignores the signal, so the others have their grace period.
 */
export function terminateInside(leader: number): void {
  for (const pid of descendantsInGroup(leader)) signalProcess(pid, "SIGTERM");
}

/** The PIDs of all processes; empty if they are unknown. */
const allPids = (): readonly number[] => (isProcOurs() ? numbersIn("/proc") : []);

/** For a longer range of PIDs one listing of /proc is cheaper than a check of each PID. */
const MAX_SINGLE_CHECKS = 32;

/**
 * The live processes with a PID above `after`, up to `last`: cheaper than a scan of all processes. Null if the range is
 * unknown: no /proc/loadavg, or PIDs that began again at the smallest.
 */
function pidsBetween(after: number | null, last: number | null): readonly number[] | null {
  if (after === null || last === null || last < after) return null;
  if (last - after > MAX_SINGLE_CHECKS) return allPids().filter((pid) => pid > after && pid <= last);
  const found: number[] = [];
  for (let pid = after + 1; pid <= last; pid++) if (existsSync(`/proc/${pid}`)) found.push(pid);
  return found;
}

/** The process group of a live process; 0 if it has exited, also if it is still a zombie. */
function processGroup(pid: number): number {
  const [state, , group] = statFields(pid);
  return state === "Z" ? 0 : Number(group ?? 0);
}

/** The process is inside execve(2), so its environment cannot be read for a moment. */
const EXECUTING = Symbol("executing");

/** The token in the environment of a process, inherited from the child that it descends from; empty if there is none. */
function tokenOfProcess(pid: number): string | typeof EXECUTING {
  let environ = readProc(`/proc/${pid}/environ`);
  if (environ === EMPTY) {
    if (isInExec(pid)) return EXECUTING;
    // The file may have been opened before an execve(2) replaced the environment, so it is read again.
    environ = readProc(`/proc/${pid}/environ`);
  }
  const from = environ.indexOf(FIRST_ENTRY, 0, "latin1") === 0 ? FIRST_ENTRY.length : valueOfLaterEntry(environ);
  if (from < 0) return "";
  const end = environ.indexOf(0, from);
  return environ.toString("latin1", from, end < 0 ? environ.length : end);
}

/** The kernel's flag for its own threads. */
const PF_KTHREAD = 0x200000;
/** Positions of `flags` and `env_end` among the fields after the process name. */
const FLAGS_INDEX = 6;
const ENV_END_INDEX = 48;

/** True if `env_end` is still 0: even an empty environment has an address. A kernel thread never gets one. */
function isInExec(pid: number): boolean {
  const fields = statFields(pid);
  const isKernelThread = (Number(fields[FLAGS_INDEX]) & PF_KTHREAD) !== 0;
  return fields.length > ENV_END_INDEX && fields[0] !== "Z" && !isKernelThread && fields[ENV_END_INDEX] === "0";
}

/** The current child processes of a process. */
const childrenOf = (pid: number): readonly number[] =>
  numbersIn(`/proc/${pid}/task`).flatMap((thread) => childrenOfThread(pid, thread) ?? []);

const FIRST_ENTRY = `${TOKEN_VARIABLE}=`;
const LATER_ENTRY = `\0${FIRST_ENTRY}`;

function valueOfLaterEntry(environ: Buffer): number {
  const at = environ.indexOf(LATER_ENTRY, 0, "latin1");
  return at < 0 ? at : at + LATER_ENTRY.length;
}
