import { writeLog } from "../scale/scenes.mjs";
import { installed, sessionOf, writeGuards } from "../session.mjs";
import { SERVED_GUARDS } from "./peers.mjs";

/** @import { Figure } from "../figure.mjs" */
/** @import { Preparation } from "../group.mjs" */

/** How often a thing is called whose calls take long. */
const MOST_CALLS = 60;
const [KB, MB] = [1000, 1_000_000];
const HOOKS = [1, 5, 20, 100];
const PAYLOADS = [1 * KB, 100 * KB, MB, 50 * MB];
const RECORDS = [0, 10 * MB, 300 * MB];
const ROUNDS = 5;
const [BY_ITSELF, SH_GUARD, BUILT_IN] = [
  "the sh guard by itself",
  "hookctl, sh guards",
  "hookctl, four built-in guards",
];

/** @type {Readonly<Record<string, Preparation>>} */
export const GROWTH = {
  /** How a call of a session grows, without the first one: with the hooks, the payload, and the record of earlier runs. */
  growth: (bench) => {
    if (process.platform !== "linux") return { skipped: "what a program leaves running is counted on Linux only" };
    /** @type {Record<string, ReturnType<typeof sessionOf>>} */
    const commands = {};
    /** @type {Figure[]} */
    const figures = [];
    /** @param {string} program @param {string} what @param {Parameters<typeof sessionOf>[1]} place @param {{ calls: number, bytes?: number }} how */
    const add = (program, what, place, how) => {
      const label = `${program}, ${what}`;
      commands[label] = sessionOf(bench, place, how);
      const ours = { [label]: 1 };
      figures.push({ program, what, ours, measure: "laterMs" }, { program, what, ours, measure: "peakMb" });
    };
    for (const count of HOOKS)
      add(SH_GUARD, count === 1 ? "1 hook" : `${count} hooks`, installed(bench, { hooks: count }), {
        calls: Math.max(5, MOST_CALLS / count),
      });
    for (const bytes of PAYLOADS) {
      const how = { bytes, calls: bytes > MB ? 3 : bytes === MB ? 20 : MOST_CALLS };
      const what = `payload ${sizeText(bytes)}`;
      const scene = bench.workspace.scene();
      const [guard = ""] = writeGuards(scene.userHooks);
      add(BY_ITSELF, what, { scene, line: `"${guard}" run` }, how);
      add(SH_GUARD, what, installed(bench, { hooks: 1 }), how);
      add(BUILT_IN, what, installed(bench, { guards: SERVED_GUARDS }), how);
    }
    for (const bytes of RECORDS) {
      const what = `record ${sizeText(bytes)}`;
      const [hooked, guarded] = [installed(bench, { hooks: 1 }), installed(bench, { guards: SERVED_GUARDS })];
      for (const { scene } of [hooked, guarded]) writeLog(scene, bytes);
      add(SH_GUARD, what, hooked, { calls: MOST_CALLS });
      add(BUILT_IN, what, guarded, { calls: MOST_CALLS });
    }
    return { commands, figures, mostRounds: ROUNDS };
  },
};

/** @param {number} bytes */
const sizeText = (bytes) => (bytes >= MB ? `${bytes / MB} MB` : bytes >= KB ? `${bytes / KB} KB` : "empty");
