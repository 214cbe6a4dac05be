import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { errnoCode } from "../protocol/errno.ts";
import { fail, ok, type Result } from "../protocol/result.ts";

/** The text of a regular file. Throws for anything else: a FIFO in its place must not hold us up. */
export function readTextFile(file: string, encoding: "utf8" | "latin1" = "utf8"): string {
  return readFileBytes(file).toString(encoding);
}

export function readFileBytes(file: string): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error(`${file} is not a regular file`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The bytes of a file; null: there is none. Any other error is told: taken for absence, the file would be written over. */
export function readIfPresent(file: string): Result<Buffer | null, string> {
  try {
    return ok(readFileBytes(file));
  } catch (error) {
    const code = errnoCode(error);
    return code === "ENOENT" ? ok(null) : fail(code ?? "it is not a regular file");
  }
}
