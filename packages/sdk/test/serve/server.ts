import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { HOOKCTL, type Workspace } from "../../../../test/support/workspace.ts";

/** One answer of the server, parsed. */
export interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data: { readonly code: string } };
}

/** A client that sends lines and reads lines. */
export interface Client {
  readonly send: (...lines: readonly (string | object)[]) => void;
  /** The next answer, as text. */
  readonly line: () => Promise<string>;
  readonly answer: () => Promise<Answer>;
  readonly ask: (request: object) => Promise<Answer>;
  readonly end: () => void;
}

function clientOf(input: Writable, output: Readable): Client {
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  const send: Client["send"] = (...all) =>
    void input.write(all.map((one) => `${typeof one === "string" ? one : JSON.stringify(one)}\n`).join(""));
  const line = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error("the server sent no more lines");
    return value;
  };
  const answer = async (): Promise<Answer> => JSON.parse(await line());
  return {
    send,
    line,
    answer,
    ask: (request) => {
      send({ jsonrpc: "2.0", ...request });
      return answer();
    },
    end: () => void input.end(),
  };
}

export interface Server extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  readonly stderr: () => string;
}

/** Starts `hookctl serve` and ends it with the test. */
export function startServer({ project, env }: Workspace, args: readonly string[] = [], more = {}): Server & Client {
  const [file = "", ...words] = HOOKCTL;
  const child = spawn(file, [...words, "serve", ...args], { cwd: project, env: { ...env, ...more } });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  child.stdin.on("error", () => {});
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }));
  return {
    ...clientOf(child.stdin, child.stdout),
    child,
    ended,
    stderr: () => stderr,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Starts a server on a socket, and waits until it listens. */
export async function startOnSocket(place: Workspace, socket: string, args: readonly string[] = []): Promise<Server> {
  const server = startServer(place, ["--socket", socket, ...args]);
  while (!server.stderr().includes("Serving on")) {
    if (server.child.exitCode !== null) throw new Error(server.stderr());
    await new Promise((resume) => setTimeout(resume, 10));
  }
  return server;
}

export async function connectTo(socket: string): Promise<Client & AsyncDisposable & { readonly socket: Socket }> {
  const client = connect({ path: socket, allowHalfOpen: true });
  await once(client, "connect");
  client.on("error", () => {});
  return {
    ...clientOf(client, client),
    socket: client,
    [Symbol.asyncDispose]: async () => void client.destroy(),
  };
}

export const runRequest = (id: number, command: string, more: object = {}): object => ({
  jsonrpc: "2.0",
  id,
  method: "run",
  params: { event: "before_tool_call", payload: { tool_name: "bash", tool_input: { command } }, ...more },
});
