import { errnoCode } from "../protocol/errno.ts";
import { enclosingTokens } from "./process-request.ts";
import { allPids, childrenOf, EXECUTING, lastPid, pidsBetween, processGroup, tokenOfProcess } from "./process-table.ts";

/** What may be left of one child. */
export interface ChildRemains {
  /** Of its process group. */
  readonly leader: number;
  /** Carried by descendants in their environment. */
  readonly token: string;
}

interface Task extends ChildRemains {
  readonly ended: Set<number>;
  readonly settle: (count: number) => void;
}

/** More looks than these are needed only where processes begin faster than they can be read. */
const LOOKS = 200;
/** Before a process that executes another program is looked at again. */
const EXECUTING_MS = 1;

let waiting: readonly Task[] = [];

/**
 * Ends what is left of a child: its group, and descendants that left the group but still carry the token in their
 * environment (Linux). Gives how many there were. Children that end together share one list of the system's
 * processes: one list for each would keep all of them waiting.
 */
export function killDescendants(remains: ChildRemains): Promise<number> {
  return new Promise((settle) => {
    if (waiting.length === 0) setImmediate(() => void endWaiting());
    waiting = [...waiting, { ...remains, ended: new Set(), settle }];
  });
}

/**
 * A process may start another and end while the list is read, and one that is starting has a number before it can be seen.
 * So what has begun since the first that was found is looked at again, until a look finds nothing and nothing has begun.
 */
async function endWaiting(): Promise<void> {
  const tasks = waiting;
  waiting = [];
  const groups = tasks.filter(({ leader }) => signalGroup(leader, 0));
  let last = lastPid();
  let look = endFound(allPids(), groups, tasks);
  // A group that was sent KILL cannot fork any more: only the first list needs its members, to count them.
  for (const { leader } of groups) signalGroup(leader, "SIGKILL");
  for (let count = 1; count < LOOKS && (look.first !== null || lastPid() !== last); count++) {
    if (look.isExecuting) await new Promise((resume) => setTimeout(resume, EXECUTING_MS));
    const seen = last;
    last = lastPid();
    look = endFound(pidsBetween(look.first ?? seen, last) ?? allPids(), [], tasks);
  }
  for (const { ended, settle } of tasks) settle(ended.size);
}

interface Look {
  /** A number below all that were sent KILL or could not be told; their children have higher ones. Null: there were none. */
  readonly first: number | null;
  readonly isExecuting: boolean;
}

/** Sends KILL to the members of some groups and the carriers of some tokens among these processes. */
function endFound(pids: readonly number[], groups: readonly Task[], carried: readonly Task[]): Look {
  const byGroup = new Map(groups.map((task) => [task.leader, task]));
  const byToken = new Map(carried.map((task) => [task.token, task]));
  let first: number | null = null;
  let isExecuting = false;
  for (const pid of pids) {
    if (pid === process.pid) continue;
    const member = byGroup.size === 0 ? undefined : byGroup.get(processGroup(pid));
    const token = member === undefined ? tokenOfProcess(pid) : "";
    if (token === EXECUTING) {
      isExecuting = true;
      first = Math.min(first ?? pid, pid - 1);
      continue;
    }
    const task = member ?? markedBy(byToken, token);
    if (task === undefined || task.ended.has(pid)) continue;
    task.ended.add(pid);
    killOne(pid);
    first = Math.min(first ?? pid, pid - 1);
  }
  return { first, isExecuting };
}

function markedBy(byToken: ReadonlyMap<string, Task>, token: string): Task | undefined {
  for (const one of token === "" ? [] : enclosingTokens(token)) {
    const task = byToken.get(one);
    if (task !== undefined) return task;
  }
  return undefined;
}

/**
 * True if a child that ended well may have left a process that is neither in its group nor on its pipes. Looked for among
 * those that began after it, mostly none. One that took the token out of its environment is not seen.
 */
export function hasEscapedDescendants({ leader, token }: ChildRemains): boolean {
  let seen: number | null = leader;
  for (let look = 0; look < LOOKS; look++) {
    const last = lastPid();
    const begun = pidsBetween(seen, last);
    // The cheap look does not tell: all processes are read.
    if (begun === null || begun.some((pid) => mayCarry(pid, token))) return true;
    if (last === seen) return false;
    seen = last;
  }
  return true;
}

function mayCarry(pid: number, token: string): boolean {
  if (pid === process.pid) return false;
  const carried = tokenOfProcess(pid);
  return carried === EXECUTING || enclosingTokens(carried).includes(token);
}

function killOne(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone by itself in the meantime.
  }
}

/** Sends a signal to every process of a group. False: the group has no process any more. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch (error) {
    // EPERM: there is someone, but not ours to signal (a set-uid program).
    return errnoCode(error) === "EPERM";
  }
}

/**
 * How many processes of a group stand below its leader. Asked while a limit is being kept, so it walks from parent to
 * child and does not list the whole system: one whose parent has ended already is not counted.
 */
export function countDescendants(leader: number): number {
  let members = 0;
  const waiting = [leader];
  // What is reparented meanwhile cannot lead in a circle, but a fork bomb can lead on and on.
  for (let next = waiting.pop(); next !== undefined && members < MOST_COUNTED; next = waiting.pop()) {
    const children = childrenOf(next);
    members += children.filter((pid) => processGroup(pid) === leader).length;
    waiting.push(...children);
  }
  return members;
}

const MOST_COUNTED = 1000;
