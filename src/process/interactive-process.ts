import { headAndTail, lineReader } from "./bounded-output.ts";
import { type ProcessOutcome, type ProcessStart, processRequest, type Termination } from "./process-request.ts";
import { graceMsOf, startChild } from "./run-process.ts";

/** The time between closing its stdin, which should make it exit, and SIGTERM. */
const STDIN_CLOSE_GRACE_MS = 200;

/** A child that exchanges lines with hookctl until it is closed. */
export interface InteractiveProcess {
  /** Starts counting its stdout and keeping its stderr from zero. */
  readonly resetOutput: () => void;
  readonly writeLine: (line: string) => void;
  /** Terminates its process group, as after a timeout. */
  readonly terminate: (why: Termination) => void;
  readonly isTerminating: () => boolean;
  readonly stderr: () => string;
  /** Closes its stdin and waits until it and its group are gone. */
  readonly close: () => Promise<void>;
  readonly outcome: Promise<ProcessOutcome>;
}

export type InteractiveStart = Omit<ProcessStart, "input" | "timeoutMs" | "mayLeaveProcesses">;

/** Starts a child that exchanges lines. It has no timeout of its own, and its output limit applies to the bytes since the last `resetOutput`. */
export function startInteractive(start: InteractiveStart, onLine: (line: string) => void): InteractiveProcess {
  const request = processRequest({ ...start, timeoutMs: Number.POSITIVE_INFINITY });
  const lines = lineReader(request.stdoutLimitBytes, onLine);
  let stderr = headAndTail();
  const child = startChild(
    { ...request, hasStdin: true },
    {
      stdout: { ...lines, bytes: () => new Uint8Array() },
      stderr: { add: (chunk) => stderr.add(chunk), text: () => stderr.text() },
    },
  );
  return {
    resetOutput: () => {
      lines.restart();
      stderr = headAndTail();
    },
    writeLine: (line) => void child.stdin?.write(`${line}\n`),
    terminate: (why) => child.terminate(why, graceMsOf(request)),
    isTerminating: child.isTerminating,
    stderr: () => stderr.text(),
    close: async () => {
      child.stdin?.end();
      const timer = setTimeout(
        () => child.terminate({ kind: "signalled", signal: "SIGTERM" }, graceMsOf(request)),
        STDIN_CLOSE_GRACE_MS,
      );
      await child.outcome;
      clearTimeout(timer);
    },
    outcome: child.outcome,
  };
}
