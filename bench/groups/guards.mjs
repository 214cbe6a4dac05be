import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { WHY } from "../reasons.mjs";
import { writeUserConfig } from "../workspace.mjs";

/** @import { Bench, Group } from "../group.mjs" */

const RUN = ["run", "before_tool_call"];
const CHILD = fileURLToPath(new URL("guards-child.mjs", import.meta.url));
const run = promisify(execFile);

/**
 * P7: what built-in guards cost at a call of a shell tool.
 * @param {Bench} bench
 * @returns {Group}
 */
export function guards({ workspace, commands }) {
  const [empty, one, all] = [workspace.scene(), workspace.scene(), workspace.scene()];
  writeUserConfig(one, { guards: { git: true } });
  writeUserConfig(all, { guards: { filesystem: true, git: true, secrets: true } });
  return {
    commands: {
      node: commands.node(empty),
      none: commands.hookctl(empty, RUN),
      one: commands.hookctl(one, RUN),
      all: commands.hookctl(all, RUN),
    },
    figures: [
      {
        ...{ id: "P7", what: "one built-in guard", ours: { one: 1 }, against: "`node -e 0`", theirs: { node: 1 } },
        target: { native: 0.5 },
        whyMissed: { native: WHY.guard },
      },
      {
        id: "P7",
        what: "three built-in guards",
        ours: { all: 1 },
        against: "`run` without hooks",
        theirs: { none: 1 },
      },
    ],
  };
}

/**
 * P10: the evaluation of 1,000 shell commands by all guards, against parsing them.
 * @param {Bench} bench
 * @returns {Group}
 */
export function guardEvaluation({ bin, workspace }) {
  const dist = join(dirname(dirname(bin)), "dist");
  if (!existsSync(join(dist, "guards", "guards.js")))
    return { commands: {}, figures: [], skipped: "dist/guards/guards.js is not built" };
  return {
    commands: {},
    figures: [
      {
        ...{ id: "P10", what: "all guards, 1,000 commands", ours: { guards: 1 } },
        ...{ against: "parsing alone", theirs: { parser: 1 } },
      },
    ],
    sample: async (rounds) => {
      const { stdout } = await run(process.execPath, [CHILD, JSON.stringify({ dist, rounds })], {
        cwd: workspace.root,
      });
      return JSON.parse(stdout);
    },
  };
}
