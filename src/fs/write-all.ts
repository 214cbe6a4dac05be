import { writeSync } from "node:fs";
import { errnoCode } from "../protocol/errno.ts";

/** Writes at once, so that the process can exit without losing output. Returns null, or the errno of the failure. */
export function writeAll(descriptor: number, text: string): string | null {
  let rest = new TextEncoder().encode(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      const code = errnoCode(error);
      if (code !== "EAGAIN") return code ?? "unknown";
      pause(2);
    }
  }
  return null;
}

/** A non-blocking pipe may be full for a moment; sleeping is what a blocking write would do. */
export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
