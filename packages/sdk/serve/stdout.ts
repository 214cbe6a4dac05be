import { createWriteStream, fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";

/**
 * Opens stdout as a stream that never blocks. `process.stdout` blocks until the reader of a pipe has read, and meanwhile hooks
 * would exceed their timeouts. For a file, which has no reader, a normal stream is used.
 */
export function openStdout(): Writable {
  const stats = fstatSync(1);
  if (!stats.isFIFO() && !stats.isSocket()) return createWriteStream("", { fd: 1, autoClose: false });
  return new Socket({ fd: 1, readable: false, writable: true });
}

/** Settles when everything is written, or nobody reads it. Stdout stays open: the next file would get its descriptor. */
export const written = (output: Writable): Promise<void> =>
  new Promise((settle) => {
    if (output.destroyed) return settle();
    output.on("close", settle);
    output.write("", () => settle());
  });
