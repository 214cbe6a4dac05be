import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { WHY } from "../reasons.mjs";
import { writeProgram, writeUserConfig } from "../workspace.mjs";

/** @import { Bench, Group } from "../group.mjs" */
/** @import { Workspace } from "../workspace.mjs" */

const RUN = ["run", "before_tool_call"];
const NAME = "guard";
/** By its path: the `python3` that a search finds may be a slow shell script. */
const PYTHON = "/usr/bin/python3";
const HOOK = `#!${PYTHON}
import json, sys
if sys.argv[1] == "hook":
    print("before_tool_call")
    sys.exit()
json.load(sys.stdin)
print('{"blocked": false}')
`;

/**
 * P13: what the sandbox adds to a Python hook.
 * @param {Bench} bench
 * @returns {Group}
 */
export function sandbox({ workspace, commands }) {
  const missing = missingProgram();
  if (missing !== null) return { commands: {}, figures: [], skipped: missing };
  const [open, closed] = [sceneWith(workspace, "off"), sceneWith(workspace, "require")];
  return {
    commands: {
      hook: commands.plain(open, [join(open.userHooks, NAME), "run"]),
      open: commands.hookctl(open, RUN),
      closed: commands.hookctl(closed, RUN),
    },
    figures: [
      {
        ...{ id: "P13", what: "Python hook in the sandbox", ours: { hook: 1, closed: 1, open: -1 } },
        ...{ against: "the bare hook", theirs: { hook: 1 }, target: { node: 1.5 }, whyMissed: { node: WHY.sandbox } },
      },
      {
        id: "P13",
        what: "`run`, the hook in the sandbox",
        ours: { closed: 1 },
        against: "`run`, no sandbox",
        theirs: { open: 1 },
      },
    ],
  };
}

function missingProgram() {
  if (spawnSync(PYTHON, ["-c", ""]).status !== 0) return `the sandbox: there is no ${PYTHON}`;
  const { status } = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-all", "true"], { stdio: "ignore" });
  return status === 0 ? null : "the sandbox: bubblewrap does not start here";
}

/** @param {Workspace} workspace @param {"off" | "require"} mode */
function sceneWith(workspace, mode) {
  const scene = workspace.scene();
  writeProgram(scene.userHooks, NAME, HOOK);
  writeUserConfig(scene, { overrides: { [NAME]: { sandbox: mode } } });
  return scene;
}
