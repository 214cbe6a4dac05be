import { randomBytes } from "node:crypto";
import { closeSync, lstatSync, openSync, writeSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Host } from "../../../src/engine/host.ts";
import { readOwnFile } from "../../../src/fs/permissions.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { folderFault } from "./own-folder.ts";

const TOKEN = /^[\x21-\x7e]{32,512}$/;

/** The default file of the token; null without a folder for it. */
export const defaultTokenFile = ({ XDG_RUNTIME_DIR: folder = "" }: Host["env"]): string | null =>
  isAbsolute(folder) ? join(folder, "hookctl-token") : null;

/** Reads the token from a file that only its owner can read, and creates a missing file. The error says what is wrong. */
export function openToken(file: string): Result<string, string> {
  try {
    const fault = folderFault(file);
    if (fault !== null) return fail(fault);
    create(file);
  } catch (error) {
    return fail(causeOf(error));
  }
  return readToken(file);
}

/** Reads the token from a file that only its owner can read. */
export function readToken(file: string): Result<string, string> {
  try {
    const { mode } = lstatSync(file);
    if ((mode & 0o077) !== 0) return fail("others may read it (fix: chmod 600)");
    const token = readOwnFile(file).trim();
    return TOKEN.test(token) ? ok(token) : fail("it does not hold a token of 32 to 512 characters");
  } catch (error) {
    return fail(causeOf(error));
  }
}

const causeOf = (error: unknown): string => errnoCode(error) ?? (error instanceof Error ? error.message : "unknown");

/** The file is created with its mode in one step, so that nobody can read it in between. */
function create(file: string): void {
  try {
    const descriptor = openSync(file, "wx", 0o600);
    writeSync(descriptor, `${randomBytes(32).toString("hex")}\n`);
    closeSync(descriptor);
  } catch (error) {
    if (errnoCode(error) !== "EEXIST") throw error;
  }
}
