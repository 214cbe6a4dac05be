import { closeSync, constants, fstatSync, openSync, writeSync } from "node:fs";
import { appendLine, removeOverLimits } from "../../../../src/audit/append.ts";
import { listLogFiles, MAX_LINE_BYTES, readLines } from "../../../../src/audit/log-files.ts";
import { payloadLogOf } from "../../../../src/audit/payload-log.ts";
import { removeLogFile } from "../../../../src/audit/remove-log.ts";
import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { OptionsOf } from "../../../../src/cli/command-table.ts";
import {
  openPersonTerminal,
  requirePersonWithoutAgent,
  requireYes,
} from "../../../../src/cli/prompt/require-person.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { isUsersOwn } from "../../../../src/fs/permissions.ts";
import { errnoCode } from "../../../../src/protocol/errno.ts";
import { EXIT } from "../../../../src/protocol/exit-code.ts";
import { printableJson } from "../../../../src/protocol/json/write.ts";
import { LOG_PURGED, RECORD_SCHEMA } from "../../../../src/protocol/logged-run.ts";
import { fail, ok } from "../../../../src/protocol/result.ts";
import { pluralize } from "../../../../src/protocol/text/count.ts";
import { formatSize } from "../../../../src/protocol/text/units.ts";

const DAY_MS = 86_400_000;

interface Log {
  readonly name: string;
  readonly file: string;
}

/** `hookctl log --purge`: a person removes recorded runs, and that is recorded. */
export async function purge(options: OptionsOf<"log">, context: RunContext, host: Host): Promise<CommandResult> {
  // Not even with confirmation on the terminal: an agent must not erase its traces.
  await requirePersonWithoutAgent(host);
  const { auditFile, nowMs, settings, userId } = context;
  if (auditFile === null) return ok(EXIT.ok);
  if (options.isAll && options.before !== null) {
    const detail = "--all and --before cannot be combined.";
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl log --purge --before 7d" });
  }
  const payloads = { name: "payloads", file: payloadLogOf(auditFile) };
  const logs: readonly Log[] = options.isPayloads ? [payloads] : [{ name: "audit", file: auditFile }, payloads];
  const { days } = settings.recordLimits;
  const requestedMs = options.before?.(nowMs).startMs ?? (days === null ? 0 : nowMs - days * DAY_MS);
  const beforeMs = options.isAll ? null : Math.max(0, requestedMs);
  const before = beforeMs === null ? null : new Date(beforeMs).toISOString();
  if (!options.yes) await confirm(logs, before, host);
  let [files, lines] = [0, 0];
  for (const { file } of logs) {
    const purged = purgeLog(file, beforeMs);
    files += purged.files + removeOverLimits(file, settings.recordLimits);
    lines += purged.lines;
    if (purged.cause !== null) return fail({ code: "FILE_NOT_WRITTEN", path: file, cause: purged.cause });
  }
  const report = { before, logs: logs.map(({ name }) => name), files, lines };
  const time = new Date(nowMs).toISOString();
  const line = printableJson({ schema: RECORD_SCHEMA, kind: LOG_PURGED, time, ...report, by: `uid ${userId}` });
  const cause = settings.record === "off" ? null : appendLine(auditFile, line, settings.recordLimits);
  if (cause !== null) return fail({ code: "FILE_NOT_WRITTEN", path: auditFile, cause });
  const text = options.json
    ? printableJson({ schema: "hookctl.purge/1", ...report })
    : `Removed ${pluralize(files, "whole file")}, and erased ${pluralize(lines, "line")} in files that stay.`;
  return print(`${text}\n`, host);
}

async function confirm(logs: readonly Log[], before: string | null, host: Host): Promise<void> {
  const runs = before === null ? "All runs" : `The runs before ${before}`;
  const sizes = logs.map(({ name, file }) => `${name}, ${formatSize(sizeOf(file))}`).join("; ");
  const intro = `${runs} would be removed from these logs: ${sizes}\n`;
  const choices = { yes: "they are gone for good", no: "change nothing" };
  const question = { intro, question: "Remove them?", choices };
  const cause = "there is no terminal to ask you on";
  await requireYes(await openPersonTerminal(host), question, { code: "TRUST_NOT_CONFIRMED", cause });
}

const sizeOf = (file: string): number => listLogFiles(file).reduce((sum, { size }) => sum + size, 0);

const SPACE = 0x20;

/**
 * Removes the lines of a log that are older than a time, or all lines if it is null. Returns the number of whole files
 * that were removed, the number of lines that were erased in files with newer lines, and why lines could not be removed;
 * null if all were removed.
 */
export function purgeLog(file: string, beforeMs: number | null) {
  let [files, lines, cause]: [number, number, string | null] = [0, 0, null];
  for (const { path, rotatedMs } of listLogFiles(file)) {
    try {
      // Its newest line was written before it was rotated.
      if (beforeMs === null || (rotatedMs !== null && rotatedMs < beforeMs)) {
        removeLogFile(file, path);
        files += 1;
      } else lines += eraseLines(path, beforeMs);
    } catch (error) {
      cause = errnoCode(error) ?? "unknown";
    }
  }
  return { files, lines, cause };
}

/**
 * Overwrites the old lines with spaces, so that the newer lines keep their position: other processes may append to the
 * file meanwhile, or continue to read it.
 */
function eraseLines(path: string, beforeMs: number): number {
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || !isUsersOwn(stats)) throw Object.assign(new Error(path), { code: "EPERM" });
    let lines = 0;
    for (const { bytes, end, isWhole } of readLines(descriptor, MAX_LINE_BYTES)) {
      const timeMs = bytes === null ? null : timeOf(bytes.toString("latin1", 0, 200));
      if (bytes === null || timeMs === null || timeMs >= beforeMs) continue;
      const start = end - bytes.length - (isWhole ? 1 : 0);
      writeSync(descriptor, Buffer.alloc(bytes.length, SPACE), 0, bytes.length, start);
      lines += 1;
    }
    return lines;
  } finally {
    closeSync(descriptor);
  }
}

function timeOf(line: string): number | null {
  const [, time] = /"time":"([^"]{1,40})"/.exec(line) ?? [];
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? null : ms;
}
