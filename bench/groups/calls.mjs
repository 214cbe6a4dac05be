// What one call costs that no server answers.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { timesRecorded } from "../command.mjs";
import { FIRST_HOOK, stateFolder, writeProgram } from "../workspace.mjs";

/** @import { Command, Commands } from "../command.mjs" */
/** @import { Preparation } from "../group.mjs" */
/** @import { Scene } from "../workspace.mjs" */

export const NODE = { against: "`node -e 0`", theirs: { node: 1 } };
export const TARGET_HOOK = "the bare hook";
export const WHY_PROCESS =
  "A runtime of tens of megabytes pays two to three times as much as a small program to start a process";
const WHY_HOOK =
  "A hook is found, its approval checked, its process started with limits and a group, its response checked and recorded; the code for that is loaded first";
const WHY_START = "After Node's own start, hookctl's code is loaded and looks for settings and hooks";
const WHY_SANDBOX = "Bubblewrap builds a file system for each hook";

/** By its path: the `python3` that a search finds may be a slow shell script. */
const PYTHON = "/usr/bin/python3";
const PYTHON_HOOK = `#!${PYTHON}
import json, sys
if sys.argv[1] == "hook":
    print("before_tool_call")
    sys.exit()
json.load(sys.stdin)
print('{"blocked": false}')
`;

/** @type {Readonly<Record<string, Preparation>>} */
export const CALLS = {
  /** A call that no server answers, against the start of Node. */
  P1: ({ workspace, commands }) => {
    const empty = workspace.scene();
    const user = workspace.scene({ hooks: 1 });
    const bridge = (/** @type {Scene} */ scene) => ({
      ...commands.hookctl(scene, ["bridge", "claude", "--event", "PreToolUse"]),
      isPiped: true,
    });
    return {
      commands: {
        node: commands.node(empty),
        none: commands.run(empty),
        guard: commands.run(workspace.scene({ config: { guards: { git: true } } })),
        hook: recorded(commands.run(user)),
        bridge: bridge(empty),
        bridgeHook: bridge(workspace.scene({ hooks: 1 })),
      },
      figures: [
        { ...NODE, what: "no hooks", ours: { none: 1 }, target: 1.25, whyMissed: WHY_START },
        { ...NODE, what: "one built-in guard", ours: { guard: 1 } },
        { ...NODE, what: "one hook of the user", ours: { hook: 1 }, target: 2, whyMissed: WHY_HOOK },
        { ...NODE, what: "`bridge`, no hooks", ours: { bridge: 1 } },
        { ...NODE, what: "`bridge`, one hook", ours: { bridgeHook: 1 } },
      ],
    };
  },

  /** What the sandbox adds to a Python hook. */
  P13: ({ workspace, commands }) => {
    const skipped = missingForSandbox();
    if (skipped !== null) return { skipped };
    const sceneWith = (/** @type {string} */ sandbox) => {
      const scene = workspace.scene({ config: { overrides: { [FIRST_HOOK]: { sandbox } } } });
      writeProgram(scene.userHooks, FIRST_HOOK, PYTHON_HOOK);
      return scene;
    };
    const [open, closed] = [sceneWith("off"), sceneWith("require")];
    return {
      commands: { hook: commands.hook(open), open: commands.run(open), closed: commands.run(closed) },
      figures: [
        {
          what: "Python hook in the sandbox",
          ours: { hook: 1, closed: 1, open: -1 },
          against: TARGET_HOOK,
          theirs: { hook: 1 },
          target: 1.5,
          whyMissed: WHY_SANDBOX,
        },
        {
          what: "`run`, the hook in the sandbox",
          ours: { closed: 1 },
          against: "`run`, no sandbox",
          theirs: { open: 1 },
        },
      ],
    };
  },

  /** What the cage adds to a shell call, once hookctl was asked about it: the agent's shell reads what it prepared. */
  P16: ({ workspace, program, commands }) => {
    const skipped = missingForSandbox();
    if (skipped !== null) return { skipped };
    const scene = workspace.scene();
    const [file = "", ...words] = [...program, "cage", "--", "true"];
    spawnSync(file, words, { cwd: scene.project, env: scene.env });
    const records = join(stateFolder(scene), "cage", "records");
    const script = readdirSync(records)
      .map((name) => join(records, name, "start"))
      .find((path) => existsSync(path));
    if (script === undefined) return { failed: "no cage was prepared" };
    const shell = ["/bin/bash", "-c", "true"];
    return {
      commands: { shell: commands.plain(scene, shell), caged: commands.plain(scene, ["/bin/sh", script, ...shell]) },
      figures: [
        {
          what: "shell call in the cage",
          ours: { caged: 1 },
          against: "bash",
          theirs: { shell: 1 },
          target: 5,
          whyMissed: WHY_SANDBOX,
        },
      ],
    };
  },
};

/** A call that has to leave its hook in the record. @param {ReturnType<Commands["run"]>} command @returns {Command} */
function recorded(command) {
  const findFault = (/** @type {string} */ stdout) =>
    timesRecorded(command.scene, FIRST_HOOK) > 0
      ? command.findFault(stdout)
      : `left no line about ${FIRST_HOOK} in the record`;
  return { ...command, findFault };
}

function missingForSandbox() {
  if (spawnSync(PYTHON, ["-c", ""]).status !== 0) return `the sandbox: there is no ${PYTHON}`;
  const { status } = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-all", "true"], { stdio: "ignore" });
  return status === 0 ? null : "the sandbox: bubblewrap does not start here";
}
