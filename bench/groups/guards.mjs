import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { writeUserConfig } from "../workspace.mjs";

/** @import { Bench, Group } from "../group.mjs" */

const RUN = ["run", "before_tool_call"];
const CHILD = fileURLToPath(new URL("guards-child.mjs", import.meta.url));
const run = promisify(execFile);

/**
 * P7: what built-in guards add to a call of a shell tool, and the part of their parser in it.
 * @param {Bench} bench
 * @returns {Group}
 */
export function guards({ workspace, commands }) {
  const empty = workspace.scene();
  const guarded = workspace.scene();
  writeUserConfig(guarded, { guards: { filesystem: true, git: true, secrets: true } });
  const parser = createRequire(import.meta.url).resolve("unbash");
  return {
    commands: {
      node: commands.node(empty),
      none: commands.hookctl(empty, RUN),
      guarded: commands.hookctl(guarded, RUN),
      parser: commands.plain(empty, [process.execPath, "-e", `require(${JSON.stringify(parser)})`]),
    },
    figures: [
      { id: "P7", what: "guards on a shell call", ours: { guarded: 1 }, against: "no hooks", theirs: { none: 1 } },
      { id: "P7", what: "load of the shell parser", ours: { parser: 1 }, against: "node -e 0", theirs: { node: 1 } },
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
