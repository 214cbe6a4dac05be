import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Workspace } from "../../../../test/support/workspace.ts";
import { type Server, startServer } from "./server.ts";

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface HttpServer extends Server {
  readonly port: number;
  readonly token: string;
  readonly tokenFile: string;
  readonly ask: (path: string, body: string, more?: object) => Promise<Reply>;
}

let nextPort = 10_000 + (process.pid % 1000) * 20;

/** A free port, and not one of those that the system gives to any program that asks for one in the meantime. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = nextPort++;
    const probe = createServer();
    const isFree = await new Promise<boolean>((settle) => {
      probe.once("error", () => settle(false)).listen(port, "127.0.0.1", () => settle(true));
    });
    if (!isFree) continue;
    await new Promise((settle) => probe.close(settle));
    return port;
  }
}

export async function startHttp(place: Workspace, args: readonly string[] = []): Promise<HttpServer> {
  const port = await freePort();
  const tokenFile = join(place.dir, "token");
  const server = startServer(place, ["--http", String(port), "--token-file", tokenFile, ...args]);
  while (!server.stderr().includes("Serving on")) {
    if (server.child.exitCode !== null) throw new Error(server.stderr());
    await new Promise((resume) => setTimeout(resume, 10));
  }
  const token = readFileSync(tokenFile, "utf8").trim();
  const ask: HttpServer["ask"] = (path, body, more = {}) =>
    new Promise((settle, reject) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const { headers: changed, ...options } = more as { headers?: Record<string, string | undefined> };
      const all = Object.entries({ ...headers, ...changed }).filter(([, value]) => value !== undefined);
      const call = httpRequest(
        { port, path, method: "POST", ...options, headers: Object.fromEntries(all) },
        (answer) => {
          let text = "";
          answer.setEncoding("utf8").on("data", (part) => {
            text += part;
          });
          answer.on("end", () => settle({ status: answer.statusCode ?? 0, body: text, headers: answer.headers }));
        },
      );
      call.on("error", reject);
      call.end(body);
    });
  return { ...server, port, token, tokenFile, ask };
}

/** A shell call as Claude Code sends it. */
export const call = (place: Workspace, command: string): string =>
  JSON.stringify({
    ...{ session_id: "s", transcript_path: "/t", cwd: place.project, hook_event_name: "PreToolUse" },
    ...{ tool_name: "Bash", tool_input: { command }, tool_use_id: "u" },
  });
