import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { gzipSync } from "node:zlib";
import { readTextFile } from "../../../src/fs/read-file.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";
import { objectOr, parsedOrUndefined, stringOr, type UncheckedObject } from "../../../src/protocol/json/read.ts";
import { ProblemError } from "../../../src/protocol/result.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { SIGNALS } from "./otlp.ts";
import type { Delivered, Delivery, Sink } from "./sink.ts";
import { type Endpoint, shownUrl, type Target } from "./target.ts";

/** Retry limits and the clock of the exporter. */
interface Patience {
  /** How long one request is retried. */
  readonly forMs: number;
  /** The first pause between two attempts; it doubles up to a minute. */
  readonly firstPauseMs: number;
  readonly elapsedMs: () => number;
  readonly nowMs: () => number;
  readonly random: () => number;
  /** Called before a request is tried again, with the time that is left for it. */
  readonly onFailure: (url: string, cause: string, leftMs: number) => void;
  /** Waits. Returns false if the exporter must stop. */
  readonly pause: (ms: number) => Promise<boolean>;
}

const MOST_PAUSE_MS = 60_000;
/** A host that answers nothing is known long before the timeout of a request. */
const CONNECT_TIMEOUT_MS = 3_000;
/** The only responses that the specification allows to be retried. */
const RETRYABLE: readonly number[] = [429, 502, 503, 504];
/** Statuses that reject the data itself. Other failures concern the address or the account, so nothing is discarded. */
const BAD_DATA: readonly number[] = [400, 413, 422, 500];

/** Sends to a collector over OTLP/HTTP. */
export function httpSink(target: Target, version: string, patience: Patience): Sink {
  const agents = { "http:": new HttpAgent({ keepAlive: true }), "https:": new HttpsAgent({ keepAlive: true }) };
  const send = async (delivery: Delivery): Promise<Delivered> => {
    const endpoint = target[delivery.signal];
    if (endpoint === null) return { rejected: 0, message: null };
    const certificate = readCertificate(endpoint);
    const agent = endpoint.url.protocol === "https:" ? agents["https:"] : agents["http:"];
    const body = JSON.stringify(delivery.body);
    const attempt = () => post({ endpoint, body, agent, certificate, version });
    return untilTaken(attempt, { delivery, endpoint, patience });
  };
  const { traces, metrics, logs } = target;
  const close = () => Object.values(agents).forEach((agent) => void agent.destroy());
  return { name: (traces ?? logs ?? metrics)?.url.origin ?? "nowhere", send, close };
}

function readCertificate({ certificateFile }: Endpoint): string | null {
  try {
    return certificateFile === null ? null : readTextFile(certificateFile);
  } catch (error) {
    const detail = `it cannot be read: ${errnoCode(error) ?? "not a regular file"}`;
    throw new ProblemError({ code: "EXPORT_BAD_VALUE", name: "OTEL_EXPORTER_OTLP_CERTIFICATE", detail });
  }
}

interface Sending {
  readonly delivery: Delivery;
  readonly endpoint: Endpoint;
  readonly patience: Patience;
}

/** Retries a request until the collector has accepted or rejected it, or the time limit is reached. */
async function untilTaken(attempt: () => Promise<Answer>, sending: Sending): Promise<Delivered> {
  const { patience, endpoint } = sending;
  const endMs = patience.elapsedMs() + patience.forMs;
  for (let pauseMs = patience.firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, MOST_PAUSE_MS)) {
    const answer = await attempt();
    const isRetryable = answer.kind === "failed" || RETRYABLE.includes(answer.status);
    if (!isRetryable) return readAnswer(answer, sending);
    const cause = answer.kind === "failed" ? answer.cause : `HTTP ${answer.status}`;
    const asked = answer.kind === "answered" ? retryAfterMs(answer.retryAfter, patience.nowMs()) : null;
    patience.onFailure(shownUrl(endpoint.url), cause, endMs - patience.elapsedMs());
    const waitMs = asked ?? pauseMs * (0.5 + patience.random());
    if (patience.elapsedMs() + waitMs > endMs || !(await patience.pause(waitMs)))
      throw new ProblemError({ code: "EXPORT_UNREACHABLE", url: shownUrl(endpoint.url), cause, waitMs: asked });
  }
}

/** `Retry-After` is a number of seconds or a date. A date is read by our clock, which may be wrong: at most an hour. */
function retryAfterMs(text: string | null, nowMs: number): number | null {
  if (text === null) return null;
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1e3 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? null : Math.min(3_600_000, Math.max(0, ms));
}

function readAnswer(answer: Exclude<Answer, { readonly kind: "failed" }>, { delivery, endpoint }: Sending): Delivered {
  const { status } = answer;
  const text = answer.kind === "answered" ? answer.text : "the response is larger than 4 MiB";
  const found = objectOr(parsedOrUndefined(text));
  if (status >= 200 && status < 300) return partialSuccess(objectOr(found.partialSuccess), delivery, endpoint);
  // The message of a `Status`, else the beginning of the text.
  const message = shownMessage(typeof found.message === "string" ? found.message : text.trim(), endpoint);
  if (answer.kind === "too-long" || BAD_DATA.includes(status))
    return { rejected: delivery.count, message: `HTTP ${status}: ${message}` };
  const { signal } = delivery;
  throw new ProblemError({ code: "EXPORT_REFUSED", url: shownUrl(endpoint.url), status, message, signal });
}

/** A collector that accepts a part must not get the request again: rejected items are lost, and reported. */
function partialSuccess(part: UncheckedObject, { signal, count }: Delivery, endpoint: Endpoint): Delivered {
  const given = Number(part[SIGNALS[signal].rejected] ?? 0);
  const message = stringOr(part.errorMessage);
  return {
    rejected: given > 0 ? Math.min(count, Math.ceil(given)) : 0,
    message: message === "" ? null : shownMessage(message, endpoint),
  };
}

/** A receiver may repeat a header, such as a token that it does not know. */
function shownMessage(text: string, { headers }: Endpoint): string {
  const secrets = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]);
  const long = secrets.filter((secret) => secret.length >= 4).sort((one, other) => other.length - one.length);
  return truncateEscaped(
    long.reduce((rest, secret) => rest.replaceAll(secret, "***"), text),
    300,
  );
}

/** The answer of a collector, or the reason why there is none. */
type Answer =
  | { readonly kind: "answered"; readonly status: number; readonly retryAfter: string | null; readonly text: string }
  | { readonly kind: "too-long"; readonly status: number }
  | { readonly kind: "failed"; readonly cause: string };

/** The specification recommends this limit for a response. */
const MOST_RESPONSE_BYTES = 4 * 1024 * 1024;

interface Post {
  readonly endpoint: Endpoint;
  readonly body: string;
  /** Keeps connections open between requests. */
  readonly agent: HttpAgent;
  readonly certificate: string | null;
  readonly version: string;
}

/** Sends one request and reads its response. Never rejects. Redirects are not followed: the headers are for this host. */
async function post({ endpoint, body, agent, certificate, version }: Post): Promise<Answer> {
  const { url, headers, timeoutMs, isCompressed } = endpoint;
  const bytes = isCompressed ? gzipSync(body) : Buffer.from(body);
  const signal = AbortSignal.timeout(timeoutMs);
  const options: RequestOptions & { readonly ca?: string } = {
    method: "POST",
    agent,
    signal,
    headers: {
      "user-agent": `OTel-OTLP-Exporter-hookctl/${version}`,
      ...headers,
      "content-type": "application/json",
      "content-length": bytes.length,
      ...(isCompressed ? { "content-encoding": "gzip" } : {}),
    },
    ...(certificate === null ? {} : { ca: certificate }),
  };
  const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, options);
  const connecting = setTimeout(() => request.destroy(new Error("no connection in 3 s")), CONNECT_TIMEOUT_MS);
  const connected = (): void => clearTimeout(connecting);
  request.on("socket", (socket) => (socket.connecting ? socket.once("connect", connected) : connected()));
  try {
    const response = await new Promise<IncomingMessage>((settle, reject) =>
      request.on("response", settle).on("error", reject).end(bytes),
    );
    return await readResponse(response);
  } catch (error) {
    const cause = errnoCode(error) ?? (error instanceof Error ? error.message : String(error));
    return { kind: "failed", cause: signal.aborted ? `no answer in ${timeoutMs} ms` : cause };
  } finally {
    connected();
  }
}

async function readResponse(response: IncomingMessage): Promise<Answer> {
  const status = response.statusCode ?? 0;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    // The end of the loop closes the connection: the rest is not read.
    if (size > MOST_RESPONSE_BYTES) return { kind: "too-long", status };
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  return { kind: "answered", status, retryAfter: response.headers["retry-after"] ?? null, text };
}
