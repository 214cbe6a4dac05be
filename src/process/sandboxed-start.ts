import { descendantsInGroup, processGroup } from "./kill-descendants.ts";
import type { Termination } from "./process-request.ts";
import type { SpawnedChild } from "./spawn-child.ts";

/** A program with its arguments, folder and environment. */
export interface ProgramStart {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** True if processes that it leaves behind are not killed. */
  readonly mayLeaveProcesses: boolean;
}

/** Locks a program in: returns the start of another program that starts it inside. */
export type ProcessSandbox = (start: ProgramStart) => SandboxedStart;

/** The start of a sandbox with a program inside. */
export interface SandboxedStart extends Pick<ProgramStart, "file" | "args" | "cwd" | "env"> {
  /** What it reads from the descriptors 3, 4, … */
  readonly inputs: readonly Uint8Array[];
  /** Null: the program replaces the sandbox, so that its end is seen directly. */
  readonly monitor: SandboxMonitor | null;
}

/** A sandbox that stays beside its program as two processes: one outside, and the first process inside. */
export interface SandboxMonitor {
  /** How the program ended. `report` is what the sandbox wrote to the descriptor after its inputs. */
  readonly readExit: (report: string, exitCode: number, stderr: string) => Termination;
  /** The PID of the first process inside; null: not reported yet. */
  readonly firstInside: (report: string) => number | null;
}

/** The descendants of a monitor that are no descendants of its program: the first process inside, and the program. */
export const MONITOR_PROCESSES = 2;

const FIRST_EXTRA = 3;

export const extraDescriptors = ({ inputs, monitor }: SandboxedStart): readonly "pipe"[] =>
  [...inputs, ...(monitor === null ? [] : [monitor])].map(() => "pipe");

/** Writes the inputs of a sandbox that was just started. Returns a function that returns its report so far. */
export function connectDescriptors(child: SpawnedChild, { inputs }: SandboxedStart): () => string {
  const extra = child.stdio?.slice(FIRST_EXTRA) ?? [];
  let report = "";
  for (const [index, stream] of extra.entries()) {
    // It may exit before it has read everything; its exit says why.
    stream?.on("error", () => undefined);
    const input = inputs[index];
    if (input !== undefined && stream != null && "end" in stream) stream.end(input);
    // Also read where nothing comes, because a stream closes only after its end was read.
    stream?.on("data", (chunk: Buffer) => (report += chunk.toString("latin1")));
  }
  return () => report;
}

/**
 * True while a process may be left inside: the system kills all of them before the first one is gone. As an orphan it
 * may stay a zombie, which still counts as a member of its group for signals.
 */
export const isInsideAlive = (first: number | null, leader: number): boolean =>
  first !== null && processGroup(first) === leader;

/**
 * Asks the processes inside to exit. The monitor would exit at once and take them with it, and the first process inside
 * ignores the signal, so the others have their grace period.
 */
export function terminateInside(leader: number): void {
  for (const pid of descendantsInGroup(leader)) {
    try {
      process.kill(pid, "SIGTERM");
    } catch {
      // It has exited in the meantime.
    }
  }
}
