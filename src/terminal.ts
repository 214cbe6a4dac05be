import { closeSync, openSync, writeSync } from "node:fs";
import { ReadStream } from "node:tty";
import type { Interrupt } from "./process/process-request.ts";

/** The person at the terminal, whatever stdin and stdout are used for. */
export interface Terminal {
  /** Prints the question and waits for a line. Null: the terminal is gone, or a signal came instead. */
  readonly ask: (question: string) => Promise<string | null>;
  readonly close: () => void;
}

/** Opens the terminal of this process; null when it has none. */
export function openTerminal(interrupt: Interrupt): Terminal | null {
  const descriptor = openOrNull("/dev/tty");
  if (descriptor === null) return null;
  const input = new ReadStream(descriptor);
  input.on("error", () => undefined);
  return {
    ask: (question) =>
      new Promise((settle) => {
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
        const stop = (): void => finish(null);
        const stopListening = interrupt.listen(stop);
        writeSync(descriptor, question);
        input.on("data", read).on("close", stop).resume();
      }),
    close: () => input.destroy(),
  };
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
