import type { ChildProcess } from "node:child_process";
import { closeSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { unrepeatable } from "../fs/disk.ts";
import { errnoCode } from "../protocol/errno.ts";
import type { SandboxedStart } from "./process-request.ts";

/** What is used of a started child: a part of Node's `ChildProcess`. */
export interface SpawnedChild {
  readonly pid?: number | undefined;
  readonly stdin: ChildInput | null;
  readonly stdout: ChildOutput | null;
  readonly stderr: ChildOutput | null;
  /** Missing if no descriptor was left for the start. */
  readonly stdio?: readonly (ChildProcess["stdio"][4] | undefined)[];
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
  on(event: "exit" | "close", listener: ExitListener): unknown;
}

type ExitListener = (exitCode: number | null, signal: NodeJS.Signals | null) => void;

interface ChildStream {
  readonly destroy: () => unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

export interface ChildInput extends ChildStream {
  readonly write: (text: string) => unknown;
  readonly end: (text?: string) => unknown;
}

interface ChildOutput extends ChildStream {
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "data", listener: (chunk: Buffer) => void): unknown;
}

/** The child, or the errno of a start that failed at once. */
export function spawnChild(start: SandboxedStart, hasStdin: boolean): SpawnedChild | string {
  unrepeatable.count++;
  // The native executable's runtime gives a child nothing but what is named.
  if (bun === undefined) closeInheritedNow();
  try {
    // Further descriptors are for Node's function alone.
    const isByNode = bun === undefined || extraDescriptors(start).length > 0;
    const child = isByNode ? spawnByNode(start, hasStdin) : spawnByBun(bun, start, hasStdin);
    if (child.pid !== undefined) noteWhileRunning(child, child.pid);
    return child;
  } catch (error) {
    return errnoCode(error) ?? String(error);
  }
}

const running = new Set<number>();

/** True for a child of this process that was started here and has not exited. */
export const isRunningChild = (pid: number): boolean => running.has(pid);

function noteWhileRunning(child: SpawnedChild, pid: number): void {
  running.add(pid);
  child.on("exit", () => running.delete(pid));
}

function spawnByNode(start: SandboxedStart, hasStdin: boolean): SpawnedChild {
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
export function connectDescriptors(child: SpawnedChild, { inputs }: SandboxedStart): () => string {
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

interface BunProcess {
  readonly pid: number;
  readonly stdin: { readonly write: (text: string) => unknown; readonly end: () => unknown } | null;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly exited: Promise<number>;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
}

interface Bun {
  readonly spawn: (words: readonly string[], options: Readonly<Record<string, unknown>>) => BunProcess;
}

/** The runtime of the native executable. */
const { Bun: bun } = globalThis as { readonly Bun?: Bun };

/** Without Node's streams, which would take 4 ms of the native executable's first start. */
function spawnByBun(runtime: Bun, { file, args, cwd, env }: SandboxedStart, hasStdin: boolean): SpawnedChild {
  const stdin = hasStdin ? "pipe" : "ignore";
  const child = runtime.spawn([file, ...args], { cwd, env, detached: true, stdin, stdout: "pipe", stderr: "pipe" });
  const stdout = outputOf(child.stdout);
  const stderr = outputOf(child.stderr);
  const listenAfter = (event: Promise<unknown>, listener: ExitListener): void =>
    void event.then(() => listener(child.signalCode === null ? child.exitCode : null, child.signalCode));
  return {
    pid: child.pid,
    stdin: hasStdin ? inputOf(child) : null,
    stdout,
    stderr,
    stdio: [],
    on: (event: "error" | "exit" | "close", listener: (...words: never[]) => void) => {
      if (event === "exit") listenAfter(child.exited, listener as ExitListener);
      // A start that fails throws.
      if (event === "close")
        listenAfter(Promise.all([child.exited, stdout.ended, stderr.ended]), listener as ExitListener);
    },
  };
}

function inputOf({ stdin }: BunProcess): ChildInput {
  // A child that does not read its stdin is no error.
  const attempt = (act: () => unknown): void => {
    try {
      const pending = act();
      if (pending instanceof Promise) pending.catch(() => undefined);
    } catch {
      // It ended before.
    }
  };
  const write = (text: string): void => attempt(() => stdin?.write(text));
  const end = (text = ""): void => {
    if (text !== "") write(text);
    attempt(() => stdin?.end());
  };
  return { write, end, destroy: () => end(), on: () => undefined };
}

function outputOf(stream: ReadableStream<Uint8Array>): ChildOutput & { readonly ended: Promise<void> } {
  const reader = stream.getReader();
  let listener: (chunk: Buffer) => void = () => undefined;
  const readAll = async (): Promise<void> => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      listener(Buffer.from(part.value.buffer, part.value.byteOffset, part.value.byteLength));
    }
  };
  return {
    ended: readAll().catch(() => undefined),
    destroy: () => void reader.cancel().catch(() => undefined),
    on: (event: "error" | "data", onEvent: (argument: never) => void) => {
      if (event === "data") listener = onEvent as (chunk: Buffer) => void;
    },
  };
}

const CLOSE_ON_EXEC = 0o2000000;
/** Node marks inherited descriptors close-on-exec only up to the first gap above 15. */
const MARKED_BY_NODE = 15;

let isWanted = false;

/**
 * Closes inherited descriptors before the first child starts, so that no hook gets them. For commands, which own their
 * process; a library must not close its host's files. Without /proc (macOS) the system gives a child only what is named.
 */
export function closeInheritedOnFirstStart(): void {
  isWanted = true;
}

export function closeInheritedNow(): void {
  if (!isWanted) return;
  isWanted = false;
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
