import { closeSync, openSync, writeSync } from "node:fs";
import { ReadStream } from "node:tty";
import type { Terminal } from "./engine/host.ts";
import type { Interrupt } from "./process/process-request.ts";
import { runInForeground } from "./process/run-in-foreground.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: reports of the terminal to an editor that ended before it read them.
const REPORTS = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]P][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;

/** Opens the terminal of this process; null when it has none. `hold` leaves Ctrl-C to somebody else until it is released. */
export function openTerminal(interrupt: Interrupt, hold: () => () => void): Terminal | null {
  const descriptor = openOrNull("/dev/tty");
  if (descriptor === null) return null;
  // Reading makes a descriptor non-blocking, which would cut off a long text: writing has its own descriptor.
  const output = openSync("/dev/tty", "w");
  return {
    ask: (question) =>
      new Promise((settle) => {
        if (interrupt.raised() !== null) return settle(null);
        // One stream for each question: even a paused one keeps a read pending, which would take keys from an editor.
        const input = new ReadStream(descriptor);
        let line = "";
        const finish = (answer: string | null): void => {
          stopListening();
          input.off("data", read).off("close", stop).destroy();
          settle(answer);
        };
        const read = (chunk: Buffer): void => {
          line += chunk.toString("utf8");
          if (line.includes("\n")) finish((line.split("\n", 1)[0] ?? "").replace(REPORTS, ""));
        };
        const stop = (): void => {
          // The next message starts on a new line.
          isWritten(output, "\n");
          finish(null);
        };
        const stopListening = interrupt.listen(stop);
        input.on("error", () => undefined);
        input.on("data", read).on("close", stop);
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
      for (const one of [descriptor, output]) closeSync(one);
    },
  };
}

function isWritten(descriptor: number, text: string): boolean {
  try {
    let rest = Buffer.from(text, "utf8");
    do rest = rest.subarray(writeSync(descriptor, rest));
    while (rest.length > 0);
    return true;
  } catch {
    return false;
  }
}

function openOrNull(path: string): number | null {
  try {
    const descriptor = openSync(path, "r+");
    // Without a controlling terminal the device may open, but a write fails.
    if (isWritten(descriptor, "")) return descriptor;
    closeSync(descriptor);
  } catch {
    // There is no terminal.
  }
  return null;
}
