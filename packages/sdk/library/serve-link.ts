import { spawn } from "node:child_process";
import { connect } from "node:net";
import type { Readable, Writable } from "node:stream";
import { errnoCode } from "../../../src/protocol/errno.ts";
import {
  JSON_DEPTH,
  type JsonObject,
  type JsonSpan,
  membersOf,
  membersOrNone,
  readJson,
  stringOf,
} from "../../../src/protocol/json/read.ts";
import { PAYLOAD_LIMIT_BYTES } from "../../../src/protocol/payload/payload.ts";
import type { ProblemCode } from "../../../src/protocol/problem.ts";
import { decodeUtf8 } from "../../../src/protocol/text/text.ts";
import { createLineReader } from "../serve/line-reader.ts";
import { HookctlError } from "./hookctl-error.ts";

/** The address of a server: a socket, or a program to start, whose stdin and stdout are the connection. */
export type ServerPlace =
  | { readonly socket: string }
  | {
      readonly command: readonly [program: string, ...args: string[]];
      readonly cwd?: string;
      readonly env?: Readonly<Record<string, string | undefined>>;
    };

/** A connection to a server. Each request gets its own answer, or an error: silence is never an answer. */
export interface ServeLink {
  /** Sends a request, whose params are JSON text. Resolves to its result as JSON text. */
  readonly request: (method: string, params: string, signal?: AbortSignal) => Promise<string>;
  readonly isOpen: () => boolean;
  readonly close: () => Promise<void>;
}

/** A request without an answer. */
interface Waiting {
  readonly settle: (result: string) => void;
  readonly reject: (error: HookctlError) => void;
  /** Stops listening to the signal that cancels the request. */
  readonly stopListening: () => void;
}

/** A result can hold the payload twice: in the value and in a hook's change. */
const ANSWER_LIMIT_BYTES = 3 * PAYLOAD_LIMIT_BYTES;

export function openLink(place: ServerPlace): ServeLink {
  const waiting = new Map<string, Waiting>();
  const shown = "socket" in place ? place.socket : place.command.join(" ");
  let count = 0;
  let lost: HookctlError | null = null;

  const lose = (cause: string): void => {
    lost ??= new HookctlError({ code: "SERVE_UNREACHABLE", place: shown, cause });
    for (const { reject, stopListening } of waiting.values()) {
      stopListening();
      reject(lost);
    }
    waiting.clear();
    ends.destroy();
  };
  const ends = "socket" in place ? socketEnds(place.socket, lose) : programEnds(place, lose);
  readAnswers(ends.output, waiting, lose);

  const request: ServeLink["request"] = (method, params, signal) =>
    new Promise((settle, reject) => {
      if (lost !== null) return reject(lost);
      if (signal?.aborted === true) return reject(new HookctlError({ code: "SERVE_CANCELLED" }));
      const id = String(++count);
      const cancel = (): void => void ends.input.write(requestText(String(++count), "cancel", `{"id":${id}}`));
      const stopListening = (): void => signal?.removeEventListener("abort", cancel);
      waiting.set(id, { settle, reject, stopListening });
      signal?.addEventListener("abort", cancel);
      ends.input.write(requestText(id, method, params));
    });
  return {
    request,
    isOpen: () => lost === null,
    close: () => {
      const closed = ends.end();
      lose("the connection was closed");
      return closed;
    },
  };
}

const requestText = (id: string, method: string, params: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}\n`;

/** The two ends of a connection, and how it is ended. */
interface Ends {
  readonly input: Writable;
  readonly output: Readable;
  readonly destroy: () => void;
  readonly end: () => Promise<void>;
}

function socketEnds(path: string, lose: (cause: string) => void): Ends {
  const socket = connect(path);
  socket.on("error", (error) => lose(errnoCode(error) ?? error.message));
  socket.on("close", () => lose("the connection was closed"));
  return { input: socket, output: socket, destroy: () => socket.destroy(), end: async () => void socket.end() };
}

function programEnds(
  { command: [program, ...args], cwd, env }: Extract<ServerPlace, { readonly command: readonly string[] }>,
  lose: (cause: string) => void,
): Ends {
  const child = spawn(program, args, { cwd, env: env ?? process.env, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((settle) => {
    child.on("close", () => settle());
    child.on("error", () => settle());
  });
  child.on("error", (error) => lose(errnoCode(error) ?? error.message));
  child.on("close", () => lose("the program ended"));
  child.stdin.on("error", () => lose("the program no longer reads"));
  return {
    input: child.stdin,
    output: child.stdout,
    // It ends when stdin closes; its hooks must not outlive a caller that has closed the connection.
    destroy: () => void child.kill("SIGTERM"),
    end: () => ended,
  };
}

function readAnswers(output: Readable, waiting: Map<string, Waiting>, lose: (cause: string) => void): void {
  const lines = createLineReader(ANSWER_LIMIT_BYTES);
  output.on("data", (chunk: Uint8Array) => {
    lines.push(chunk);
    for (let line = lines.next(); line !== null; line = lines.next()) {
      const answer = line.kind === "line" ? readAnswer(line.bytes) : null;
      // It is unknown which request failed, so all of them are rejected.
      if (answer === null) return lose("an answer cannot be read");
      deliver(answer, waiting);
    }
  });
}

/** The members of an answer to a request; null for any other line. */
function readAnswer(bytes: Uint8Array): JsonObject | null {
  const text = decodeUtf8(bytes);
  const read = text === null ? null : readJson(text, JSON_DEPTH);
  if (read?.ok !== true || read.value.kind !== "object") return null;
  const members = membersOf(read.value);
  const isAnswer = members.get("id")?.kind === "number" && (members.has("result") || members.has("error"));
  return isAnswer ? members : null;
}

function deliver(answer: JsonObject, waiting: Map<string, Waiting>): void {
  const id = answer.get("id")?.raw ?? "";
  const asked = waiting.get(id);
  waiting.delete(id);
  asked?.stopListening();
  const error = answer.get("error");
  if (error !== undefined) asked?.reject(errorOf(error));
  else asked?.settle(answer.get("result")?.raw ?? "null");
}

/** The server has the same problem codes, so its error is the error that a call in this process would have. */
function errorOf(span: JsonSpan): HookctlError {
  const members = membersOrNone(span);
  const data = members.get("data");
  const details = membersOrNone(data);
  const text = (found: JsonSpan | undefined): string => (found?.kind === "string" ? stringOf(found) : "");
  const code = (text(details.get("code")) || "INTERNAL_FAULT") as ProblemCode;
  return new HookctlError({ code, summary: text(members.get("message")), hint: text(details.get("hint")) });
}
