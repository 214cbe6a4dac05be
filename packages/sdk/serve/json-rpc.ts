import { exitCodeOf } from "../../../src/protocol/exit-code.ts";
import {
  faultText,
  itemsOf,
  JSON_DEPTH,
  type JsonObject,
  type JsonSpan,
  membersOf,
  readJson,
  readJsonLenient,
  stringOf,
} from "../../../src/protocol/json/read.ts";
import { printableJson, rawJson } from "../../../src/protocol/json/write.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { decodeUtf8 } from "../../../src/protocol/text/text.ts";
import type { RunProblem } from "../library/run-and-list.ts";

/** One request of JSON-RPC 2.0. */
export interface Request {
  /** The id exactly as it was written; null for a notification, which gets no answer. */
  readonly id: string | null;
  /** The same text for ids that are equal, however they are written. */
  readonly idKey: string | null;
  readonly method: string;
  readonly params: JsonObject;
}

/** Why there is no result: a code of JSON-RPC, with hookctl's problem. */
export interface RequestError {
  /** The id of the request; null if it has none that can be trusted. */
  readonly id: string | null;
  readonly code: (typeof RPC)[keyof typeof RPC];
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

export type Incoming = Result<Request, RequestError>;

/** The requests in one line. The answers to a batch are one list. */
export interface Call {
  readonly requests: readonly Incoming[];
  readonly isBatch: boolean;
}

/** An answer to each item of a longer list could need far more memory than the list. */
const MOST_IN_BATCH = 1000;

/** Reads one line: a request, or a batch of them. Null for an empty line. Never throws. */
export function readCall(bytes: Uint8Array): Call | null {
  const text = decodeUtf8(bytes);
  if (text === null) return single(refused(RPC.parseError, { code: "PAYLOAD_NOT_UTF8" }));
  const read = readJson(text, JSON_DEPTH);
  if (!read.ok) {
    if (text.trim() === "") return null;
    const { line, kind } = read.error;
    const problem: Problem = { code: "PAYLOAD_NOT_JSON", line, detail: faultText(read.error) };
    return single(refused(RPC.parseError, problem, kind === "duplicate-key" ? idDespiteDuplicates(text) : null));
  }
  if (read.value.kind !== "array") return single(readRequest(read.value));
  const items = itemsOf(read.value);
  if (items.length === 0) return single(invalid("a batch must not be empty"));
  if (items.length > MOST_IN_BATCH) return single(invalid(`a batch has at most ${MOST_IN_BATCH} requests`));
  return { requests: items.map((item) => readRequest(item)), isBatch: true };
}

const single = (request: Incoming): Call => ({ requests: [request], isBatch: false });

const refused = (code: RequestError["code"], problem: Problem, id: string | null = null): Incoming =>
  fail({ id, code, problem });

export const badRequest = (detail: string): Problem => ({ code: "USAGE_BAD_REQUEST", detail });

const invalid = (detail: string, id: string | null = null): Incoming =>
  refused(RPC.invalidRequest, badRequest(detail), id);

/** If a key occurs twice somewhere in the params, the id of the request is certain nevertheless. */
function idDespiteDuplicates(text: string): string | null {
  const read = readJsonLenient(text);
  const span = read.ok && read.value.kind === "object" ? membersOf(read.value).get("id") : undefined;
  return span !== undefined && isId(span) && text.split('"id"').length === 2 ? span.raw : null;
}

/** `1.0` and `1e0` would be the same id as `1` for one client and another id for the next. */
const isId = ({ kind, raw }: JsonSpan): boolean =>
  kind === "string" || kind === "null" || (kind === "number" && /^(?!-0$)-?\d+$/.test(raw));

/** An id may be written with escapes. */
export const idKeyOf = (id: JsonSpan): string => (id.kind === "string" ? JSON.stringify(stringOf(id)) : id.raw);

const MEMBERS = ["jsonrpc", "id", "method", "params"];

function readRequest(span: JsonSpan): Incoming {
  if (span.kind !== "object") return invalid("a request must be an object");
  const members = membersOf(span);
  const [version, id, method, params] = MEMBERS.map((name) => members.get(name));
  if (id !== undefined && !isId(id)) return invalid("id must be a string, a whole number or null");
  const raw = id?.raw ?? null;
  if (version?.kind !== "string" || stringOf(version) !== "2.0") return invalid('jsonrpc must be "2.0"', raw);
  if (method?.kind !== "string") return invalid("method must be a string", raw);
  const stray = [...members.keys()].find((key) => !MEMBERS.includes(key));
  if (stray !== undefined) return invalid(`${JSON.stringify(stray)} is not a member of a request`, raw);
  if (params !== undefined && params.kind !== "object") {
    return refused(RPC.invalidParams, badRequest("params must be an object"), raw);
  }
  return ok({
    id: raw,
    idKey: id === undefined ? null : idKeyOf(id),
    method: stringOf(method),
    params: params === undefined ? new Map() : membersOf(params),
  });
}

/** The answer to a request. The result is JSON text without line breaks, which is passed on unchanged. */
export const resultText = (id: string, result: string): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`;

/** `data` has the problem's code and hint, the exit code of the command line for it, and what `run --json` prints too. */
export function errorText({ id, code, problem }: RequestError): string {
  const { summary, hint } = explain(problem);
  const result = problem.ran === undefined ? undefined : rawJson(problem.ran);
  const data = { code: problem.code, hint, exit_code: exitCodeOf(problem), result };
  return `{"jsonrpc":"2.0","id":${id ?? "null"},"error":${printableJson({ code, message: summary, data })}}`;
}
