import type { ChildProcess } from "node:child_process";
import { errnoCode } from "../protocol/errno.ts";
import { monotonicMs } from "./clock.ts";
import { closeInheritedNow } from "./descriptors.ts";
import {
  type ChildRemains,
  countDescendants,
  hasEscapedDescendants,
  killDescendants,
  signalGroup,
} from "./kill-descendants.ts";
import { type ProcessOutcome, type ProcessRequest, type Termination, tokenDepth } from "./process-request.ts";

/** From TERM to KILL, for a hook that wants to clean up. */
const GRACE_MS = 500;
/** A hookctl that a hook calls gives its own hooks less, so that it has ended them before it is ended itself. */
const GRACE_REDUCTION_PER_LEVEL_MS = 150;
const MIN_GRACE_MS = 100;

export const graceMsOf = ({ token }: Pick<ProcessRequest, "token">): number =>
  Math.max(MIN_GRACE_MS, GRACE_MS - GRACE_REDUCTION_PER_LEVEL_MS * tokenDepth(token));

/** From KILL to giving up on a process that even KILL does not end (uninterruptible sleep). */
const GIVE_UP_MS = 100;
/** After the exit, for output that is still under way. */
const DRAIN_MS = 100;
/** The same after a limit, when only stderr still counts. */
const LATE_DRAIN_MS = 20;
/** Between two looks whether a group that was told to end is gone. */
const GROUP_POLL_MS = 10;

/** What a child gets; how long it may take and what it is told is up to whoever opened it. */
export interface ChildRequest extends Omit<ProcessRequest, "input" | "timeoutMs"> {
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

/** A child that was started, or could not be: then its outcome says so already. */
export interface Child {
  readonly stdin: ChildProcess["stdin"];
  /** Ends its whole group: TERM, and KILL after the grace. The first cause of an end names it. */
  readonly terminate: (why: Termination, graceMs: number) => void;
  /** It is being ended from here: what it says from now on does not count. */
  readonly isTerminating: () => boolean;
  /** How it ended, when it and all that it left behind are gone. Never rejects. */
  readonly outcome: Promise<ProcessOutcome>;
}

/** Starts one child. An interrupt or too much output ends it; anything else is up to the caller. */
export function startChild(request: ChildRequest, output: Output): Child {
  const startedMs = monotonicMs();
  const outcomeOf = (termination: Termination, killed: number): ProcessOutcome => ({
    termination,
    stdout: output.stdout.bytes(),
    stderr: output.stderr.text(),
    durationMs: monotonicMs() - startedMs,
    killedDescendants: killed,
  });
  // Armed before the start: a signal in between would end us and leave the child behind. After one nothing is started.
  request.interrupt.listen(() => undefined)();
  const signal = request.interrupt.raised();
  if (signal !== null) return notStarted(outcomeOf({ kind: "interrupted", signal }, 0));
  const started = spawnChild(request);
  if (typeof started === "string") return notStarted(outcomeOf({ kind: "not-started", errno: started }, 0));
  let watched: Watched = { terminate: () => undefined, isTerminating: () => false };
  const outcome = new Promise<ProcessOutcome>((settle) => {
    watched = watch(started, request, output, (termination, killed) => settle(outcomeOf(termination, killed)));
  });
  return { stdin: started.stdin, outcome, ...watched };
}

const notStarted = (outcome: ProcessOutcome): Child => ({
  stdin: null,
  terminate: () => undefined,
  isTerminating: () => true,
  outcome: Promise.resolve(outcome),
});

/** The child, or the errno of a start that failed at once. */
function spawnChild(request: ChildRequest): ChildProcess | string {
  closeInheritedNow();
  // Loaded at the first start: a call without hooks does not pay for it (2 ms).
  const { spawn } = process.getBuiltinModule("node:child_process");
  try {
    return spawn(request.file, request.args, {
      cwd: request.cwd,
      env: request.env,
      // Its own group (and session), so that it can be ended whole and cannot signal ours.
      detached: true,
      stdio: [request.hasStdin ? "pipe" : "ignore", "pipe", "pipe"],
    });
  } catch (error) {
    return errnoCode(error) ?? String(error);
  }
}

type Watched = Pick<Child, "terminate" | "isTerminating">;

/** Ties the child's events to one settlement: the first cause of an end names it. */
function watch(
  child: ChildProcess,
  request: ChildRequest,
  output: Output,
  settle: (termination: Termination, killed: number) => void,
): Watched {
  const timers: NodeJS.Timeout[] = [];
  let cause: Termination | null = null;
  let exited: Termination | null = null;
  let isSettled = false;
  let ended = 0;

  const after = (ms: number, run: () => void): void => {
    timers.push(setTimeout(run, ms));
  };
  const finish = (isHeldOpen: boolean): void => {
    if (isSettled) return;
    isSettled = true;
    for (const timer of timers) clearTimeout(timer);
    stopListening();
    // After `close` the streams are gone already.
    if (isHeldOpen) for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    const termination = cause ?? exited ?? { kind: "not-started", errno: "unknown" };
    const remains = remainsOf(child, request, cause !== null, isHeldOpen);
    if (remains === null) settle(termination, ended);
    else void killDescendants(remains).then((count) => settle(termination, ended + count));
  };
  /** A program that was busy comes back to a time that is over and to pipes that are full: it reads them first. */
  const finishRead = (): void => void setImmediate(() => finish(true));
  /** Of a child that is being ended the whole group has its time to clean up, also one whose leader went at once. */
  const finishWithGroup = (): void => {
    if (cause === null || child.pid === undefined || !signalGroup(child.pid, 0)) finish(false);
    else after(GROUP_POLL_MS, finishWithGroup);
  };
  const terminate = (why: Termination, graceMs: number): void => {
    const leader = child.pid;
    // Without a pid nothing was started; 0 in its place would be our own group.
    if (cause !== null || isSettled || leader === undefined) return;
    // It answered in time: only what it left behind is still waited for.
    if (exited !== null && why.kind === "timed-out") return;
    cause = why;
    // Before they die of the signal.
    ended = countDescendants(leader);
    signalGroup(leader, graceMs > 0 ? "SIGTERM" : "SIGKILL");
    after(graceMs, () => signalGroup(leader, "SIGKILL"));
    after(graceMs + GIVE_UP_MS, () => finish(true));
  };
  const stopListening = request.interrupt.listen((signal) =>
    terminate({ kind: "interrupted", signal }, graceMsOf(request)),
  );

  child.on("error", (error: NodeJS.ErrnoException) => {
    // Without a pid nothing was started; with one it is a failed signal, which changes nothing.
    if (child.pid !== undefined) return;
    exited = { kind: "not-started", errno: error.code ?? error.message };
    finish(false);
  });
  child.on("exit", (exitCode, signal) => {
    exited = signal === null ? { kind: "exited", exitCode: exitCode ?? 0 } : { kind: "signalled", signal };
    // After a limit only the group's own time to clean up is waited for, not one that left it and holds a pipe.
    if (cause === null) after(DRAIN_MS, finishRead);
    else if (child.pid !== undefined && !signalGroup(child.pid, 0)) after(LATE_DRAIN_MS, finishRead);
  });
  child.on("close", () => finishWithGroup());
  child.stdout?.on("data", (chunk: Buffer) => {
    output.stdout.add(chunk);
    if (output.stdout.isOver()) terminate({ kind: "too-much-output", limitBytes: request.stdoutLimitBytes }, 0);
  });
  child.stderr?.on("data", output.stderr.add);
  // A hook may leave without reading its stdin: the broken pipe is no fault. And where the start failed for want of
  // processes or descriptors, Node reports pipes that were never connected: unheard, that would end hookctl.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {});
  return { terminate, isTerminating: () => cause !== null };
}

/** A hook's life ends with its answer (SPEC 5): what it left behind is ended, wherever it went. */
function remainsOf(
  child: ChildProcess,
  request: ChildRequest,
  wasEnded: boolean,
  isHeldOpen: boolean,
): ChildRemains | null {
  if (child.pid === undefined || (request.mayLeaveProcesses && !wasEnded)) return null;
  const remains = { leader: child.pid, token: request.token };
  const isSeen = wasEnded || isHeldOpen || signalGroup(child.pid, 0);
  return isSeen || hasEscapedDescendants(remains) ? remains : null;
}
