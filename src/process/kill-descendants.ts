import { errnoCode } from "../protocol/errno.ts";
import { enclosingTokens } from "./process-request.ts";
import { allPids, childrenOf, EXECUTING, lastPid, pidsBetween, processGroup, tokenOfProcess } from "./process-table.ts";

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
  // A group that was sent SIGKILL cannot fork any more, so only the first scan counts its members.
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
    killProcess(pid);
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

/**
 * True if a child that exited by itself may have left a process that is neither in its group nor holds its pipes open.
 * Only processes with a later PID are checked, and there are usually none. A process that removed the token from its
 * environment is not found.
 */
export function hasEscapedDescendants({ leader, token }: ChildRemains): boolean {
  let checkedUpTo: number | null = leader;
  for (let scan = 0; scan < MAX_SCANS; scan++) {
    const last = lastPid();
    const newer = pidsBetween(checkedUpTo, last);
    // Null: the later PIDs are unknown, so the caller has to scan all processes.
    if (newer === null || newer.some((pid) => mayCarry(pid, token))) return true;
    if (last === checkedUpTo) return false;
    checkedUpTo = last;
  }
  return true;
}

function mayCarry(pid: number, token: string): boolean {
  if (pid === process.pid) return false;
  const carried = tokenOfProcess(pid);
  return carried === EXECUTING || enclosingTokens(carried).includes(token);
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
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
