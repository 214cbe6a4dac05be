import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Host } from "../host.ts";
import { errnoCode } from "../protocol/errno.ts";
import { PAYLOAD_LIMIT_BYTES } from "../protocol/payload.ts";
import type { PayloadProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { decodeUtf8 } from "../protocol/text.ts";
import type { RunOptions } from "./run-options.ts";

/** Where a payload comes from, and what it is for. */
export type PayloadSource = Pick<RunOptions, "payloadFile" | "stdinTimeoutMs" | "deadlineMs"> & {
  readonly event: string;
};

/** The payload as text, from stdin or `--payload FILE`. Fails with the name of a signal that ended the wait. */
export async function readPayloadText(
  options: PayloadSource,
  host: Host,
): Promise<Result<string, PayloadProblem | string>> {
  const bytes =
    options.payloadFile === null ? await fromStdin(options, host) : fromFile(options.payloadFile, options, host);
  if (!bytes.ok) return bytes;
  const text = decodeUtf8(bytes.value);
  if (text === null) return fail({ code: "PAYLOAD_NOT_UTF8" });
  return text.trim() === "" ? fail({ code: "PAYLOAD_MISSING", why: "empty", event: options.event }) : ok(text);
}

async function fromStdin(options: PayloadSource, host: Host): Promise<Result<Uint8Array, PayloadProblem | string>> {
  const { event } = options;
  if (host.isStdinTerminal()) return fail({ code: "PAYLOAD_MISSING", why: "terminal", event });
  const { deadlineMs, stdinTimeoutMs } = options;
  const endMs = deadlineMs === null ? null : Math.max(0, deadlineMs - (host.elapsedMs() - host.beganMs));
  const outcome = await host.readStdin({ bytes: PAYLOAD_LIMIT_BYTES, firstByteMs: stdinTimeoutMs, endMs });
  switch (outcome.kind) {
    case "read":
      return ok(outcome.bytes);
    case "too-large":
      return fail({ code: "PAYLOAD_TOO_LARGE", limitBytes: PAYLOAD_LIMIT_BYTES });
    case "silent":
      return fail({ code: "PAYLOAD_MISSING", why: "silent", event });
    case "unended":
      return fail({ code: "PAYLOAD_NOT_ENDED", afterMs: deadlineMs ?? 0 });
    case "interrupted":
      return fail(outcome.signal);
    case "unreadable":
      return fail({ code: "PAYLOAD_NOT_READABLE", place: "on stdin", cause: outcome.cause });
  }
}

function fromFile(file: string, options: PayloadSource, host: Host): Result<Uint8Array, PayloadProblem> {
  const path = resolve(host.cwd, file);
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return fail({ code: "PAYLOAD_NOT_READABLE", place: file, cause: "it is not a regular file" });
    if (stats.size > PAYLOAD_LIMIT_BYTES) return fail({ code: "PAYLOAD_TOO_LARGE", limitBytes: PAYLOAD_LIMIT_BYTES });
    if (stats.size === 0) return fail({ code: "PAYLOAD_MISSING", why: "empty", event: options.event });
    return ok(readFileSync(path));
  } catch (error) {
    const cause = errnoCode(error) ?? "unknown";
    return fail({ code: "PAYLOAD_NOT_READABLE", place: file, cause });
  }
}
