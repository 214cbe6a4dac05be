// The server, the front program, the line and the agent are killed and stopped at random moments: no call passes a guard
// that blocks it, no process and no lock stays, and the next call is answered.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { entry } from "../entry.mjs";
import { casesAt, inParallel } from "../gate.mjs";
import { endAll, livePidsWith, marked } from "../orphans/marks.mjs";
import { randomFrom } from "../random.mjs";
import { ended, inWorkspace, writeUserHook } from "../scene.mjs";
import {
  callLine,
  claudeCall,
  endAllOf,
  isDenied,
  leftOf,
  RESIDENT,
  registeredLines,
  sendSignal,
  serversOf,
} from "./servers.mjs";

/** @import { Scene } from "../../bench/workspace.mjs" */
/** @import { GateContext, Outcome } from "../gate.mjs" */

const KILLS = 1_000;
const AT_ONCE = 8;
const LATEST_MS = 120;
const STOPPED_MS = 1_500;
const VICTIMS = /** @type {const} */ ([
  ["server", "SIGKILL"],
  ["server", "SIGTERM"],
  ["server", "SIGINT"],
  ["server", "SIGSTOP"],
  ["front", "SIGKILL"],
  ["front", "SIGTERM"],
  ["front", "SIGINT"],
  ["front", "SIGSTOP"],
  ["agent", "SIGKILL"],
  ["agent", "SIGTERM"],
  ["agent", "SIGINT"],
  ["agent", "SIGSTOP"],
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
export function kills({ bin, scale, seed }) {
  return inWorkspace(async (workspace) => {
    const scene = workspace.scene({ config: RESIDENT });
    writeUserHook(scene, "guard", GUARD);
    const line = registeredLines(bin, scene)("PreToolUse");
    const random = randomFrom(seed, "front");
    const moments = Array.from({ length: casesAt(KILLS, scale, 12) }, () => ({
      victim: random.pick(VICTIMS),
      afterMs: random.int(LATEST_MS),
    }));
    const notes = /** @type {Set<string>} */ (new Set());
    let [blocked, gone] = [0, 0];
    const ask = async (/** @type {(typeof moments)[number]} */ { victim, afterMs }, /** @type {number} */ index) => {
      // The agent is a shell that starts the line in a shell, as agents do, and says how it ended.
      const mark = `${scene.home}/${index}.`;
      const env = { ...scene.env, ...marked(mark) };
      const input = claudeCall(scene.project, index);
      const args = ["-c", 'sh -c "$0"; echo "ended $?"', line];
      const call = ended({ file: "/bin/sh", args, cwd: scene.project, env, input });
      await wait(afterMs);
      await harm(victim, scene, mark);
      const { stdout } = await call;
      const code = Number(/^ended (\d+)$/m.exec(stdout)?.[1] ?? -1);
      if (isDenied(stdout) || code === 2) blocked++;
      // An agent that is gone runs no tool.
      else if (victim[0] === "agent" && code < 0) gone++;
      else notes.add(`${victim.join(" ")} after ${afterMs} ms: the line printed ${JSON.stringify(stdout)}`);
    };
    const isFatal = (/** @type {(typeof moments)[number]} */ { victim }) => victim === VICTIMS[0];
    const [fatal, others] = [moments.filter(isFatal), moments.filter((one) => !isFatal(one))];
    await inParallel(others.length, AT_ONCE, (index) => ask(entry(others, index), index));
    const left = await leftOf(CHILD);
    if (left.length > 0) notes.add(`${left.length} children of hooks were left`);
    // Nothing can end the children of a hook whose server was killed: no other program has seen them.
    await inParallel(fatal.length, AT_ONCE, (index) => ask(entry(fatal, index), others.length + index));
    endAll(livePidsWith(CHILD));
    const fronts = await leftOf(join("dist", "front"));
    const ours = fronts.filter((pid) => livePidsWith(scene.home).includes(pid));
    if (ours.length > 0) notes.add(`${ours.length} front programs were left`);
    const next = await callLine(line, scene, claudeCall(scene.project, "next"));
    if (!isDenied(next.stdout) || next.code !== 0) notes.add(`the next call: ${JSON.stringify(next)}`);
    const locks = await locksLeft(scene);
    if (locks.length > 0) notes.add(`left: ${locks.join(", ")}`);
    await endAllOf(scene);
    return {
      isMet: notes.size === 0,
      figures: `${moments.length} kills: ${blocked} calls blocked, ${gone} without an agent, none passed`,
      notes: [...notes],
    };
  });
}

/** The locks that nobody releases: a server that is just being started holds one. @param {Scene} scene */
async function locksLeft({ home }) {
  const found = () =>
    readdirSync(home, { recursive: true, encoding: "utf8" }).filter((name) => /\.(?:lock|drop|tmp)/.test(name));
  for (let waited = 0; found().length > 0 && waited < 300; waited++) await wait(100);
  return found();
}

/** @param {(typeof VICTIMS)[number]} victim @param {Scene} scene @param {string} mark */
async function harm([who, signal], scene, mark) {
  const all = who === "server" ? serversOf(scene) : livePidsWith(mark);
  const fronts = who === "front" ? livePidsWith(join("dist", "front")) : [];
  // The processes of one call are started one after another: the agent, the line, the front program.
  const ordered = [...all].sort((one, other) => one - other);
  const pids =
    who === "front"
      ? ordered.filter((pid) => fronts.includes(pid)).slice(0, 1)
      : who === "agent"
        ? ordered.slice(0, 1)
        : all;
  for (const pid of pids) sendSignal(pid, signal);
  if (signal !== "SIGSTOP") return;
  await wait(STOPPED_MS);
  for (const pid of pids) sendSignal(pid, "SIGCONT");
}
