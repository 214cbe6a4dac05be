import { closeSync, readdirSync, readSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { openRegularFile } from "../fs/read-file.ts";
import { type JsonObject, membersOf, readJson, stringOf } from "../protocol/json/read.ts";
import { decodeUtf8 } from "../protocol/text/text.ts";

const CHUNK_BYTES = 64 * 1024;
/** A longer line was not written by hookctl. It is skipped, which bounds the memory. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;
const LINE_DEPTH = 100;
const LINE_BREAK = 0x0a;

/** One line of the audit log: its members and its raw text. */
export interface AuditEntry {
  readonly raw: string;
  readonly members: JsonObject;
}

/** Reads the audit log, newest first, through its rotated files. Invalid lines are skipped. */
export function* readAuditLog(file: string): Generator<AuditEntry> {
  for (const path of [file, ...rotatedFiles(file)]) {
    for (const line of linesFromEnd(path)) {
      const entry = parseEntry(line);
      if (entry !== null) yield entry;
    }
  }
}

/** The text of a member; null if it has none. */
export function textField({ members }: Pick<AuditEntry, "members">, key: string): string | null {
  const span = members.get(key);
  return span?.kind === "string" ? stringOf(span) : null;
}

export function numberField({ members }: Pick<AuditEntry, "members">, key: string): number | null {
  const span = members.get(key);
  return span?.kind === "number" ? Number(span.raw) : null;
}

function parseEntry(line: Buffer): AuditEntry | null {
  const read = readJson(decodeUtf8(line) ?? "", LINE_DEPTH);
  if (!read.ok || read.value.kind !== "object") return null;
  const entry = { raw: read.value.raw, members: membersOf(read.value) };
  return textField(entry, "schema") === "hookctl.record/1" ? entry : null;
}

/** The rotated files, newest first: their names contain the time. */
function rotatedFiles(file: string): readonly string[] {
  const [folder, stem] = [dirname(file), basename(file, ".jsonl")];
  try {
    const names = readdirSync(folder).filter((name) => name.startsWith(`${stem}.2`) && name.endsWith(".jsonl"));
    return names
      .sort()
      .reverse()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function* linesFromEnd(path: string): Generator<Buffer> {
  const open = openOrNull(path);
  if (open === null) return;
  const { descriptor, stats } = open;
  try {
    let rest = Buffer.alloc(0);
    let isTooLong = false;
    for (let at = stats.size; at > 0; ) {
      const from = Math.max(0, at - CHUNK_BYTES);
      const chunk = Buffer.alloc(at - from);
      const text = Buffer.concat([chunk.subarray(0, readSync(descriptor, chunk, 0, chunk.length, from)), rest]);
      at = from;
      let end = text.length;
      for (
        let cut = text.lastIndexOf(LINE_BREAK);
        cut >= 0;
        cut = cut === 0 ? -1 : text.lastIndexOf(LINE_BREAK, cut - 1)
      ) {
        if (!isTooLong && end > cut + 1) yield text.subarray(cut + 1, end);
        isTooLong = false;
        end = cut;
      }
      rest = text.subarray(0, end);
      if (rest.length <= MAX_LINE_BYTES) continue;
      isTooLong = true;
      rest = Buffer.alloc(0);
    }
    if (!isTooLong && rest.length > 0) yield rest;
  } finally {
    closeSync(descriptor);
  }
}

function openOrNull(path: string): ReturnType<typeof openRegularFile> | null {
  try {
    return openRegularFile(path);
  } catch {
    return null;
  }
}
