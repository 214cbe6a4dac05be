import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { codeOf } from "../contract/place-error.ts";
import { fail, ok, type Result } from "../contract/result.ts";

/** The text of a regular file. Throws for anything else: a FIFO in its place must not hold us up. */
export function readRegular(file: string, encoding: "utf8" | "latin1" = "utf8"): string {
  return readRegularBytes(file).toString(encoding);
}

/**
 * The text of a file that is the user's alone: nobody else may have written it, and no link leads to it. Throws for
 * anything else, and what the disk says.
 */
export function readOwn(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || !isOwn(stats)) throw new Error(`${file} is not the user's alone`);
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

const WRITABLE_BY_OTHERS = 0o022;

/** Does it belong to the user or to root, and may nobody else write to it? */
export const isOwn = ({ uid, mode }: Pick<Stats, "uid" | "mode">): boolean =>
  (uid === process.getuid?.() || uid === 0) && (mode & WRITABLE_BY_OTHERS) === 0;

export function readRegularBytes(file: string): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error(`${file} is no regular file`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The bytes of a file; null: there is none. Any other error is told: taken for absence, the file would be written over. */
export function presentBytes(file: string): Result<Buffer | null, string> {
  try {
    return ok(readRegularBytes(file));
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" ? ok(null) : fail(code ?? "it is no regular file");
  }
}
