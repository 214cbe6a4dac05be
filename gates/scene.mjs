import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startWords } from "../bench/as-person.mjs";
import { openWorkspace } from "../bench/workspace.mjs";

/** How hookctl is started with these arguments. @param {readonly string[]} bin @param {readonly string[]} args */
export function wordsOf(bin, args) {
  const [file = "", ...words] = startWords(bin, args);
  return { file, args: words };
}

/** @import { Scene, Workspace } from "../bench/workspace.mjs" */

/**
 * @typedef {object} Ended how one call of the command ended
 * @property {number | null} code
 * @property {string | null} signal
 * @property {string} stdout
 * @property {string} stderr
 * @property {number} wallMs
 */

/**
 * @typedef {object} Call
 * @property {string} file
 * @property {readonly string[]} args
 * @property {string} cwd
 * @property {Readonly<Record<string, string | undefined>>} env
 * @property {string} [input]
 * @property {number | "pipe"} [stdout] a descriptor in place of a pipe
 * @property {number} [limitMs] it is killed when it has not ended by then
 * @property {(kill: () => void) => void} [started]
 * @property {(text: string, kill: () => void) => void} [heard] each piece of stdout as it comes
 */

/** Does something in a folder of its own that is removed afterwards. */
/** @template T @param {(workspace: Workspace) => Promise<T>} use @returns {Promise<T>} */
export async function inWorkspace(use) {
  const workspace = openWorkspace();
  // Other users look in, when a gate needs one.
  chmodSync(workspace.root, 0o755);
  try {
    return await use(workspace);
  } finally {
    workspace.remove();
  }
}

/** Writes one of the user's own hooks: they need no approval and inherit the environment. */
/** @param {Scene} scene @param {string} name @param {string} text @returns {string} its path */
export function writeUserHook(scene, name, text) {
  mkdirSync(scene.userHooks, { recursive: true, mode: 0o755 });
  const path = join(scene.userHooks, name);
  // In one step: a file that is being started cannot be written. Hidden files are no hooks.
  const fresh = join(scene.userHooks, `.${name}.fresh`);
  writeFileSync(fresh, text, { mode: 0o755 });
  chmodSync(fresh, 0o755);
  renameSync(fresh, path);
  return path;
}

/** @param {string} cwd @param {object} [more] */
export const payloadFor = (cwd, more = {}) =>
  JSON.stringify({ event: "before_tool_call", cwd, tool_name: "bash", tool_input: { command: "ls" }, ...more });

/** Starts one call and waits for its end. @param {Call} call @returns {Promise<Ended>} */
export function ended({ file, args, cwd, env, input = "", stdout = "pipe", limitMs, started, heard }) {
  const startedAt = performance.now();
  const child = spawn(file, args, {
    cwd,
    env,
    stdio: ["pipe", stdout, "pipe"],
    timeout: limitMs,
    killSignal: "SIGKILL",
  });
  const said = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    said.stdout += text;
    heard?.(text, kill);
  });
  child.stderr?.setEncoding("utf8").on("data", (text) => (said.stderr += text));
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  const kill = () => void child.kill("SIGKILL");
  started?.(kill);
  return new Promise((settle) => {
    child.on("error", (error) => settle({ ...said, code: null, signal: error.message, wallMs: 0 }));
    child.on("close", (code, signal) => settle({ ...said, code, signal, wallMs: performance.now() - startedAt }));
  });
}
