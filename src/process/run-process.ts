import type { ChildProcess } from "node:child_process";
import { headAndTail, limitedBuffer } from "./bounded-output.ts";
import {
  type ChildRemains,
  descendantsInGroup,
  isInsideAlive,
  killDescendants,
  MONITOR_PROCESSES,
  mayHaveLeftProcesses,
  signalGroup,
  terminateInside,
} from "./kill-descendants.ts";
import {
  monotonicMs,
  type ProcessOutcome,
  type ProcessRequest,
  type SandboxedStart,
  type Termination,
  tokenDepth,
} from "./process-request.ts";
import { connectDescriptors, spawnChild } from "./spawn-child.ts";

/** A file that is still being written, or a full process table, is often fine a moment later. */
const RETRY = { codes: ["ETXTBSY", "EAGAIN"], times: 4, pauseMs: 25 };

/** Starts one child and waits for its exit. Never rejects. A timeout or too much output terminates its process group. */
export async function runProcess(request: ProcessRequest): Promise<ProcessOutcome> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await runOnce(request);
    const { termination } = outcome;
    if (termination.kind !== "not-started" || !RETRY.codes.includes(termination.errno) || attempt > RETRY.times)
      return outcome;
    await new Promise((resume) => setTimeout(resume, RETRY.pauseMs));
  }
}

async function runOnce(request: ProcessRequest): Promise<ProcessOutcome> {
  const { input, timeoutMs } = request;
  const output = { stdout: limitedBuffer(request.stdoutLimitBytes), stderr: headAndTail() };
  const endLate = (): void => child.terminate({ kind: "timed-out", afterMs: timeoutMs }, graceMsOf(request));
  // A start may take long on a busy machine; that time is part of the timeout.
  const timer = setTimeout(endLate, timeoutMs);
  const child = startChild({ ...request, hasStdin: input !== null }, output);
  child.stdin?.cork();
  for (const part of [input ?? []].flat()) child.stdin?.write(part);
  child.stdin?.end();
  const outcome = await child.outcome;
  clearTimeout(timer);
  return outcome;
}

/** From SIGTERM to SIGKILL, so that a hook can clean up. */
const GRACE_MS = 500;
/** A nested hookctl gives its hooks less time, so that they are gone before it is killed itself. */
const GRACE_REDUCTION_PER_LEVEL_MS = 150;
const MIN_GRACE_MS = 100;

export const graceMsOf = ({ token }: Pick<ProcessRequest, "token">): number =>
  Math.max(MIN_GRACE_MS, GRACE_MS - GRACE_REDUCTION_PER_LEVEL_MS * tokenDepth(token));

/** From SIGKILL until a process in uninterruptible sleep is given up. */
const GIVE_UP_MS = 100;
/** After the exit, for output that is still in the pipe. */
const DRAIN_MS = 100;
/** The same after a timeout, when only stderr is still used. */
const LATE_DRAIN_MS = 20;
/** Between two checks whether a terminated group is gone. */
const GROUP_POLL_MS = 10;
const SANDBOX_POLL_MS = 1;

/** The request for a child. The caller handles its input and timeout. */
interface ChildRequest extends Omit<ProcessRequest, "input" | "timeoutMs"> {
  readonly hasStdin: boolean;
}

/** Where the output of a child goes. */
export interface Output {
  readonly stdout: {
    readonly add: (chunk: Buffer) => void;
    readonly bytes: () => Uint8Array;
    readonly isOver: () => boolean;
  };
  readonly stderr: { readonly add: (chunk: Buffer) => void; readonly text: () => string };
}

/** A child. If it could not be started, its outcome contains the reason. */
interface Child {
  readonly stdin: ChildProcess["stdin"];
  /** Sends SIGTERM to its process group, and SIGKILL after the grace period. The first reason is reported. */
  readonly terminate: (why: Termination, graceMs: number) => void;
  /** True once it is being terminated: output from now on is ignored. */
  readonly isTerminating: () => boolean;
  /** Settles when the child and its descendants are gone. Never rejects. */
  readonly outcome: Promise<ProcessOutcome>;
}

/** Starts one child. An interrupt or too much output terminates it; a timeout is up to the caller. */
export function startChild(request: ChildRequest, output: Output): Child {
  const startedMs = monotonicMs();
  const outcomeOf = (termination: Termination, killed: number): ProcessOutcome => ({
    termination,
    stdout: output.stdout.bytes(),
    stderr: output.stderr.text(),
    durationMs: monotonicMs() - startedMs,
    killedDescendants: killed,
  });
  // Signal handlers are set before the start: a signal in between would kill hookctl and leave the child behind.
  request.interrupt.listen(() => undefined)();
  const signal = request.interrupt.raised();
  if (signal !== null) return notStarted(outcomeOf({ kind: "interrupted", signal }, 0));
  const start = request.sandbox?.(request) ?? { ...request, inputs: [], monitor: null };
  const started = spawnChild(start, request.hasStdin);
  if (typeof started === "string") return notStarted(outcomeOf({ kind: "not-started", errno: started }, 0));
  let watched: Watched = { terminate: () => undefined, isTerminating: () => false };
  const outcome = new Promise<ProcessOutcome>((settle) => {
    watched = watch(started, { ...request, start, startedMs }, output, (termination, killed) =>
      settle(outcomeOf(termination, killed)),
    );
  });
  return { stdin: started.stdin, outcome, ...watched };
}

const notStarted = (outcome: ProcessOutcome): Child => ({
  stdin: null,
  terminate: () => undefined,
  isTerminating: () => true,
  outcome: Promise.resolve(outcome),
});

type Watched = Pick<Child, "terminate" | "isTerminating">;

/** A request with the program that was started for it. */
interface StartedRequest extends ChildRequest {
  readonly start: SandboxedStart;
  readonly startedMs: number;
}

/** Turns the child's events into one outcome; the first reason of a termination is reported. */
function watch(
  child: ChildProcess,
  request: StartedRequest,
  output: Output,
  settle: (termination: Termination, killed: number) => void,
): Watched {
  const { monitor } = request.start;
  const reportSoFar = connectDescriptors(child, request.start);
  const timers: NodeJS.Timeout[] = [];
  let cause: Termination | null = null;
  let exited: Termination | null = null;
  let isSettled = false;
  let ended = 0;

  const after = (ms: number, run: () => void): void => {
    if (!isSettled) timers.push(setTimeout(run, ms));
  };
  const finish = (isHeldOpen: boolean): void => {
    if (isSettled) return;
    isSettled = true;
    for (const timer of timers) clearTimeout(timer);
    stopListening();
    // After `close` the streams are gone.
    if (isHeldOpen) for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    const termination = cause ?? programExit() ?? { kind: "not-started", errno: "unknown" };
    const remains = remainsOf(child, request, cause !== null, isHeldOpen);
    if (remains === null) settle(termination, ended);
    // In a sandbox they may be dying already, so only processes that were there before are reported.
    else void killDescendants(remains).then((count) => settle(termination, monitor === null ? ended + count : ended));
  };
  /** Of a monitor only the exit code tells how its program ended. */
  const programExit = (): Termination | null =>
    monitor === null || exited?.kind !== "exited"
      ? exited
      : monitor.readExit(reportSoFar(), exited.exitCode, output.stderr.text());
  /** If hookctl itself was busy, timers fire before full pipes are read: so the pipes are read first. */
  const finishRead = (): void => void setImmediate(() => finish(true));
  /**
   * The whole group of a terminated child has the grace period, also if its leader exited at once. What a program leaves
   * behind in a sandbox is killed by the system, which may take a moment.
   */
  const finishWithGroup = (): void => {
    const isAwaited = cause !== null || (monitor !== null && !request.mayLeaveProcesses);
    if (isAwaited && isGroupAlive()) after(cause === null ? SANDBOX_POLL_MS : GROUP_POLL_MS, finishWithGroup);
    else finish(false);
  };
  const isGroupAlive = (): boolean => {
    if (child.pid === undefined) return false;
    return monitor === null ? signalGroup(child.pid, 0) : isInsideAlive(monitor.firstInside(reportSoFar()), child.pid);
  };
  const terminate = (why: Termination, graceMs: number): void => {
    const leader = child.pid;
    // Without a pid nothing was started, and pid 0 would mean our own group.
    if (cause !== null || isSettled || leader === undefined) return;
    // It exited in time; only its descendants are still running.
    if (exited !== null && why.kind === "timed-out") return;
    cause = why;
    // Counted before the signal kills them.
    ended = Math.max(0, descendantsInGroup(leader).length - (monitor === null ? 0 : MONITOR_PROCESSES));
    if (graceMs > 0 && monitor !== null) terminateInside(leader);
    else signalGroup(leader, graceMs > 0 ? "SIGTERM" : "SIGKILL");
    after(graceMs, () => signalGroup(leader, "SIGKILL"));
    after(graceMs + GIVE_UP_MS, () => finish(true));
  };
  const onInterrupt = (signal: string) => terminate({ kind: "interrupted", signal }, graceMsOf(request));
  const stopListening = request.interrupt.listen(onInterrupt, request);

  child.on("error", (error: NodeJS.ErrnoException) => {
    // With a pid it is only a signal that could not be sent.
    if (child.pid !== undefined) return;
    exited = { kind: "not-started", errno: startErrno(error, request) };
    finish(false);
  });
  child.on("exit", (exitCode, signal) => {
    exited = signal === null ? { kind: "exited", exitCode: exitCode ?? 0 } : { kind: "signalled", signal };
    // After a timeout only the group is waited for, not a process that left it and holds a pipe.
    if (cause !== null && !isGroupAlive()) after(LATE_DRAIN_MS, finishRead);
    // `close` usually follows at once: a timer for each exit would be useless.
    if (cause === null) process.nextTick(() => after(DRAIN_MS, finishRead));
  });
  child.on("close", () => finishWithGroup());
  child.stdout?.on("data", (chunk: Buffer) => {
    output.stdout.add(chunk);
    if (output.stdout.isOver()) terminate({ kind: "too-much-output", limitBytes: request.stdoutLimitBytes }, 0);
  });
  child.stderr?.on("data", output.stderr.add);
  // A hook may exit without reading its stdin. And if no process or descriptor was left for the start, Node reports
  // errors of pipes that were never connected; without a listener they would end hookctl.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {});
  return { terminate, isTerminating: () => cause !== null };
}

/** The errno of a failed start. That of a sandbox must not read as if the program were missing. */
function startErrno(error: NodeJS.ErrnoException, { sandbox }: StartedRequest): string {
  const errno = error.code ?? error.message;
  return sandbox === null || RETRY.codes.includes(errno) ? errno : `its sandbox did not start (${errno})`;
}

/** The processes to kill that a child may have left behind; null if there are none, or if they may stay. */
function remainsOf(
  child: ChildProcess,
  request: StartedRequest,
  wasEnded: boolean,
  isHeldOpen: boolean,
): ChildRemains | null {
  if (child.pid === undefined || (request.mayLeaveProcesses && !wasEnded)) return null;
  // Without its sandbox nothing of a program is left.
  if (request.start.monitor !== null && !wasEnded && !isHeldOpen) return null;
  const remains = { leader: child.pid, token: request.token };
  const isSeen = wasEnded || isHeldOpen || mayHaveLeftProcesses(remains, monotonicMs() - request.startedMs);
  return isSeen ? remains : null;
}
