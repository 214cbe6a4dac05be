import { createHash, timingSafeEqual } from "node:crypto";
import { PAYLOAD_LIMIT_BYTES } from "../../../src/protocol/payload/payload.ts";

/** The head of a request, and what it is held against. */
export interface RequestHead {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
}

export interface HttpRules {
  readonly port: number;
  readonly token: string;
  /** The events that are answered, by the agent's names. */
  readonly events: readonly string[];
}

/** What a request asks for. */
export interface BridgeRequest {
  readonly event: string;
  /** The project; null: where the agent works now. */
  readonly directory: string | null;
  readonly deadline: string | null;
  readonly failClosed: boolean;
}

export type JudgedHead =
  | { readonly kind: "accepted"; readonly request: BridgeRequest }
  | { readonly kind: "refused"; readonly status: 400 | 401 | 403 | 404 | 405 | 411 | 413 | 415 };

const PATH = /^\/bridge\/claude\/(\w{1,64})$/;

/**
 * Judges a request by its head. Rejects browsers (CSRF, DNS rebinding): Host must be the loopback, Origin absent, and the
 * bearer token right.
 */
export function judgeHead({ method, url, headers, rawHeaders }: RequestHead, rules: HttpRules): JudgedHead {
  const refused = (status: Extract<JudgedHead, { kind: "refused" }>["status"]): JudgedHead => ({
    kind: "refused",
    status,
  });
  if (isAmbiguous(rawHeaders)) return refused(400);
  if (!isOwnHost(headers.host, rules.port) || headers.origin !== undefined) return refused(403);
  if (!isToken(headers.authorization, rules.token)) return refused(401);
  if (method !== "POST") return refused(405);
  const [path = "", query = ""] = url.split("?", 2);
  const event = PATH.exec(path)?.[1];
  if (event === undefined || !rules.events.includes(event)) return refused(404);
  if (!/^application\/json\b/i.test(String(headers["content-type"] ?? ""))) return refused(415);
  if (Number(headers["content-length"] ?? 0) > PAYLOAD_LIMIT_BYTES) return refused(413);
  const request = readQuery(event, query);
  return request === null ? refused(400) : { kind: "accepted", request };
}

/** Headers of which another program could read one, and we the other. */
const DECIDING = ["host", "origin", "authorization", "content-type", "content-length", "transfer-encoding"];

function isAmbiguous(rawHeaders: readonly string[]): boolean {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const deciding = names.filter((name) => DECIDING.includes(name));
  const hasTwoLengths = deciding.includes("content-length") && deciding.includes("transfer-encoding");
  return hasTwoLengths || new Set(deciding).size < deciding.length;
}

const isOwnHost = (host: RequestHead["headers"][string], port: number): boolean =>
  [`127.0.0.1:${port}`, `localhost:${port}`].includes(String(host));

/** Compared by their hashes, which takes the same time for every wrong token. */
function isToken(given: RequestHead["headers"][string], token: string): boolean {
  const sent = /^Bearer ([\x21-\x7e]+)$/i.exec(String(given ?? ""))?.[1] ?? "";
  return timingSafeEqual(hashOf(sent), hashOf(token));
}

const hashOf = (text: string): Uint8Array => createHash("sha256").update(text).digest();

const OPTIONS = ["deadline", "directory", "fail-closed"];

/** The options of the registered command, as a query. Null: it has others. */
function readQuery(event: string, query: string): BridgeRequest | null {
  const given = new URLSearchParams(query);
  if ([...given.keys()].some((name) => !OPTIONS.includes(name))) return null;
  return {
    event,
    directory: given.get("directory"),
    deadline: given.get("deadline"),
    failClosed: given.has("fail-closed"),
  };
}
