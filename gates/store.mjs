// Many that approve at once, and a KILL at any point: the store parses and holds what was acknowledged.
import { existsSync, mkdirSync, readdirSync, utimesSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { entry } from "./entry.mjs";
import { inParallel } from "./gate.mjs";
import { randomFrom } from "./random.mjs";
import { ended, inWorkspace, wordsOf } from "./scene.mjs";

/** @import { Scene } from "../bench/workspace.mjs" */
/** @import { GateContext, Outcome } from "./gate.mjs" */
/** @import { Random } from "./random.mjs" */

const AT_ONCE = 20;
const ROUNDS = 10;
const KILLS = 200;
/** A whole call takes less than this. */
const LONGEST_MS = 150;
const HOOK = `#!/bin/sh
echo before_tool_call
`;

/** @param {GateContext} context @returns {Promise<Outcome>} */
export async function store({ bin, built, scale, seed }) {
  const { readApprovals } = await built("src/trust/store/trust-store.js");
  const userId = process.getuid?.() ?? -1;
  /** @type {NamesIn} */
  const namesIn = (scene) => {
    const approvals = readApprovals(join(stateOf(scene), "trust.json"), userId);
    return approvals.ok ? Object.values(approvals.value.approved).map(({ name }) => name) : approvals.error;
  };
  const crowd = await inWorkspace(({ scene }) => atOnce(bin, scene, Math.ceil(ROUNDS * scale), namesIn));
  const random = randomFrom(seed, "store");
  const kills = await inWorkspace(({ scene }) =>
    killed(bin, scene(), { total: Math.ceil(KILLS * scale), random, namesIn }),
  );
  return {
    isMet: crowd.lost + kills.lost + kills.broken === 0 && crowd.failed === 0,
    figures: `${crowd.total} approvals, ${AT_ONCE} at once: ${crowd.lost} lost, ${crowd.failed} refused; ${kills.total} KILLs, ${kills.inside} of them with the lock held: ${kills.broken} stores broken, ${kills.lost} approvals lost`,
    notes: [],
  };
}

/** @param {Scene} scene */
const stateOf = ({ env }) => join(entry(env, "XDG_STATE_HOME"), "hookctl");

/** @param {Scene} scene @param {string} name */
function writeHook({ projectHooks }, name) {
  mkdirSync(projectHooks, { recursive: true, mode: 0o755 });
  writeFileSync(join(projectHooks, name), HOOK, { mode: 0o755 });
}

/** @typedef {(scene: Scene) => readonly string[] | string} NamesIn the approved names, or why the store does not parse */

/** @param {readonly string[]} bin @param {() => Scene} scenes @param {number} rounds @param {NamesIn} namesIn */
async function atOnce(bin, scenes, rounds, namesIn) {
  const tally = { total: 0, lost: 0, failed: 0 };
  for (let round = 0; round < rounds; round++) {
    const scene = scenes();
    const names = Array.from({ length: AT_ONCE }, (_, index) => `hook-${index}`);
    for (const name of names) writeHook(scene, name);
    await inParallel(AT_ONCE, AT_ONCE, async (index) => {
      const { code } = await ended(approval(bin, scene, entry(names, index)));
      if (code !== 0) tally.failed++;
    });
    const kept = namesIn(scene);
    tally.total += AT_ONCE;
    tally.lost += names.filter((name) => !kept.includes(name)).length;
  }
  return tally;
}

/** @param {readonly string[]} bin @param {Scene} scene @param {string} name */
const approval = (bin, { project, env }, name) => ({
  ...wordsOf(bin, ["trust", name]),
  cwd: project,
  env,
});

/** @param {readonly string[]} bin @param {Scene} scene @param {{ total: number, random: Random, namesIn: NamesIn }} work */
async function killed(bin, scene, { total, random, namesIn }) {
  const tally = { total, inside: 0, broken: 0, lost: 0 };
  const state = stateOf(scene);
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const acknowledged = /** @type {string[]} */ ([]);
  for (let index = 0; index < total; index++) {
    const name = `hook-${index % 50}`;
    writeHook(scene, name);
    const { code } = await ended({ ...approval(bin, scene, name), started: killer(state, random, index % 2 === 0) });
    if (code === 0 && !acknowledged.includes(name)) acknowledged.push(name);
    tally.inside += liftLock(join(state, "trust.json.lock")) ? 1 : 0;
    const kept = namesIn(scene);
    if (typeof kept === "string" || readdirSync(state).some((one) => one.includes("broken"))) tally.broken++;
    else tally.lost += acknowledged.filter((one) => !kept.includes(one)).length;
  }
  return tally;
}

/** Anywhere in a call, or soon after the lock is taken: those few moments would hardly ever be met. */
/** @param {string} state @param {Random} random @param {boolean} isAtLock @returns {(kill: () => void) => void} */
function killer(state, random, isAtLock) {
  return (kill) => {
    if (!isAtLock) return void setTimeout(kill, random.int(LONGEST_MS));
    const delayMs = random.int(4);
    const watcher = watch(state, (_event, file) => {
      if (file !== "trust.json.lock") return;
      watcher.close();
      if (delayMs === 0) kill();
      else setTimeout(kill, delayMs);
    });
    setTimeout(() => watcher.close(), 10 * LONGEST_MS);
  };
}

/** A lock that a killed call left is old at once, so that the next call need not wait for that. @param {string} lock */
function liftLock(lock) {
  if (!existsSync(lock)) return false;
  const anHourAgo = new Date(Date.now() - 3_600_000);
  utimesSync(lock, anHourAgo, anHourAgo);
  return true;
}
