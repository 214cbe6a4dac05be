import { type Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { gzipSync } from "node:zlib";
import { errnoCode } from "../protocol/errno.ts";
import type { Endpoint } from "./target.ts";

/** The answer of a collector, or why there is none. */
export type Answer =
  | { readonly kind: "answered"; readonly status: number; readonly retryAfter: string | null; readonly text: string }
  | { readonly kind: "too-long"; readonly status: number }
  | { readonly kind: "failed"; readonly cause: string };

/** The specification recommends this limit for a response. */
const MOST_RESPONSE_BYTES = 4 * 1024 * 1024;

export interface Post {
  readonly endpoint: Endpoint;
  readonly body: string;
  /** Keeps connections open between requests. */
  readonly agent: HttpAgent;
  readonly certificate: string | null;
  readonly version: string;
}

/** Sends one request and reads its response. Never rejects. Redirects are not followed: the headers are for this host. */
export function post({ endpoint, body, agent, certificate, version }: Post): Promise<Answer> {
  const { url, headers, timeoutMs, isCompressed } = endpoint;
  const bytes = isCompressed ? gzipSync(body) : Buffer.from(body);
  const options: RequestOptions & { readonly ca?: string } = {
    method: "POST",
    agent,
    headers: {
      "user-agent": `OTel-OTLP-Exporter-hookctl/${version}`,
      ...headers,
      "content-type": "application/json",
      "content-length": bytes.length,
      ...(isCompressed ? { "content-encoding": "gzip" } : {}),
    },
    ...(certificate === null ? {} : { ca: certificate }),
  };
  return new Promise((settle) => {
    const open = url.protocol === "https:" ? requestHttps : requestHttp;
    const request = open(url, options, (response) => {
      readResponse(response).then(finish, (error: unknown) => finish({ kind: "failed", cause: causeOf(error) }));
    });
    const timer = setTimeout(() => request.destroy(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
    const finish = (answer: Answer): void => {
      clearTimeout(timer);
      // What is left of a response that was too long must not be read.
      if (answer.kind !== "answered") request.destroy();
      settle(answer);
    };
    request.on("error", (error) => finish({ kind: "failed", cause: causeOf(error) }));
    request.end(bytes);
  });
}

async function readResponse(response: IncomingMessage): Promise<Answer> {
  const status = response.statusCode ?? 0;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_RESPONSE_BYTES) return { kind: "too-long", status };
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  return { kind: "answered", status, retryAfter: response.headers["retry-after"] ?? null, text };
}

function causeOf(error: unknown): string {
  const code = errnoCode(error);
  if (code !== null) return code;
  return error instanceof Error ? error.message : String(error);
}
