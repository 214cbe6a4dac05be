import type { ChildProcess } from "node:child_process";
import { closeSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { unrepeatable } from "../fs/disk.ts";
import { errnoCode } from "../protocol/errno.ts";
import type { SandboxedStart } from "./process-request.ts";

/** The child, or the errno of a start that failed at once. */
export function spawnChild(start: SandboxedStart, hasStdin: boolean): ChildProcess | string {
  unrepeatable.count++;
  closeInheritedNow();
  try {
    const child = spawnByNode(start, hasStdin);
    if (child.pid !== undefined) noteWhileRunning(child, child.pid);
    return child;
  } catch (error) {
    return errnoCode(error) ?? String(error);
  }
}

const running = new Set<number>();

/** True for a child of this process that was started here and has not exited. */
export const isRunningChild = (pid: number): boolean => running.has(pid);

function noteWhileRunning(child: ChildProcess, pid: number): void {
  running.add(pid);
  child.on("exit", () => running.delete(pid));
}

function spawnByNode(start: SandboxedStart, hasStdin: boolean): ChildProcess {
  // Loaded at the first start, because it takes 2 ms that a call without hooks can save.
  const { spawn } = process.getBuiltinModule("node:child_process");
  return spawn(start.file, start.args, {
    cwd: start.cwd,
    env: start.env,
    // Its own group and session, so that it can be killed as a whole and cannot signal ours.
    detached: true,
    stdio: [hasStdin ? "pipe" : "ignore", "pipe", "pipe", ...extraDescriptors(start)],
  });
}

const FIRST_EXTRA = 3;

const extraDescriptors = ({ inputs, monitor }: SandboxedStart): readonly "pipe"[] =>
  [...inputs, ...(monitor === null ? [] : [monitor])].map(() => "pipe");

/** Writes the inputs of a sandbox that was just started. Returns a function that returns its report so far. */
export function connectDescriptors(child: ChildProcess, { inputs }: SandboxedStart): () => string {
  const extra = child.stdio?.slice(FIRST_EXTRA) ?? [];
  let report = "";
  for (const [index, stream] of extra.entries()) {
    // It may exit before it has read everything; its exit says why.
    stream?.on("error", () => undefined);
    const input = inputs[index];
    if (input !== undefined && stream != null && "end" in stream) stream.end(input);
    // Every stream is read, because a stream closes only after its end was read.
    stream?.on("data", (chunk: Buffer) => (report += chunk.toString("latin1")));
  }
  return () => report;
}

const CLOSE_ON_EXEC = 0o2000000;
/** Node marks inherited descriptors close-on-exec only up to the first gap above 15. */
const MARKED_BY_NODE = 15;

let [isWanted, isDone] = [false, false];

/**
 * Closes inherited descriptors before the first child starts, so that no hook gets them. For commands, which own their
 * process; a library must not close its host's files. Without /proc (macOS) the system gives a child only what is named.
 */
export function closeInheritedOnFirstStart(): void {
  isWanted = !isDone;
}

export function closeInheritedNow(): void {
  if (!isWanted) return;
  [isWanted, isDone] = [false, true];
  for (const descriptor of openDescriptors()) {
    if (descriptor > MARKED_BY_NODE && isInherited(descriptor)) closeQuietly(descriptor);
  }
}

function openDescriptors(): readonly number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  const file = `/proc/self/fdinfo/${descriptor}`;
  // The list contains the descriptor it was read through, which is closed by now; a thrown error costs 0.4 ms.
  if (!existsSync(file)) return false;
  try {
    const flags = /^flags:\s+([0-7]+)/m.exec(readFileSync(file, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}

function closeQuietly(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // Gone in the meantime.
  }
}
