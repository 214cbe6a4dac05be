import { rmSync } from "node:fs";
import { join } from "node:path";
import { disk } from "../fs/disk.ts";
import { sha256Of } from "../fs/hash.ts";
import { readIfPresent } from "../fs/read-file.ts";
import { writeFileAtomic } from "../fs/write-file.ts";
import { errnoCode } from "../protocol/errno.ts";
import {
  itemsOf,
  JSON_DEPTH,
  type JsonObject,
  type JsonSpan,
  membersOf,
  readJson,
  stringOf,
} from "../protocol/json/read.ts";

const MOST_CALLS = 100;
const LONGEST_MS = 24 * 60 * 60 * 1000;

/** Returns the requested arguments of a call, and deletes them; null if no hook changed them. */
export function takeRequested(folder: string, members: JsonObject): JsonSpan | null {
  const file = join(folder, callKey(members));
  const read = readIfPresent(file);
  if (!read.ok || read.value === null) return null;
  const parsed = readJson(read.value.toString("utf8"), JSON_DEPTH);
  removeFile(file);
  return parsed.ok ? parsed.value : null;
}

/**
 * Stores the requested arguments of a call. They are undefined if the call runs as requested: an earlier call with the same arguments,
 * which never ran, is forgotten. Returns the error, or null.
 */
export function storeRequested(folder: string, members: JsonObject, requested: JsonSpan | undefined): string | null {
  const file = join(folder, callKey(members));
  try {
    if (requested === undefined) rmSync(file, { force: true });
    else {
      writeFileAtomic(file, requested.raw);
      outdated(folder).forEach(removeFile);
    }
    return null;
  } catch (error) {
    return errnoCode(error) ?? String(error);
  }
}

/** The files of calls that were never run: they are too old, or too many. */
function outdated(folder: string): readonly string[] {
  const files = disk.readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return { path, writtenMs: disk.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  files.sort((a, b) => b.writtenMs - a.writtenMs);
  const newestMs = files[0]?.writtenMs ?? 0;
  return files
    .filter(({ writtenMs }, at) => at >= MOST_CALLS || newestMs - writtenMs > LONGEST_MS)
    .map(({ path }) => path);
}

function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Another process may have taken it; a file that stays is removed when it is old.
  }
}

/** The same before and after a call: its id, or for an agent without ids the arguments with which it ran. */
function callKey(members: JsonObject): string {
  const id = members.get("tool_user_id")?.raw ?? '""';
  const call = id === '""' ? canonical(members.get("tool_input")) : id;
  return sha256Of(`${members.get("tool_name")?.raw} ${call}`).slice(0, 40);
}

/** The value as text, the same whatever the order of its members. */
function canonical(span: JsonSpan | undefined): string {
  if (span?.kind === "array") return `[${itemsOf(span).map(canonical).join()}]`;
  if (span?.kind === "string") return JSON.stringify(stringOf(span));
  if (span?.kind === "number") return String(Number(span.raw));
  if (span?.kind !== "object") return span?.raw ?? "null";
  const members = [...membersOf(span)].map(([key, value]) => `${JSON.stringify(key)}:${canonical(value)}`);
  return `{${members.sort().join()}}`;
}
