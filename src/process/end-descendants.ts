import { signalGroup } from "./group.ts";
import { allPids, groupOf, pidsAfter, tokenOf } from "./process-table.ts";
import { tokensAround } from "./token.ts";

/** What may be left of one child. */
export interface Remains {
  /** Of its process group. */
  readonly leader: number;
  /** Carried by descendants in their environment. */
  readonly token: string;
}

interface Task extends Remains {
  readonly ended: Set<number>;
  readonly settle: (count: number) => void;
}

/** A process may fork while the list is read, so it is read until nothing new is there. */
const ROUNDS = 10;

let waiting: readonly Task[] = [];

/**
 * Ends what is left of a child: its group, and descendants that left the group but still carry the token in their
 * environment (Linux). Gives how many there were. Children that end together share one list of the system's
 * processes: one list for each would keep all of them waiting.
 */
export function endDescendants(remains: Remains): Promise<number> {
  return new Promise((settle) => {
    if (waiting.length === 0) setImmediate(endWaiting);
    waiting = [...waiting, { ...remains, ended: new Set(), settle }];
  });
}

function endWaiting(): void {
  const tasks = waiting;
  waiting = [];
  // A group that was sent KILL cannot fork any more: only the first list needs its members, to count them.
  const groups = tasks.filter(({ leader }) => signalGroup(leader, 0));
  let open = endFound(found(groups, tasks));
  for (const { leader } of groups) signalGroup(leader, "SIGKILL");
  for (let round = 1; round < ROUNDS && open.length > 0; round++) open = endFound(found([], open));
  for (const { ended, settle } of tasks) settle(ended.size);
}

interface Found {
  readonly task: Task;
  readonly pid: number;
}

/** The live members of some groups and the carriers of some tokens, in one pass. */
function found(groups: readonly Task[], carried: readonly Task[]): readonly Found[] {
  const byGroup = new Map(groups.map((task) => [task.leader, task]));
  const byToken = new Map(carried.map((task) => [task.token, task]));
  if (byGroup.size + byToken.size === 0) return [];
  return allPids().flatMap((pid) => {
    if (pid === process.pid) return [];
    const member = byGroup.size === 0 ? undefined : byGroup.get(groupOf(pid));
    const task = member ?? (byToken.size === 0 ? undefined : markedBy(byToken, tokenOf(pid)));
    return task === undefined || task.ended.has(pid) ? [] : [{ task, pid }];
  });
}

function markedBy(byToken: ReadonlyMap<string, Task>, token: string): Task | undefined {
  for (const one of token === "" ? [] : tokensAround(token)) {
    const task = byToken.get(one);
    if (task !== undefined) return task;
  }
  return undefined;
}

/**
 * Has a child that ended well left a process that is neither in its group nor on its pipes? Looked for among those that
 * began after it, mostly none. One that took the mark out of its environment is not seen.
 */
export function hasEscaped({ leader, token }: Remains): boolean {
  const later = pidsAfter(leader) ?? allPids();
  return later.some((pid) => pid !== process.pid && tokensAround(tokenOf(pid)).includes(token));
}

/** Sends KILL to each; gives the tasks that had some, for there may be more by now. */
function endFound(all: readonly Found[]): readonly Task[] {
  for (const { task, pid } of all) {
    task.ended.add(pid);
    killOne(pid);
  }
  return [...new Set(all.map(({ task }) => task))];
}

function killOne(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone by itself in the meantime.
  }
}
