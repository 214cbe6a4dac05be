import { lineByLine } from "./line-by-line.ts";
import { type ChildRequest, graceMsOf, openChild } from "./open-child.ts";
import { headAndTail } from "./output.ts";
import type { Ending, ProcessOutcome } from "./process-request.ts";

/** From the end of its stdin to TERM, for a partner that was told in the usual way to go. */
const FAREWELL_MS = 200;

/** A child that is talked with, a line at a time, until somebody ends it. */
export interface Conversation {
  /** What it says from here on is counted and kept anew. */
  readonly restart: () => void;
  readonly say: (line: string) => void;
  /** Ends it by force, as at the limit of a hook. */
  readonly stop: (why: Ending) => void;
  readonly isBeingEnded: () => boolean;
  readonly stderr: () => string;
  /** Closes its stdin and waits until it and its group are gone. */
  readonly close: () => Promise<void>;
  readonly outcome: Promise<ProcessOutcome>;
}

export type ConversationRequest = Omit<ChildRequest, "hasStdin" | "mayLeaveProcesses">;

/** Starts a child to talk with. Its limit of output counts from the last `restart`. */
export function converse(request: ConversationRequest, onLine: (line: string) => void): Conversation {
  const lines = lineByLine(request.stdoutLimitBytes, onLine);
  let stderr = headAndTail();
  const child = openChild(
    { ...request, hasStdin: true, mayLeaveProcesses: false },
    {
      stdout: { ...lines, bytes: () => new Uint8Array() },
      stderr: { add: (chunk) => stderr.add(chunk), text: () => stderr.text() },
    },
  );
  return {
    restart: () => {
      lines.restart();
      stderr = headAndTail();
    },
    say: (line) => void child.stdin?.write(`${line}\n`),
    stop: (why) => child.end(why, graceMsOf(request)),
    isBeingEnded: child.isBeingEnded,
    stderr: () => stderr.text(),
    close: async () => {
      child.stdin?.end();
      const timer = setTimeout(
        () => child.end({ kind: "signalled", signal: "SIGTERM" }, graceMsOf(request)),
        FAREWELL_MS,
      );
      await child.outcome;
      clearTimeout(timer);
    },
    outcome: child.outcome,
  };
}
