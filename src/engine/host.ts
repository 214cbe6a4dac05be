import type { ProcessTable } from "../process/process-table.ts";
import type { ForegroundEnding, ForegroundRequest } from "../process/run-in-foreground.ts";
import type { Problem } from "../protocol/problem.ts";
import type { EngineHost } from "./run-context.ts";

export type StdinOutcome =
  | { readonly kind: "read"; readonly bytes: Uint8Array }
  | { readonly kind: "too-large" }
  | { readonly kind: "silent" }
  | { readonly kind: "unended" }
  | { readonly kind: "interrupted"; readonly signal: string }
  | { readonly kind: "unreadable"; readonly cause: string };

export interface StdinLimits {
  readonly bytes: number;
  readonly firstByteMs: number;
  /** Timeout until the end of stdin; null: none. */
  readonly endMs: number | null;
}

/** The controlling terminal, whatever stdin and stdout are redirected to. */
export interface Terminal {
  /** Prints the question and waits for a line; returns null if the terminal closed or a signal arrived. */
  readonly ask: (question: string) => Promise<string | null>;
  /** Hands the terminal to an editor or a pager until it ends. */
  readonly run: (request: ForegroundRequest) => Promise<ForegroundEnding>;
  readonly close: () => void;
}

/** All that a command reads, writes and depends on outside this program. Tests and the library pass their own. */
export interface Host extends EngineHost {
  readonly argv: readonly string[];
  readonly platform: string;
  readonly processId: number;
  readonly isStdinTerminal: () => boolean;
  readonly isStdoutTerminal: () => boolean;
  readonly isStderrTerminal: () => boolean;
  /** True if nobody can read stdout: a runtime opens the null device if stdout is closed. */
  readonly isStdoutNull: () => boolean;
  /** How many columns the terminal on stdout has; null: stdout is none. */
  readonly stdoutColumns: () => number | null;
  readonly stderrColumns: () => number | null;
  /** How many rows the terminal on stdout has; null if that is not known. */
  readonly stdoutRows: () => number | null;
  /** Reads stdin up to its limits. `silent`: no byte arrived in time; `unended`: its end did not. */
  readonly readStdin: (limits: StdinLimits) => Promise<StdinOutcome>;
  /** Writes to stdout. Returns null, or the errno of the failure. */
  readonly out: (text: string) => string | null;
  /** Writes to stderr. A failure is ignored. */
  readonly err: (text: string) => void;
  /** Called for each problem that is reported on stderr. */
  readonly reported?: (problem: Problem) => void;
  /** Opens the controlling terminal; null if there is none. */
  readonly openTerminal: () => Promise<Terminal | null>;
  /** The processes by which a command knows whether a person called it. */
  readonly readProcesses: () => Promise<ProcessTable>;
  /** The folder of programs such as sudo. Fixed, because a path that a variable chooses is the caller's choice. */
  readonly systemPrograms: string;
}
