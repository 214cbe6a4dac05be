import { randomUUID } from "node:crypto";
import { closeSync, constants, createReadStream, openSync } from "node:fs";
import { join } from "node:path";
import { makeFifo } from "./fifo.ts";
import { shellQuote } from "./shell.ts";

/** A named pipe that the processes of a hook hold open: its end is the proof that every one of them is gone. */
export interface Lifeline extends AsyncDisposable {
  /** A line of sh by which a process and all it starts hold the pipe, as descriptor 9, and say so. */
  readonly hold: string;
  /** Settles when the first text has come: the hook is at work. */
  readonly held: Promise<string>;
  /** Settles with everything that was written when the last holder is gone. */
  readonly released: Promise<string>;
}

export async function lifeline(folder: string): Promise<Lifeline> {
  const path = makeFifo(join(folder, `lifeline-${randomUUID()}`));
  const stream = createReadStream(path, "utf8");
  let text = "";
  const held = new Promise<string>((settle) => stream.once("data", (chunk) => settle(String(chunk))));
  const result = new Promise<string>((settle) => {
    stream.on("data", (chunk) => {
      text += chunk;
    });
    stream.once("close", () => settle(text));
  });
  return {
    hold: `exec 9>${shellQuote(path)}; echo held >&9`,
    held,
    released: result,
    [Symbol.asyncDispose]: async () => {
      release(path);
      stream.destroy();
    },
  };
}

/** Whoever still waits for the other end of a pipe that nobody opened gets an end of file. */
function release(path: string): void {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
  } catch {
    // Nobody waits.
  }
}
