// The lines that agents start, while their server, the front programs and the lines themselves are killed and stopped at
// random moments: no call passes a guard that blocks it, no hook stays, and the server does not grow.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { entry } from "./entry.mjs";
import { casesAt, inParallel } from "./gate.mjs";
import { endAll, livePidsWith, marked } from "./orphans/marks.mjs";
import { randomFrom } from "./random.mjs";
import { ended, inWorkspace, wordsOf, writeUserHook } from "./scene.mjs";

/** @import { Scene } from "../bench/workspace.mjs" */
/** @import { GateContext, Outcome } from "./gate.mjs" */

const KILLS = 1_000;
const AT_ONCE = 8;
const LATEST_MS = 120;
const STOPPED_MS = 1_500;
const MOST_KIB = 200 * 1024;
/** A process that was sent KILL needs the machine once more before it is gone. */
const SETTLING_MS = 20_000;
const VICTIMS = /** @type {const} */ ([
  ["server", "SIGKILL"],
  ["server", "SIGTERM"],
  ["server", "SIGSTOP"],
  ["front", "SIGKILL"],
  ["front", "SIGTERM"],
  ["nobody", "SIGTERM"],
]);

const CHILD = "sleep\x180.25";
/** It leaves a child behind, which hookctl ends. */
const GUARD = `#!/bin/sh
[ "$1" = hook ] && { echo '{"event":"before_tool_call","fail_open":false}'; exit; }
sleep 300.25 &
cat >/dev/null
echo '{"blocked":true,"reason":"never"}'
`;

/** @param {GateContext} context @returns {Promise<Outcome>} */
export function front({ bin, scale, seed }) {
  return inWorkspace(async (workspace) => {
    const scene = workspace.scene({ config: { settings: { resident: true } } });
    writeUserHook(scene, "guard", GUARD);
    const line = await registeredLine(bin, scene);
    const random = randomFrom(seed, "front");
    const moments = Array.from({ length: casesAt(KILLS, scale, 12) }, () => ({
      victim: random.pick(VICTIMS),
      afterMs: random.int(LATEST_MS),
    }));
    const notes = /** @type {Set<string>} */ (new Set());
    const mark = `${scene.home}/`;
    let blocked = 0;
    const ask = async (/** @type {(typeof moments)[number]} */ { victim, afterMs }, /** @type {number} */ index) => {
      const env = { ...scene.env, ...marked(mark) };
      const input = claudeCall(scene.project, index);
      const call = ended({ file: "/bin/sh", args: ["-c", line], cwd: scene.project, env, input });
      await wait(afterMs);
      await harm(victim, scene);
      const { stdout } = await call;
      if (stdout.includes('"deny"')) blocked++;
      else notes.add(`${victim.join(" ")} after ${afterMs} ms: the line printed ${JSON.stringify(stdout)}`);
    };
    const isFatal = (/** @type {(typeof moments)[number]} */ { victim }) => victim === VICTIMS[0];
    const [fatal, others] = [moments.filter(isFatal), moments.filter((one) => !isFatal(one))];
    await inParallel(others.length, AT_ONCE, (index) => ask(entry(others, index), index));
    const left = await leftOf(CHILD);
    if (left.length > 0) notes.add(`${left.length} children of hooks were left`);
    // The hooks of a server that is killed end by themselves, as those of any hookctl.
    await inParallel(fatal.length, AT_ONCE, (index) => ask(entry(fatal, index), others.length + index));
    const memory = Math.max(0, ...serversOf(scene).map(memoryOf));
    if (memory > MOST_KIB) notes.add(`a server takes ${memory} KiB`);
    // Also servers that are just being started.
    for (let alive = [0]; alive.length > 0; await wait(200)) {
      alive = [...livePidsWith(scene.home), ...livePidsWith(CHILD)];
      endAll(alive);
    }
    return {
      isMet: notes.size === 0,
      figures: `${moments.length} calls, ${blocked} blocked; the largest server took ${Math.round(memory / 1024)} MiB`,
      notes: [...notes],
    };
  });
}

/** @param {(typeof VICTIMS)[number]} victim @param {Scene} scene */
async function harm([who, signal], scene) {
  if (who === "nobody") return;
  const pids = who === "server" ? serversOf(scene) : frontsOf(scene).slice(0, 1);
  for (const pid of pids) kill(pid, signal);
  if (signal !== "SIGSTOP") return;
  await wait(STOPPED_MS);
  for (const pid of pids) kill(pid, "SIGCONT");
}

/** @param {number} pid @param {NodeJS.Signals} signal */
function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** @param {Scene} scene @returns {readonly number[]} */
function serversOf({ home }) {
  const folder = join(home, ".kodelet", "resident");
  const notes = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".pid")) : [];
  return notes.flatMap((name) => {
    const file = join(folder, name);
    return existsSync(file) ? Number(readFileSync(file, "utf8").split(" ")[0]) || [] : [];
  });
}

/** The front programs that wait for an answer. @param {Scene} scene */
const frontsOf = ({ home }) => livePidsWith(join("dist", "front")).filter((pid) => livePidsWith(home).includes(pid));

/** In KiB. @param {number} pid */
function memoryOf(pid) {
  const file = `/proc/${pid}/status`;
  return existsSync(file) ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(file, "utf8"))?.[1] ?? 0) : 0;
}

/** @param {string} words */
async function leftOf(words) {
  const until = performance.now() + SETTLING_MS;
  let left = livePidsWith(words);
  while (left.length > 0 && performance.now() < until) {
    await wait(200);
    left = livePidsWith(words);
  }
  return left;
}

/** @param {readonly string[]} bin @param {Scene} scene */
async function registeredLine(bin, scene) {
  const settings = join(scene.home, ".claude", "settings.json");
  mkdirSync(join(scene.home, ".claude"), { recursive: true });
  writeFileSync(settings, "{}\n");
  const { file, args } = wordsOf(bin, ["install", "claude", "--scope", "user"]);
  const { status, stderr } = spawnSync(file, args, { cwd: scene.project, env: scene.env, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(readFileSync(settings, "utf8")).hooks.PreToolUse[0].hooks[0].command;
}

/** @param {string} cwd @param {number} index */
const claudeCall = (cwd, index) =>
  JSON.stringify({
    ...{ session_id: `s${index}`, cwd, hook_event_name: "PreToolUse", tool_name: "Bash" },
    ...{ tool_input: { command: "ls" }, tool_use_id: `t${index}` },
  });
