import { headAndTail, lineReader } from "./output.ts";
import type { ProcessOutcome, Termination } from "./process-request.ts";
import { type ChildRequest, graceMsOf, startChild } from "./start-child.ts";

/** From the end of its stdin to TERM, for a partner that was told in the usual way to go. */
const STDIN_CLOSE_GRACE_MS = 200;

/** A child that is talked with, a line at a time, until somebody ends it. */
export interface InteractiveProcess {
  /** What it says from here on is counted and kept anew. */
  readonly resetOutput: () => void;
  readonly writeLine: (line: string) => void;
  /** Ends it by force, as at the limit of a hook. */
  readonly terminate: (why: Termination) => void;
  readonly isTerminating: () => boolean;
  readonly stderr: () => string;
  /** Closes its stdin and waits until it and its group are gone. */
  readonly close: () => Promise<void>;
  readonly outcome: Promise<ProcessOutcome>;
}

export type InteractiveRequest = Omit<ChildRequest, "hasStdin" | "mayLeaveProcesses">;

/** Starts a child to talk with. Its limit of output counts from the last `restart`. */
export function startInteractive(request: InteractiveRequest, onLine: (line: string) => void): InteractiveProcess {
  const lines = lineReader(request.stdoutLimitBytes, onLine);
  let stderr = headAndTail();
  const child = startChild(
    { ...request, hasStdin: true, mayLeaveProcesses: false },
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
