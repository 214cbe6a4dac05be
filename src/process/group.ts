import { errnoCode } from "../protocol/errno.ts";
import { childrenOf, processGroup } from "./process-table.ts";

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
