import { closeSync, openSync, writeSync } from "node:fs";
import { ReadStream } from "node:tty";
import type { Interrupt } from "./process/process-request.ts";
import { type ForegroundEnding, type ForegroundRequest, runInForeground } from "./process/run-in-foreground.ts";

/** The person at the terminal, whatever stdin and stdout are used for. */
export interface Terminal {
  /** Prints the question and waits for a line. Null: the terminal is gone, or a signal came instead. */
  readonly ask: (question: string) => Promise<string | null>;
  /** Hands the terminal to an editor or a pager until it ends. */
  readonly run: (request: ForegroundRequest) => Promise<ForegroundEnding>;
  readonly close: () => void;
}

/** Opens the terminal of this process; null when it has none. `hold` leaves Ctrl-C to somebody else until it is released. */
export function openTerminal(interrupt: Interrupt, hold: () => () => void): Terminal | null {
  const descriptor = openOrNull("/dev/tty");
  if (descriptor === null) return null;
  // Reading makes its descriptor non-blocking, and a long text must not be cut off: written through one of its own.
  const output = openSync("/dev/tty", "w");
  const input = new ReadStream(descriptor);
  input.on("error", () => undefined);
  return {
    ask: (question) =>
      new Promise((settle) => {
        if (interrupt.raised() !== null) return settle(null);
        let line = "";
        const finish = (answer: string | null): void => {
          stopListening();
          input.off("data", read).off("close", stop).pause();
          settle(answer);
        };
        const read = (chunk: Buffer): void => {
          line += chunk.toString("utf8");
          if (line.includes("\n")) finish(line.split("\n", 1)[0] ?? "");
        };
        const stop = (): void => {
          // What is told next begins on a line of its own.
          isWritten(output, "\n");
          finish(null);
        };
        const stopListening = interrupt.listen(stop);
        input.on("data", read).on("close", stop).resume();
        if (!isWritten(output, question)) stop();
      }),
    run: async (request) => {
      // Ctrl-C goes to all of the foreground: in a pager it stops a search, and not the review.
      const release = hold();
      const own = openSync("/dev/tty", "r+");
      try {
        return await runInForeground(request, own);
      } finally {
        closeSync(own);
        release();
      }
    },
    close: () => {
      input.destroy();
      closeSync(output);
    },
  };
}

function isWritten(descriptor: number, text: string): boolean {
  try {
    let rest = Buffer.from(text, "utf8");
    while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
    return true;
  } catch {
    return false;
  }
}

function openOrNull(path: string): number | null {
  try {
    const descriptor = openSync(path, "r+");
    try {
      // Opened without a controlling terminal it may still be there and answer nothing.
      writeSync(descriptor, "");
      return descriptor;
    } catch {
      closeSync(descriptor);
      return null;
    }
  } catch {
    return null;
  }
}
