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

/** Marks a child and all that descends from it: of a hook that calls hookctl again the hooks of that call as well. */
export const TOKEN_VARIABLE = "HOOKCTL_TOKEN";

const BETWEEN = "/";
const LONGEST = 200;

let starts = 0;

/**
 * A mark of its own for each start: whatever still carries it afterwards is a descendant of this very process. Two runs
 * of one name, at the same time, must not end each other's children.
 */
export const newToken = (runId: string): string => `${runId}-${process.pid}-${starts++}`;

/** The mark of a new child: behind that of the child in which we run ourselves, if we do. */
export function childToken(caller: string | undefined, own: string): string {
  const isOurs = caller !== undefined && caller.length <= LONGEST && /^[\w-]+(\/[\w-]+)*$/.test(caller);
  return isOurs ? `${caller}${BETWEEN}${own}` : own;
}

/** In how many children of hookctl a child with this mark runs, itself not counted. */
export const tokenDepth = (token: string): number => token.split(BETWEEN).length - 1;

/** A mark and those of the children around it, the own one first. */
export function enclosingTokens(token: string): readonly string[] {
  const parts = token.split(BETWEEN);
  return parts.map((_, index) => parts.slice(0, parts.length - index).join(BETWEEN));
}
