import { closeSync, constants, lstatSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { errnoCode } from "../protocol/errno.ts";
import { statOrNull } from "./paths.ts";
import { firstBytes } from "./read-file.ts";
import { writeAll } from "./write-all.ts";
import { makeFolder, writeFileAtomic } from "./write-file.ts";

const EVERYBODY_MAY_READ = 0o644;

/**
 * Writes a file that the user named. An earlier output of hookctl is replaced in one step; a pipe or a device is written
 * to. Returns null, or the cause of the failure.
 */
export function writeOutputFile(file: string, text: string, mode = EVERYBODY_MAY_READ): string | null {
  try {
    const stats = statOrNull(file);
    if (stats !== null && !stats.isFile() && !stats.isDirectory()) return writeToDevice(file, text);
    const fault = outputFault(file);
    if (fault !== null) return fault;
    makeFolder(dirname(file), 0o755);
    writeFileAtomic(file, text, { mode });
    return null;
  } catch (error) {
    return errnoCode(error) ?? String(error);
  }
}

/**
 * Why a file that the user named must not be replaced; null if it may. A misspelt name must not cost a person's work, and
 * where a link of a project leads was chosen by its author.
 */
export function outputFault(file: string): string | null {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (stats.isSymbolicLink()) return "it is a symbolic link";
  if (!stats.isFile()) return stats.isDirectory() ? "it is a folder" : "it is not a regular file";
  const start = Buffer.from(firstBytes(file, LONGEST_START) ?? "?", "latin1").toString();
  return start === "" || OWN_STARTS.some((own) => own.test(start)) ? null : "it exists and hookctl did not write it";
}

const LONGEST_START = 4096;

/** How each format begins that hookctl writes to files. */
const OWN_STARTS: readonly RegExp[] = [
  /^\{"schema":"hookctl\./,
  /^<!DOCTYPE html>\n<html lang="en" data-made-by="hookctl /,
  /^\{"resource(?:Spans|Metrics|Logs)":.*"scope":\{"name":"hookctl"/,
  /^<\?xml .*\n<testsuites name="hookctl"/,
  /^TAP version 14\n(?:1\.\.|(?:not )?ok 1 - .*\[)/,
  /^\[(?:\]|\{.*"check_name":"hookctl\/)/,
  /^\{.*"driver":\{"name":"hookctl"/,
  /^(?:::\w+ title=|hookctl: )/,
  /^ ?[✔✖▲] /,
];

/** Without waiting for the reader of a FIFO: if there is none, the cause is ENXIO. */
function writeToDevice(file: string, text: string): string | null {
  const descriptor = openSync(file, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    return writeAll(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}
