import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type CloseSignal, closeSignal } from "../library/close-signal.ts";
import { errnoCode } from "../protocol/errno.ts";
import { PAYLOAD_LIMIT_BYTES } from "../protocol/payload/payload.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { type BridgeRequest, type HttpRules, judgeHead } from "./http-head.ts";

/** Answers the payload of an agent with JSON text; empty: nothing to say. */
export type AnswerAgent = (request: BridgeRequest, body: Uint8Array, signal: CloseSignal) => Promise<string>;

const LOOPBACK = "127.0.0.1";
const MOST_CONNECTIONS = 64;
/** A client sends its request in this time, or is cut off. */
const HEAD_MS = 5_000;
const REQUEST_MS = 30_000;
const IDLE_MS = 60_000;

export interface HttpServer {
  /** Ends the hooks of every request. */
  readonly stop: () => void;
  /** Takes no more requests, and settles when every one is answered. */
  readonly close: () => Promise<void>;
}

/** Listens on the loopback alone. The error says why not. */
export function listenOnPort(rules: HttpRules, answer: AnswerAgent): Promise<Result<HttpServer, string>> {
  const signals = new Set<CloseSignal>();
  const limits = { headersTimeout: HEAD_MS, requestTimeout: REQUEST_MS, keepAliveTimeout: IDLE_MS };
  const server = createServer({ ...limits, connectionsCheckingInterval: 1_000 }, (request, response) => {
    void respond(request, response, rules, async (judged, body, signal) => {
      signals.add(signal);
      return answer(judged, body, signal).finally(() => signals.delete(signal));
    });
  });
  server.maxConnections = MOST_CONNECTIONS;
  return new Promise((settle) => {
    server.on("error", (error) => settle(fail(errnoCode(error) ?? error.message)));
    server.listen(rules.port, LOOPBACK, () =>
      settle(
        ok({
          stop: () => {
            for (const { close } of [...signals]) close();
          },
          close: () => new Promise((closed) => void server.close(() => closed())),
        }),
      ),
    );
  });
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  rules: HttpRules,
  answer: AnswerAgent,
): Promise<void> {
  const { method = "", url = "", headers } = request;
  const judged = judgeHead({ method, url, headers }, rules);
  if (judged.kind === "refused") return refuse(judged.status, request, response);
  const body = await readBody(request);
  if (body === null) return refuse(413, request, response);
  const signal = closeSignal();
  // Nobody waits for the answer any more.
  response.on("close", () => {
    if (!response.writableFinished) signal.close();
  });
  const text = await answer(judged.request, body, signal);
  if (!response.destroyed) response.writeHead(200, { "content-type": "application/json" }).end(text || "{}");
}

/** Without a word of what is here. The rest of the request is not read. */
function refuse(status: number, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(status, { connection: "close", ...(status === 405 ? { allow: "POST" } : {}) }).end();
  request.resume();
  response.on("finish", () => request.destroy());
}

/** Null: it is too large. A request that breaks off never settles, and its connection is gone. */
function readBody(request: IncomingMessage): Promise<Uint8Array | null> {
  return new Promise((settle) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    request.on("data", (chunk: Uint8Array) => {
      size += chunk.length;
      if (size > PAYLOAD_LIMIT_BYTES) settle(null);
      else chunks.push(chunk);
    });
    request.on("end", () => settle(Buffer.concat(chunks)));
    request.on("error", () => {});
  });
}
