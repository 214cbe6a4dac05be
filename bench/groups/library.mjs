import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { WHY } from "../reasons.mjs";
import { writeHooks } from "../workspace.mjs";

/** @import { Bench, Group } from "../group.mjs" */

const run = promisify(execFile);
const CHILD = fileURLToPath(new URL("library-child.mjs", import.meta.url));
/** One call is much shorter than a process, so more of them fit in the same time. */
const CALLS_PER_ROUND = 10;

/**
 * P8: what our side of one start costs inside a live process, against child_process alone.
 * @param {Bench} bench
 * @returns {Group}
 */
export function library({ workspace, bin, payload }) {
  const door = join(dirname(dirname(bin)), "dist", "process", "run-process.js");
  if (!existsSync(door)) return { commands: {}, figures: [], skipped: "dist/process/run-process.js is not built" };
  const scene = workspace.scene();
  const [hook = ""] = writeHooks(scene.userHooks, 1);
  const file = join(scene.userHooks, hook);
  return {
    commands: {},
    figures: [
      {
        ...{ id: "P8", what: "one start in a live process", ours: { library: 1 } },
        ...{
          against: "`child_process.spawn`",
          theirs: { raw: 1 },
          target: { node: 1.2 },
          whyMissed: { node: WHY.limits },
        },
      },
    ],
    // In a process of its own: the heap of this one, and what it has loaded, would be counted.
    sample: async (rounds) => {
      const task = { door, file, input: readFileSync(payload, "utf8"), rounds: rounds * CALLS_PER_ROUND };
      const { stdout } = await run(process.execPath, [CHILD, JSON.stringify(task)], {
        ...{ cwd: scene.project, env: scene.env },
        maxBuffer: Number.POSITIVE_INFINITY,
      });
      return JSON.parse(stdout);
    },
  };
}
