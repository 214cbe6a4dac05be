import { closeSync, openSync, writeSync } from "node:fs";
import { ReadStream } from "node:tty";
import type { Terminal } from "./engine/host.ts";
import type { Interrupt } from "./process/process-request.ts";
import { runInForeground } from "./process/run-in-foreground.ts";

/** Opens the terminal of this process; null when it has none. `hold` leaves Ctrl-C to somebody else until it is released. */
export function openTerminal(interrupt: Interrupt, hold: () => () => void): Terminal | null {
  const descriptor = openOrNull("/dev/tty");
  if (descriptor === null) return null;
  // Reading makes a descriptor non-blocking, which would cut off a long text: writing has its own descriptor.
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
          // The next message starts on a new line.
          isWritten(output, "\n");
          finish(null);
        };
        const stopListening = interrupt.listen(stop);
        input.on("data", read).on("close", stop).resume();
        if (!isWritten(output, question)) stop();
      }),
    run: async (request) => {
      // Ctrl-C reaches every foreground process: in a pager it stops a search, and must not end the review.
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
      // Without a controlling terminal the device may open, but a write fails.
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
