/** Milliseconds of a clock that never runs backwards. Not `performance`: its first use loads 0.7 ms of code. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** When something must have ended, by its clock; infinite: no deadline. */
export interface Deadline {
  readonly atMs: number;
  readonly elapsedMs: () => number;
}

export const remainingMs = ({ atMs, elapsedMs }: Deadline): number => atMs - elapsedMs();

/** Everything a child gets. Nothing is inherited by accident: no variable, no descriptor, no folder. */
export interface ProcessRequest {
  /** Absolute path of the program; never a shell line. */
  readonly file: string;
  readonly args: readonly string[];
  /** The text for stdin, or its parts; null closes it at once. */
  readonly input: string | readonly (string | Buffer)[] | null;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Infinite if the output is not used. */
  readonly stdoutLimitBytes: number;
  /** True if processes that the child leaves behind are not killed. */
  readonly mayLeaveProcesses: boolean;
  /** The value of TOKEN_VARIABLE in `env`, by which descendants are found that left the process group. */
  readonly token: string;
  readonly interrupt: Interrupt;
  /** Null if the program runs without a sandbox. */
  readonly sandbox: ProcessSandbox | null;
}

type Defaults = "input" | "mayLeaveProcesses" | "sandbox";
/** The fields that each caller sets; the others have defaults. */
export type ProcessStart = Omit<ProcessRequest, Defaults | "token"> & Partial<Pick<ProcessRequest, Defaults>>;

/** Completes a request: no stdin, no sandbox, no process may be left behind, and the token from the environment. */
export const processRequest = (start: ProcessStart): ProcessRequest => ({
  input: null,
  mayLeaveProcesses: false,
  sandbox: null,
  ...start,
  token: start.env[TOKEN_VARIABLE] ?? "",
});

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
  /** The content of its descriptors 3, 4, … */
  readonly inputs: readonly Uint8Array[];
  /** Null if the program replaces the sandbox, so that its end is seen directly. */
  readonly monitor: SandboxMonitor | null;
}

/** A sandbox that stays beside its program as two processes: one outside, and the first process inside. */
export interface SandboxMonitor {
  /** How the program ended. `report` is what the sandbox wrote to the descriptor after its inputs. */
  readonly readExit: (report: string, exitCode: number, stderr: string) => Termination;
  /** The PID of the first process inside; null before it is reported. */
  readonly firstInside: (report: string) => number | null;
}

/** A signal to hookctl, which terminates every child. */
export type StartedName = Pick<ProcessRequest, "file" | "args"> & { readonly purpose?: string };

export interface Interrupt {
  readonly raised: () => string | null;
  /** Calls back at most once; returns how to stop listening. `program`: what the listener waits for, and what for, to show it. */
  readonly listen: (onInterrupt: (signal: string) => void, program?: StartedName) => () => void;
}

export type Termination =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "timed-out"; readonly afterMs: number }
  | { readonly kind: "interrupted"; readonly signal: string }
  | { readonly kind: "too-much-output"; readonly limitBytes: number }
  | { readonly kind: "not-started"; readonly errno: string };

export interface ProcessOutcome {
  readonly termination: Termination;
  readonly stdout: Uint8Array;
  /** The first and the last 32 KiB; the bytes between are only counted. */
  readonly stderr: string;
  readonly durationMs: number;
  /** How many descendants were still alive and were killed. */
  readonly killedDescendants: number;
}

/** Marks a child and its descendants, also the hooks of a hookctl that a hook calls. */
export const TOKEN_VARIABLE = "HOOKCTL_TOKEN";

const BETWEEN = "/";
const LONGEST = 200;

let starts = 0;

/** A new token for each start, so that two runs at the same time do not kill each other's children. */
export const newToken = (runId: string): string => `${runId}-${process.pid}-${starts++}`;

/** An environment with a new token in it. */
export const withNewToken = (
  env: Readonly<Record<string, string>>,
  runId: string,
): Readonly<Record<string, string>> => ({
  ...env,
  [TOKEN_VARIABLE]: newToken(runId),
});

/** The token of a new child; it begins with the token of the hook in which hookctl itself runs, if any. */
export function childToken(caller: string | undefined, own: string): string {
  const isOurs = caller !== undefined && caller.length <= LONGEST && /^[\w-]+(\/[\w-]+)*$/.test(caller);
  return isOurs ? `${caller}${BETWEEN}${own}` : own;
}

/** How many hookctl processes are above the one that started the child with this token. */
export const tokenDepth = (token: string): number => token.split(BETWEEN).length - 1;

/** A token and the tokens that enclose it, its own first. */
export function enclosingTokens(token: string): readonly string[] {
  const parts = token.split(BETWEEN);
  return parts.map((_, index) => parts.slice(0, parts.length - index).join(BETWEEN));
}
