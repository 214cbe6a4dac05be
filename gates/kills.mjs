// The test runner, killed at random moments by every signal: no process and no scratch folder of it stays.
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { inParallel } from "./gate.mjs";
import { hookText } from "./orphans/kinds.mjs";
import { endAll, livePidsWith, marked } from "./orphans/marks.mjs";
import { randomFrom } from "./random.mjs";
import { inWorkspace, wordsOf, writeUserHook } from "./scene.mjs";

/** @import { Scene } from "../bench/workspace.mjs" */
/** @import { GateContext, Outcome } from "./gate.mjs" */

const RUNS = 200;
const AT_ONCE = 4;
/** A process that was sent KILL needs the machine once more before it is gone, and a busy machine is slow to give it. */
const SETTLING_MS = 20_000;
const SIGNALS = /** @type {const} */ (["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"]);
const HOOKS = [
  "answers and leaves a child",
  "answers and leaves a child with setsid",
  "ignores TERM",
  "escapes with setsid, holds nothing",
  "starts a child with an empty environment",
  "asks hookctl again in a session of its own",
];

/** @param {GateContext} context @returns {Promise<Outcome>} */
export function kills({ bin, scale, seed }) {
  return inWorkspace(async (workspace) => {
    const scene = workspace.scene();
    for (const [place, kind] of HOOKS.entries()) writeUserHook(scene, `${place}`, hookText(kind));
    const random = randomFrom(seed, "kills");
    const root = join(workspace.root, "tmp");
    const wholeMs = (await killedRun({ bin, scene, tmp: join(root, "whole") }, null)).wallMs;
    const moments = Array.from({ length: Math.max(1, Math.round(RUNS * scale)) }, (_, index) => ({
      ...{ signal: random.pick(SIGNALS), afterMs: random.int(Math.round(1.1 * wholeMs)) },
      tmp: join(root, `${index}`),
    }));
    const notes = /** @type {string[]} */ ([]);
    let ended = 0;
    await inParallel(moments.length, AT_ONCE, async (index) => {
      const { signal, afterMs, tmp } = moments[index] ?? { signal: "SIGKILL", afterMs: 0, tmp: root };
      const { left, wasEnded } = await killedRun({ bin, scene, tmp }, { signal, afterMs });
      if (wasEnded) ended += 1;
      if (left !== "") notes.push(`${signal} after ${afterMs} ms left ${left}`);
    });
    return {
      isMet: notes.length === 0,
      figures: `${moments.length} test runs, ${ended} of them ended by a signal within ${Math.round(wholeMs)} ms: ${notes.length} left something`,
      notes,
    };
  });
}

/**
 * @param {{ bin: readonly string[], scene: Scene, tmp: string }} place
 * @param {{ signal: NodeJS.Signals, afterMs: number } | null} kill
 */
async function killedRun({ bin, scene, tmp }, kill) {
  mkdirSync(tmp, { recursive: true });
  const startedAt = performance.now();
  // Its own folder for temporary files is the mark of a run: every process of it has it in its environment or its words.
  const { file, args } = wordsOf(bin, ["test", "--jobs", "3", "--timeout", "300ms", "-q"]);
  const child = spawn(file, args, {
    cwd: scene.project,
    env: { ...scene.env, TMPDIR: tmp, GATE_HOOKCTL: bin.join(" "), ...marked(`${tmp}/`) },
    stdio: "ignore",
  });
  const timer = kill === null ? undefined : setTimeout(() => child.kill(kill.signal), kill.afterMs);
  const { code, signal } = await /** @type {Promise<{ code: number | null, signal: string | null }>} */ (
    new Promise((settle) => child.on("close", (code, signal) => settle({ code, signal })))
  );
  clearTimeout(timer);
  const wallMs = performance.now() - startedAt;
  const left = await leftOf(tmp);
  return { wallMs, left, wasEnded: signal !== null || (code ?? 0) > 128 };
}

/** What is still there when everything had the time to go; empty: nothing. @param {string} tmp */
async function leftOf(tmp) {
  const untilMs = Date.now() + SETTLING_MS;
  for (;;) {
    const [pids, folders] = [livePidsWith(`${tmp}/`), readdirSync(tmp)];
    if (pids.length + folders.length === 0) return "";
    if (Date.now() > untilMs) {
      endAll(pids);
      return [...pids.map((pid) => `process ${pid}`), ...folders].join(", ");
    }
    await wait(50);
  }
}
