import {
  faultText,
  itemsOf,
  JSON_DEPTH,
  type JsonObject,
  type JsonSpan,
  membersOf,
  type ReadValue,
  readJsonLenient,
  readWithMembers,
  stringOf,
  withMembers,
} from "../../../src/protocol/json/read.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { decodeUtf8 } from "../../../src/protocol/text/text.ts";
import type { RunProblem } from "../library/run-and-list.ts";

/** One request of JSON-RPC 2.0. */
export interface Request {
  /** The id exactly as it was written; null: a notification, which gets no answer. */
  readonly id: string | null;
  /** The same text for ids that are equal, however they are written. */
  readonly idKey: string | null;
  readonly method: string;
  readonly params: JsonObject;
}

/** Why there is no result: a code of JSON-RPC, with our own problem. */
export interface RequestError {
  /** The id of the request; null: it has none that can be trusted. */
  readonly id: string | null;
  readonly code: RpcCode;
  readonly problem: RunProblem;
}

export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  failed: -32000,
  /** As the Language Server Protocol has it. */
  cancelled: -32800,
} as const;
type RpcCode = (typeof RPC)[keyof typeof RPC];

export type Incoming = Result<Request, RequestError>;

/** What a line asks for. */
export interface Call {
  readonly requests: readonly Incoming[];
  /** The answers are one list. */
  readonly isBatch: boolean;
}

/** An answer to each item of a longer list could need far more memory than the list. */
const MOST_IN_BATCH = 1000;

/** Reads one line: a request, or a batch of them. Null for an empty line. Never throws. */
export function readCall(bytes: Uint8Array): Call | null {
  const text = decodeUtf8(bytes);
  if (text === null) return refused({ code: "PAYLOAD_NOT_UTF8" }, RPC.parseError);
  const read = readWithMembers(text, JSON_DEPTH);
  if (!read.ok) {
    if (text.trim() === "") return null;
    const { line, kind } = read.error;
    const problem: Problem = { code: "PAYLOAD_NOT_JSON", line, detail: faultText(read.error) };
    return refused(problem, RPC.parseError, kind === "duplicate-key" ? idInLenient(text) : null);
  }
  if (read.value.span.kind !== "array") return { requests: [readRequest(read.value)], isBatch: false };
  const items = itemsOf(read.value.span);
  if (items.length === 0) return refused(badRequest("a batch is not empty"));
  if (items.length > MOST_IN_BATCH) return refused(badRequest(`a batch has at most ${MOST_IN_BATCH} requests`));
  return { requests: items.map((item) => readRequest(withMembers(item))), isBatch: true };
}

const refused = (problem: Problem, code: RpcCode = RPC.invalidRequest, id: string | null = null): Call => ({
  requests: [fail({ id, code, problem })],
  isBatch: false,
});

export const badRequest = (detail: string): Problem => ({ code: "USAGE_BAD_REQUEST", detail });

/** A key that occurs twice somewhere in the params is the fault of a request whose id is certain. */
function idInLenient(text: string): string | null {
  const read = readJsonLenient(text);
  const span = read.ok && read.value.kind === "object" ? membersOf(read.value).get("id") : undefined;
  return span !== undefined && isId(span) && text.split('"id"').length === 2 ? span.raw : null;
}

/** `1.0` and `1e0` would be the same id as `1` for one client and another id for the next. */
const isId = ({ kind, raw }: JsonSpan): boolean =>
  kind === "string" || kind === "null" || (kind === "number" && WHOLE_NUMBER.test(raw));

const WHOLE_NUMBER = /^(?!-0$)-?\d+$/;

/** An id may be written with escapes. */
export const idKeyOf = (id: JsonSpan): string => (id.kind === "string" ? JSON.stringify(stringOf(id)) : id.raw);

const MEMBERS = ["jsonrpc", "id", "method", "params"];

function readRequest({ members }: ReadValue): Incoming {
  const invalid = (detail: string, id: string | null = null): Incoming =>
    fail({ id, code: RPC.invalidRequest, problem: badRequest(detail) });
  if (members === null) return invalid("a request is an object");
  const id = members.get("id");
  if (id !== undefined && !isId(id)) return invalid("id is a string, a whole number or null");
  const raw = id?.raw ?? null;
  const version = members.get("jsonrpc");
  if (version?.kind !== "string" || stringOf(version) !== "2.0") return invalid('jsonrpc is "2.0"', raw);
  const method = members.get("method");
  if (method?.kind !== "string") return invalid("method is a string", raw);
  const stray = [...members.keys()].find((key) => !MEMBERS.includes(key));
  if (stray !== undefined) return invalid(`${JSON.stringify(stray)} is no member of a request`, raw);
  const params = members.get("params");
  if (params !== undefined && params.kind !== "object") {
    return fail({ id: raw, code: RPC.invalidParams, problem: badRequest("params is an object") });
  }
  return ok({
    id: raw,
    idKey: id === undefined ? null : idKeyOf(id),
    method: stringOf(method),
    params: params === undefined ? new Map() : membersOf(params),
  });
}
