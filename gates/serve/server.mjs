// A server under test, on a socket and on a port, with what can be seen of it from outside.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { wordsOf } from "../scene.mjs";

/** @import { ChildProcess } from "node:child_process" */
/** @import { Scene } from "../../bench/workspace.mjs" */

const TOKEN = "0123456789abcdef0123456789abcdef";

/**
 * @typedef {object} Server
 * @property {ChildProcess} child
 * @property {string} socket
 * @property {number} port
 * @property {Promise<unknown>} ended
 */

/** A gate that fails leaves no server behind. @type {Set<ChildProcess>} */
const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** A port that nobody has used a moment ago. @returns {Promise<number>} */
async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

/**
 * Starts a server and waits until it listens. The name keeps servers that run at the same time apart.
 * @param {readonly string[]} bin
 * @param {Pick<Scene, "home" | "project" | "env">} scene
 * @param {string} name
 * @returns {Promise<Server>}
 */
export async function startServer(bin, { home, project, env }, name) {
  const tokenFile = join(home, "token");
  writeFileSync(tokenFile, `${TOKEN}\n`, { mode: 0o600 });
  const port = await freePort();
  const folder = join(home, "s");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const socket = join(folder, name);
  const words = ["serve", "--socket", socket, "--http", String(port), "--token-file", tokenFile];
  const { file, args } = wordsOf(bin, words);
  const child = spawn(file, args, { cwd: project, env, stdio: ["ignore", "ignore", "pipe"] });
  running.add(child);
  const ended = once(child, "close").finally(() => running.delete(child));
  let stderr = "";
  await new Promise((settle, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text) => {
      stderr += text;
      if (stderr.includes(`http://127.0.0.1:${port}`) && !stderr.includes("✖")) settle(null);
    });
    child.on("close", () => reject(new Error(`the server did not start: ${stderr}`)));
  });
  return { child, socket, port, ended };
}

/** The memory of a process in MB, and how many descriptors it has open. @param {number} pid */
export function sizeOf(pid) {
  const resident = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  return { megabytes: resident / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

/**
 * One call of Claude Code over HTTP. Null: no answer.
 * @param {number} port
 * @param {string} body
 * @returns {Promise<{ status: number, text: string } | null>}
 */
export function askOverHttp(port, body) {
  return new Promise((settle) => {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const call = request({ port, path: "/bridge/claude/PreToolUse?fail-closed", method: "POST", headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      answer.on("end", () => settle(answer.complete ? { status: answer.statusCode ?? 0, text } : null));
      answer.on("error", () => settle(null));
    });
    call.on("error", () => settle(null));
    call.end(body);
  });
}

/** @param {string} cwd @param {string} command */
export const claudeCall = (cwd, command) =>
  JSON.stringify({
    ...{ session_id: "gate", transcript_path: "/t", cwd, hook_event_name: "PreToolUse", tool_use_id: "u" },
    ...{ tool_name: "Bash", tool_input: { command } },
  });
