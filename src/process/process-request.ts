import type { ProcessSandbox } from "./sandboxed-start.ts";

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
  /** Text for stdin; null closes it at once. */
  readonly input: string | null;
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
  /** Null: it runs without a sandbox. */
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

/** A signal to hookctl, which terminates every child. */
export interface Interrupt {
  readonly raised: () => string | null;
  /** Calls back at most once; returns how to stop listening. */
  readonly listen: (onInterrupt: (signal: string) => void) => () => void;
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
  /** The first and the last 32 KiB; what is between is counted, not kept. */
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
