import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Host } from "../engine/host.ts";
import { errnoCode } from "../protocol/errno.ts";
import { skipSpace } from "../protocol/json/scan.ts";
import { PAYLOAD_LIMIT_BYTES } from "../protocol/payload/payload.ts";
import type { PayloadProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { utf8Bytes } from "../protocol/text/text.ts";

/** Where to read a payload, how long to wait, and for which event. */
export interface PayloadSource {
  readonly payloadFile: string | null;
  readonly stdinTimeoutMs: number;
  readonly deadlineMs: number | null;
  readonly event: string;
}

/** The bytes of a payload, which are UTF-8, or why there are none. */
export type PayloadInput =
  | { readonly kind: "read"; readonly bytes: Buffer }
  | { readonly kind: "problem"; readonly problem: PayloadProblem }
  | { readonly kind: "interrupted"; readonly signal: string };

/** Reads the payload from stdin or `--payload FILE`. */
export async function readPayloadBytes(source: PayloadSource, host: Host): Promise<PayloadInput> {
  const { payloadFile, stdinTimeoutMs, deadlineMs, event } = source;
  if (payloadFile !== null) return checked(fromFile(payloadFile, host), source);
  if (host.isStdinTerminal()) return problem({ code: "PAYLOAD_MISSING", why: "terminal", event });
  const endMs = deadlineMs === null ? null : Math.max(0, deadlineMs - (host.elapsedMs() - host.beganMs));
  const outcome = await host.readStdin({ bytes: PAYLOAD_LIMIT_BYTES, firstByteMs: stdinTimeoutMs, endMs });
  switch (outcome.kind) {
    case "read":
      return checked(ok(outcome.bytes), source);
    case "interrupted":
      return outcome;
    case "too-large":
      return problem({ code: "PAYLOAD_TOO_LARGE", limitBytes: PAYLOAD_LIMIT_BYTES });
    case "silent":
      return problem({ code: "PAYLOAD_MISSING", why: "silent", event });
    case "unended":
      return problem({ code: "PAYLOAD_NOT_ENDED", afterMs: deadlineMs ?? 0 });
    case "unreadable":
      return problem({ code: "PAYLOAD_NOT_READABLE", place: "on stdin", cause: outcome.cause });
  }
}

const problem = (problem: PayloadProblem): PayloadInput => ({ kind: "problem", problem });

function checked(read: Result<Uint8Array, PayloadProblem>, { event, payloadFile }: PayloadSource): PayloadInput {
  if (!read.ok) return problem(read.error);
  const bytes = utf8Bytes(read.value);
  if (bytes === null) return problem({ code: "PAYLOAD_NOT_UTF8" });
  const file = payloadFile === null ? {} : { file: payloadFile };
  return isEmpty(bytes) ? problem({ code: "PAYLOAD_MISSING", why: "empty", event, ...file }) : { kind: "read", bytes };
}

/** Only bytes that do not begin as JSON are decoded. */
const isEmpty = (bytes: Buffer): boolean => bytes[skipSpace(bytes, 0)] !== 0x7b && bytes.toString().trim() === "";

function fromFile(file: string, host: Host): Result<Uint8Array, PayloadProblem> {
  const path = resolve(host.cwd, file);
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return fail({ code: "PAYLOAD_NOT_READABLE", place: file, cause: "it is not a regular file" });
    if (stats.size > PAYLOAD_LIMIT_BYTES) return fail({ code: "PAYLOAD_TOO_LARGE", limitBytes: PAYLOAD_LIMIT_BYTES });
    return ok(readFileSync(path));
  } catch (error) {
    const errno = errnoCode(error) ?? "unknown";
    const cause = errno === "ENOENT" ? "there is no such file" : errno;
    return fail({ code: "PAYLOAD_NOT_READABLE", place: file, cause });
  }
}
