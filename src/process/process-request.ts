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
  /** Infinite where nobody reads it. */
  readonly stdoutLimitBytes: number;
  /** The child may leave processes behind that go on after its answer. */
  readonly mayLeaveProcesses: boolean;
  /** The value of TOKEN_VARIABLE in `env`: finds descendants that left the process group. */
  readonly token: string;
  readonly interrupt: Interrupt;
}

/** A signal to hookctl that ends every child. */
export interface Interrupt {
  readonly raised: () => string | null;
  /** Calls back at most once; returns how to stop listening. */
  readonly listen: (onInterrupt: (signal: string) => void) => () => void;
}

export { TOKEN_VARIABLE } from "./token.ts";

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
  /** Descendants that were still there and were ended. */
  readonly killedDescendants: number;
}
