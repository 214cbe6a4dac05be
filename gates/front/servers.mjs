// What the parts of the gate `front` have in common: the lines that agents start, and the servers behind them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { entry } from "../entry.mjs";
import { endAll, livePidsWith } from "../orphans/marks.mjs";
import { ended, wordsOf } from "../scene.mjs";

/** @import { Scene } from "../../bench/workspace.mjs" */

/** Without it a machine for CI has no server. */
export const RESIDENT = { settings: { resident: true } };
/** A process that was sent KILL needs the machine once more before it is gone. */
const SETTLING_MS = 20_000;

/** The lines of Claude Code, by event. @param {readonly string[]} bin @param {Pick<Scene, "home" | "project" | "env">} scene */
export function registeredLines(bin, { home, project, env }) {
  const settings = join(home, ".claude", "settings.json");
  mkdirSync(join(home, ".claude"), { recursive: true });
  if (!existsSync(settings)) writeFileSync(settings, "{}\n");
  const { file, args } = wordsOf(bin, ["install", "claude", "--scope", "user"]);
  const { status, stderr } = spawnSync(file, args, { cwd: project, env, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  const { hooks } = JSON.parse(readFileSync(settings, "utf8"));
  return (/** @type {string} */ event) => /** @type {string} */ (entry(hooks, event)[0].hooks[0].command);
}

/** @param {string} cwd @param {number | string} index @param {object} [more] */
export const claudeCall = (cwd, index, more = {}) =>
  JSON.stringify({
    ...{ session_id: `s${index}`, cwd, hook_event_name: "PreToolUse", tool_name: "Bash" },
    ...{ tool_input: { command: "ls" }, tool_use_id: `t${index}`, ...more },
  });

/** @param {string} text */
export const isDenied = (text) => text.includes('"deny"');

/** Starts a line as an agent does. @param {string} line @param {Pick<Scene, "project" | "env">} scene @param {string} input @param {readonly string[]} [starter] */
export function callLine(line, { project, env }, input, starter = []) {
  const [file = "", ...args] = [...starter, "/bin/sh", "-c", line];
  return ended({ file, args, cwd: project, env, input });
}

/** The processes of the servers of a home. @param {Pick<Scene, "home">} scene @returns {readonly number[]} */
export function serversOf({ home }) {
  const folder = join(home, ".kodelet", "resident");
  const notes = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".pid")) : [];
  return notes.flatMap((name) => {
    const file = join(folder, name);
    const pid = existsSync(file) ? Number(readFileSync(file, "utf8").split(" ")[0]) : 0;
    return pid > 0 && existsSync(`/proc/${pid}`) ? pid : [];
  });
}

/** Calls until there is a server: one call of 256 starts none. @param {string} line @param {Pick<Scene, "home" | "project" | "env">} scene */
export async function startedServer(line, scene) {
  for (;;) {
    await callLine(line, scene, claudeCall(scene.project, `start${performance.now()}`));
    for (let waited = 0; waited < 100; waited++) {
      const [pid] = serversOf(scene);
      if (pid !== undefined) return pid;
      await wait(50);
    }
  }
}

/** What a server takes: in KiB, and its descriptors. @param {number} pid */
export function takenBy(pid) {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
  const kib = (/** @type {string} */ name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  return {
    kib: kib("VmRSS"),
    mostKib: kib("VmHWM"),
    descriptors: status === "" ? 0 : readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** @param {number} pid @param {NodeJS.Signals} signal */
export function sendSignal(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** The processes with this text that do not end. @param {string} text */
export async function leftOf(text) {
  const until = performance.now() + SETTLING_MS;
  let left = livePidsWith(text);
  while (left.length > 0 && performance.now() < until) {
    await wait(200);
    left = livePidsWith(text);
  }
  return left;
}

/** Ends all processes of a home, also servers that are just being started. @param {Pick<Scene, "home">} scene */
export async function endAllOf({ home }) {
  for (let alive = [0]; alive.length > 0; await wait(200)) {
    alive = [...livePidsWith(`${home}/`)];
    endAll(alive);
  }
}
