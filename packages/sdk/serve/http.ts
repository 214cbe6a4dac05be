import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { errnoCode } from "../../../src/protocol/errno.ts";
import { PAYLOAD_LIMIT_BYTES } from "../../../src/protocol/payload/payload.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { type CloseSignal, closeSignal } from "../library/close-signal.ts";
import { CLIENT_LEFT } from "./connection.ts";
import { type BridgeRequest, type HttpRules, judgeHead } from "./http-head.ts";

/** Answers the payload of an agent with JSON text, which is empty if there is nothing to say. */
export type AnswerAgent = (request: BridgeRequest, body: Uint8Array, signal: CloseSignal) => Promise<string>;

const LOOPBACK = "127.0.0.1";
/** The number of open connections that have shown the token. */
const MOST_PROVEN = 192;
/** The number of open connections that have not: every user of the machine can open them. */
const MOST_UNPROVEN = 64;
/** A client that does not send its request in these times is cut off. */
const TIMES = {
  headersTimeout: 5_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
};
/** A client that does not read its answer in this time is cut off. */
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

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const judged = judgeHead(request, rules);
    if (typeof judged === "number") return refuse(judged, request, response);
    if (!connections.prove(request.socket)) return refuse(503, request, response);
    const body = await readBody(request);
    if (body === null) return refuse(413, request, response);
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
  };
  const server = createServer(TIMES, (request, response) => void respond(request, response));
  server.on("connection", connections.add);
  const stop = (signal: string): void => {
    isClosing = true;
    stoppedBy ??= signal;
    for (const { close } of [...signals]) close(signal);
  };
  const close = async (): Promise<void> => {
    isClosing = true;
    const closed = new Promise((settle) => void server.close(settle));
    while (pending.size > 0) await Promise.all(pending);
    // Neither an idle client nor one that sends half a request delays the end of the server.
    server.closeAllConnections();
    await closed;
  };
  return new Promise((settle) => {
    server.on("error", (error) => settle(fail(errnoCode(error) ?? error.message)));
    server.listen(rules.port, LOOPBACK, () => settle(ok({ stop, close })));
  });
}

interface Connections {
  readonly add: (socket: Socket) => void;
  /** For a client that has shown the token. Returns false if too many have. */
  readonly prove: (socket: Socket) => boolean;
}

/** Above the limit of unproven connections the oldest is closed, so that they cannot block a client that sends its request. */
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

/** The body of a request; null if it is too large. Never settles if the connection breaks off. */
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
