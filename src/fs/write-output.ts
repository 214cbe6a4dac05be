import { closeSync, constants, lstatSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { errnoCode } from "../protocol/errno.ts";
import { statOrNull } from "./paths.ts";
import { writeAll } from "./write-all.ts";
import { makeFolder, writeFileAtomic } from "./write-file.ts";

const EVERYBODY_MAY_READ = 0o644;

/**
 * Writes a file that the user named. A file is replaced in one step; a pipe or a device is written to. A link to a file is
 * refused, because in a project its author chose where it leads. Returns null, or the cause of the failure.
 */
export function writeOutputFile(file: string, text: string, mode = EVERYBODY_MAY_READ): string | null {
  try {
    const stats = statOrNull(file);
    if (stats?.isDirectory()) return "it is a folder";
    if (stats !== null && !stats.isFile()) return writeToDevice(file, text);
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return "it is a symbolic link";
    makeFolder(dirname(file), 0o755);
    writeFileAtomic(file, text, { mode });
    return null;
  } catch (error) {
    return errnoCode(error) ?? String(error);
  }
}

/** Without waiting for the reader of a FIFO: if there is none, the cause is ENXIO. */
function writeToDevice(file: string, text: string): string | null {
  const descriptor = openSync(file, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    return writeAll(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}
