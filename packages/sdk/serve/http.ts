import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { errnoCode } from "../../../src/protocol/errno.ts";
import { PAYLOAD_LIMIT_BYTES } from "../../../src/protocol/payload/payload.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { type CloseSignal, closeSignal } from "../library/close-signal.ts";
import { CLIENT_LEFT } from "./connection.ts";
import { type BridgeRequest, type HttpRules, judgeHead } from "./http-head.ts";

/** Answers the payload of an agent with JSON text; empty: nothing to say. */
export type AnswerAgent = (request: BridgeRequest, body: Uint8Array, signal: CloseSignal) => Promise<string>;

const LOOPBACK = "127.0.0.1";
/** Connections that have shown it. */
const MOST_PROVEN = 192;
/** So many connections may be open that have not shown the token: every user of the machine can open them. */
const MOST_UNPROVEN = 64;
/** A client sends its request in this time, or is cut off. */
const HEAD_MS = 5_000;
const REQUEST_MS = 30_000;
const IDLE_MS = 60_000;
/** A client that does not read its answer for so long is cut off. */
const ANSWER_MS = 5_000;

export interface HttpServer {
  /** Ends the hooks of every request, because of a signal. */
  readonly stop: (signal: string) => void;
  /** Takes no more requests, and settles when every one is answered. */
  readonly close: () => Promise<void>;
}

/** Listens on the loopback alone. The error says why not. */
export function listenOnPort(rules: HttpRules, answer: AnswerAgent): Promise<Result<HttpServer, string>> {
  const signals = new Set<CloseSignal>();
  const pending = new Set<Promise<void>>();
  const connections = countConnections();
  let stoppedBy: string | null = null;
  let isClosing = false;
  const limits = { headersTimeout: HEAD_MS, requestTimeout: REQUEST_MS, keepAliveTimeout: IDLE_MS };
  const server = createServer({ ...limits, connectionsCheckingInterval: 1_000 }, (request, response) => {
    void respond({ request, response, connections }, rules, (judged, body) => {
      const signal = closeSignal();
      signals.add(signal);
      // Ends the hooks when the client has gone. A request during the shutdown is interrupted at once.
      response.on("close", () => signal.close(CLIENT_LEFT));
      if (isClosing) signal.close(stoppedBy ?? "shutdown");
      const answered = answer(judged, body, signal)
        .then((text) => send(text, response, isClosing))
        .finally(() => {
          signals.delete(signal);
          pending.delete(answered);
        });
      pending.add(answered);
    });
  });
  // Not `maxConnections`: the native executable's runtime also counts those that are closed but not yet gone.
  server.on("connection", connections.add);
  return new Promise((settle) => {
    server.on("error", (error) => settle(fail(errnoCode(error) ?? error.message)));
    server.listen(rules.port, LOOPBACK, () =>
      settle(
        ok({
          stop: (signal) => {
            isClosing = true;
            stoppedBy ??= signal;
            for (const { close } of [...signals]) close(signal);
          },
          close: async () => {
            isClosing = true;
            const closed = new Promise((settle) => void server.close(settle));
            while (pending.size > 0) await Promise.all(pending);
            // Neither an idle client nor one that sends half a request keeps the server.
            server.closeAllConnections();
            await closed;
          },
        }),
      ),
    );
  });
}

interface Connections {
  readonly add: (socket: Socket) => void;
  /** Its client has shown the token. False: too many have. */
  readonly prove: (socket: Socket) => boolean;
}

/** Of too many that have not shown the token the oldest is closed: they keep nobody out who sends a request at once. */
function countConnections(): Connections {
  const unproven = new Set<Socket>();
  const proven = new Set<Socket>();
  const add = (socket: Socket): void => {
    unproven.add(socket);
    socket.on("close", () => {
      unproven.delete(socket);
      proven.delete(socket);
    });
    const [oldest] = unproven;
    if (unproven.size <= MOST_UNPROVEN || oldest === undefined) return;
    unproven.delete(oldest);
    oldest.destroy();
  };
  const prove = (socket: Socket): boolean => {
    if (proven.has(socket)) return true;
    if (proven.size >= MOST_PROVEN || socket.destroyed) return false;
    unproven.delete(socket);
    proven.add(socket);
    return true;
  };
  return { add, prove };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connections: Connections;
}

async function respond(
  { request, response, connections }: Exchange,
  rules: HttpRules,
  onRequest: (request: BridgeRequest, body: Uint8Array) => void,
): Promise<void> {
  const { method = "", url = "", headers, rawHeaders } = request;
  const judged = judgeHead({ method, url, headers, rawHeaders }, rules);
  if (judged.kind === "refused") return refuse(judged.status, request, response);
  if (!connections.prove(request.socket)) return refuse(503, request, response);
  const body = await readBody(request);
  if (body === null) return refuse(413, request, response);
  onRequest(judged.request, body);
}

/** Settles when the answer is sent, or its connection is gone. */
function send(text: string, response: ServerResponse, isLast: boolean): Promise<void> {
  return new Promise((settle) => {
    if (response.destroyed) return settle();
    response.on("close", settle);
    response.setTimeout(ANSWER_MS, () => response.destroy());
    const head = { "content-type": "application/json", ...(isLast ? { connection: "close" } : {}) };
    response.writeHead(200, head).end(text || "{}", () => settle());
  });
}

/** The response tells nothing about the server, and the rest of the request is discarded. */
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
