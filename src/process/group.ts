import { readdirSync, readFileSync } from "node:fs";
import { TOKEN_VARIABLE } from "./process-request.ts";

/** Sends a signal to every process of a group. False: the group has no process any more. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch (error) {
    // EPERM: there is someone, but not ours to signal (a set-uid program).
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Ends what is left of a child: its group, and descendants that left the group but still carry the token in their
 * environment (Linux). Repeats, because a process may fork while the list is read. Returns how many there were.
 */
export function endDescendants(leader: number, token: string, searchEscaped: boolean): number {
  const ended = new Set<number>();
  for (let round = 0; round < 10; round++) {
    const left = [...membersOf(leader), ...(searchEscaped ? carriersOf(token) : [])].filter((pid) => !ended.has(pid));
    if (left.length === 0) break;
    signalGroup(leader, "SIGKILL");
    for (const pid of left) {
      ended.add(pid);
      killOne(pid);
    }
  }
  signalGroup(leader, "SIGKILL");
  return ended.size;
}

export const countGroup = (leader: number): number => membersOf(leader).length;

/** The live processes of a group; empty without a /proc. */
function membersOf(leader: number): readonly number[] {
  if (!signalGroup(leader, 0)) return [];
  return allPids().filter((pid) => {
    const stat = readProc(pid, "stat");
    const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(group) === leader && state !== "Z";
  });
}

function carriersOf(token: string): readonly number[] {
  const wanted = `${TOKEN_VARIABLE}=${token}\0`;
  return allPids().filter((pid) => pid !== process.pid && `${readProc(pid, "environ")}\0`.includes(wanted));
}

function allPids(): readonly number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function readProc(pid: number, file: "stat" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

function killOne(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone by itself in the meantime.
  }
}
