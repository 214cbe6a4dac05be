// A server under test, on a socket, with what can be seen of it from outside.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { wordsOf } from "../scene.mjs";

/** @import { ChildProcess } from "node:child_process" */
/** @import { Scene } from "../../bench/workspace.mjs" */

/**
 * @typedef {object} Server
 * @property {ChildProcess} child
 * @property {string} socket
 * @property {Promise<unknown>} ended
 */

/** A gate that fails leaves no server behind. @type {Set<ChildProcess>} */
const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * Starts a server and waits until it listens. The name keeps servers that run at the same time apart.
 * @param {readonly string[]} bin
 * @param {Pick<Scene, "home" | "project" | "env">} scene
 * @param {string} name
 * @returns {Promise<Server>}
 */
export async function startServer(bin, { home, project, env }, name) {
  const folder = join(home, "s");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const socket = join(folder, name);
  const { file, args } = wordsOf(bin, ["serve", "--socket", socket]);
  const child = spawn(file, args, { cwd: project, env, stdio: ["ignore", "ignore", "pipe"] });
  running.add(child);
  const ended = once(child, "close").finally(() => running.delete(child));
  let stderr = "";
  await new Promise((settle, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text) => {
      stderr += text;
      if (stderr.includes(`Serving on ${socket}\n`) && !stderr.includes("✖")) settle(null);
    });
    child.on("close", () => reject(new Error(`the server did not start: ${stderr}`)));
  });
  return { child, socket, ended };
}

/** The memory of a process in MB, and how many descriptors it has open. @param {number} pid */
export function sizeOf(pid) {
  const resident = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  return { megabytes: resident / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

/** @param {string} cwd @param {string} command */
export const claudeCall = (cwd, command) =>
  JSON.stringify({
    ...{ session_id: "gate", transcript_path: "/t", cwd, hook_event_name: "PreToolUse", tool_use_id: "u" },
    ...{ tool_name: "Bash", tool_input: { command } },
  });
