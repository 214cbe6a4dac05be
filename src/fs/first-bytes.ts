import { closeSync, constants, openSync, readSync } from "node:fs";

/** The beginning of a file, a character for each byte; null when it cannot be read. */
export function firstBytes(file: string, count: number): string | null {
  try {
    // Non-blocking: a file that has turned into a FIFO meanwhile must not hold us up.
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const buffer = Buffer.alloc(count);
      return buffer.toString("latin1", 0, readSync(descriptor, buffer, 0, count, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return null;
  }
}
