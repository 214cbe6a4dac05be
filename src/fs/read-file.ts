import { closeSync, constants, fstatSync, type Stats } from "node:fs";
import { errnoCode } from "../protocol/errno.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { disk } from "./disk.ts";

export const NOT_REGULAR = "it is not a regular file";

interface OpenFile {
  readonly descriptor: number;
  readonly stats: Stats;
}

/** Opens a regular file, and throws for anything else. Never blocks: a FIFO in its place must not hang a tool call. */
export function openRegularFile(file: string, flags = 0): OpenFile {
  const descriptor = disk.openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  const stats = fstatSync(descriptor);
  if (stats.isFile()) return { descriptor, stats };
  closeSync(descriptor);
  throw new Error(NOT_REGULAR);
}

/** Opens a regular file, passes it to `use` and closes it. */
export function withRegularFile<T>(file: string, use: (open: OpenFile) => T, flags = 0): T {
  const open = openRegularFile(file, flags);
  try {
    return use(open);
  } finally {
    closeSync(open.descriptor);
  }
}

export const readFileBytes = (file: string): Buffer =>
  withRegularFile(file, ({ descriptor }) => disk.readFileSync(descriptor));

export const readTextFile = (file: string, encoding: "utf8" | "latin1" = "utf8"): string =>
  readFileBytes(file).toString(encoding);

/** Returns null if there is no such file. Any other error is reported: taken for absence, the file would be overwritten. */
export function readIfPresent(file: string): Result<Buffer | null, string> {
  try {
    return ok(readFileBytes(file));
  } catch (error) {
    const code = errnoCode(error);
    return code === "ENOENT" ? ok(null) : fail(code ?? NOT_REGULAR);
  }
}

/** Returns the content of a file as `readIfPresent` does. */
export type FileReader = (file: string) => Result<Buffer | null, string>;

/** Reads each file once, so that the bytes that are searched, hashed, shown and kept are the same. */
export function createFileReader(): FileReader {
  const known = new Map<string, Result<Buffer | null, string>>();
  return (file) => {
    const read = known.get(file) ?? readIfPresent(file);
    known.set(file, read);
    return read;
  };
}

/** The first bytes of a file, one character for each byte; null if it cannot be read. */
export function firstBytes(file: string, count: number): string | null {
  try {
    return withRegularFile(file, ({ descriptor, stats }) => {
      // A file in /proc has content, but no size.
      const buffer = Buffer.allocUnsafe(Math.min(count, stats.size || count));
      return buffer.toString("latin1", 0, disk.readSync(descriptor, buffer, 0, buffer.length, 0));
    });
  } catch {
    return null;
  }
}

/** The text of a file; null if it is longer, a link or binary, or cannot be read. */
export function shortText(file: string, mostBytes: number): string | null {
  try {
    const bytes = withRegularFile(
      file,
      ({ descriptor, stats }) => (stats.size > mostBytes ? null : disk.readFileSync(descriptor)),
      constants.O_NOFOLLOW,
    );
    return bytes === null || bytes.includes(0) ? null : bytes.toString("utf8");
  } catch {
    return null;
  }
}
