import { randomBytes } from "node:crypto";
import { closeSync, lstatSync, openSync, writeSync } from "node:fs";
import { readOwnFile } from "../fs/permissions.ts";
import { errnoCode } from "../protocol/errno.ts";
import { fail, ok, type Result } from "../protocol/result.ts";

const TOKEN = /^[\x21-\x7e]{32,512}$/;

/** The token in a file that only its owner can read. A missing file is made. The error says why there is none. */
export function openToken(file: string): Result<string, string> {
  try {
    create(file);
    const { mode } = lstatSync(file);
    if ((mode & 0o077) !== 0) return fail("others may read it (fix: chmod 600)");
    const token = readOwnFile(file).trim();
    return TOKEN.test(token) ? ok(token) : fail("it does not hold a token of 32 to 512 characters");
  } catch (error) {
    return fail(errnoCode(error) ?? (error instanceof Error ? error.message : "unknown"));
  }
}

/** Made in one step with its mode, so that nobody reads it in between. */
function create(file: string): void {
  try {
    const descriptor = openSync(file, "wx", 0o600);
    writeSync(descriptor, `${randomBytes(32).toString("hex")}\n`);
    closeSync(descriptor);
  } catch (error) {
    if (errnoCode(error) !== "EEXIST") throw error;
  }
}
