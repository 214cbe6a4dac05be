import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { PAYLOAD_LIMIT_BYTES } from "../../../src/protocol/payload/payload.ts";

export interface HttpRules {
  readonly port: number;
  readonly token: string;
  /** The events that are answered, by the agent's names. */
  readonly events: readonly string[];
}

/** What a request asks for. */
export interface BridgeRequest {
  readonly event: string;
  /** The project; null for the folder in which the agent works now. */
  readonly directory: string | null;
  readonly deadline: string | null;
  readonly failClosed: boolean;
}

const PATH = /^\/bridge\/claude\/(\w{1,64})$/;

/**
 * Judges a request by its head: returns what it asks for, or the status of a refusal. Rejects browsers (CSRF, DNS
 * rebinding): Host must be the loopback, Origin absent, and the bearer token right.
 */
export function judgeHead(head: IncomingMessage, { port, token, events }: HttpRules): BridgeRequest | number {
  const { method, url = "", headers } = head;
  if (isAmbiguous(head.rawHeaders)) return 400;
  const isLoopback = [`127.0.0.1:${port}`, `localhost:${port}`].includes(String(headers.host));
  if (!isLoopback || headers.origin !== undefined) return 403;
  if (!isToken(headers.authorization ?? "", token)) return 401;
  if (method !== "POST") return 405;
  const [path = "", query = ""] = url.split("?", 2);
  const event = PATH.exec(path)?.[1];
  if (event === undefined || !events.includes(event)) return 404;
  if (!/^application\/json\b/i.test(headers["content-type"] ?? "")) return 415;
  if (Number(headers["content-length"] ?? 0) > PAYLOAD_LIMIT_BYTES) return 413;
  return readQuery(event, query) ?? 400;
}

/** Another program could read the first of two such headers, and this server the second. */
const DECIDING = ["host", "origin", "authorization", "content-type", "content-length", "transfer-encoding"];

function isAmbiguous(rawHeaders: readonly string[]): boolean {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const deciding = names.filter((name) => DECIDING.includes(name));
  const hasTwoLengths = deciding.includes("content-length") && deciding.includes("transfer-encoding");
  return hasTwoLengths || new Set(deciding).size < deciding.length;
}

/** Compared by their hashes, which takes the same time for every wrong token. */
function isToken(authorization: string, token: string): boolean {
  const sent = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization)?.[1] ?? "";
  const hashOf = (text: string): Uint8Array => createHash("sha256").update(text).digest();
  return timingSafeEqual(hashOf(sent), hashOf(token));
}

const OPTIONS = ["deadline", "directory", "fail-closed"];

/** The options of the registered command, as a query; null if it has others. */
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
