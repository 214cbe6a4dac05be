// What one call of an agent costs.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { EVENT, prepareBy, timesRecorded } from "../command.mjs";
import { FIRST_HOOK, RULE_CONFIG, stateFolder, writeProgram } from "../workspace.mjs";

/** @import { Command } from "../command.mjs" */
/** @import { Preparation } from "../group.mjs" */

export const NODE = { against: "`node -e 0`", theirs: { node: 1 } };
export const TARGET_HOOK = "the bare hook";
export const WHY_PROCESS =
  "A runtime of tens of megabytes starts a process at two to three times the price that a small program pays";
const WHY_HOOK =
  "A hook is found, its approval checked, its process started with limits and a group, its response checked and recorded; the code for that is loaded first";
const WHY_START = "After Node's own start, hookctl's code is loaded and looks for settings and hooks";
const WHY_SANDBOX = "Bubblewrap builds a file system for each hook";

const [FEW, MANY] = [5, 20];
const PAYLOAD_BYTES = 50_000_000;
const LINE = 'The quick brown fox \\"jumps\\" over the lazy dog, again and again.\\n';
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
  /** Nothing to ask, against the start of Node. */
  P1: ({ workspace, commands }) => {
    const empty = workspace.scene();
    const row = { ...NODE, whyMissed: WHY_START };
    return {
      commands: {
        node: commands.node(empty),
        file: commands.run(empty),
        pipe: { ...commands.run(empty), isPiped: true },
        off: commands.run(empty, [EVENT, "--no-hooks"]),
        configured: commands.run(workspace.scene({ config: { settings: { timeout: "20s" } } })),
        ruled: commands.run(workspace.scene({ config: RULE_CONFIG })),
      },
      figures: [
        { ...row, what: "no hooks", ours: { file: 1 }, target: 1.08 },
        { ...row, what: "no hooks, stdin a pipe", ours: { pipe: 1 }, target: 1.25 },
        { ...row, what: "`--no-hooks`", ours: { off: 1 }, target: 1.08 },
        { ...row, what: "no hooks, user config", ours: { configured: 1 } },
        { ...row, what: "one rule, overrides", ours: { ruled: 1 } },
      ],
    };
  },

  /** One shell hook, its identity in the cache, the record on. */
  P2: ({ workspace, commands }) => {
    const user = workspace.scene({ hooks: 1 });
    const approved = workspace.scene({ projectHooks: 1 });
    const configured = { settings: { timeout: "20s" }, overrides: { [FIRST_HOOK]: { timeout: "10s" } } };
    prepareBy(commands.hookctl(approved, ["trust", "--yes"]));
    const row = { against: "`node -e 0` + the hook", theirs: { node: 1, hook: 1 }, whyMissed: WHY_HOOK };
    return {
      commands: {
        node: commands.node(user),
        hook: commands.hook(user),
        user: recorded(commands.run(user), true),
        project: recorded(commands.run(workspace.scene({ projectHooks: 1 }), [EVENT, "--trust"]), true),
        approved: recorded(commands.run(approved), true),
        pipe: { ...commands.run(user), isPiped: true },
        configured: recorded(commands.run(workspace.scene({ hooks: 1, config: configured })), true),
        ruled: recorded(commands.run(workspace.scene({ hooks: 1, config: RULE_CONFIG })), true),
        unrecorded: recorded(
          commands.run(workspace.scene({ hooks: 1, config: { settings: { record: "off" } } })),
          false,
        ),
        bridge: commands.hookctl(user, ["bridge", "claude", "--event", "PreToolUse"]),
      },
      figures: [
        { ...row, what: "one hook of the user", ours: { user: 1 }, target: 1.45 },
        { ...row, what: "one approved hook of the project", ours: { approved: 1 }, target: 1.6 },
        { ...row, what: "project hook, --trust", ours: { project: 1 } },
        { ...row, what: "user hook, stdin a pipe", ours: { pipe: 1 } },
        { ...row, what: "user hook, config + override", ours: { configured: 1 } },
        { ...row, what: "user hook, rule + overrides", ours: { ruled: 1 } },
        { ...row, what: "user hook, record off", ours: { unrecorded: 1 } },
        {
          ...row,
          what: "`bridge`, one hook",
          ours: { bridge: 1 },
          against: "`run`, one hook",
          theirs: { user: 1 },
          target: 1.05,
        },
      ],
    };
  },

  /** Each hook after the first, against the hook by itself, and in a shell loop over the same hooks. */
  P3: ({ workspace, commands }) => {
    const [few, many] = [workspace.scene({ hooks: FEW }), workspace.scene({ hooks: MANY })];
    const perHook = (/** @type {string} */ label) => ({
      [`${label}Many`]: 1 / (MANY - FEW),
      [`${label}Few`]: -1 / (MANY - FEW),
    });
    const row = { what: "each further hook", ours: perHook("hookctl"), whyMissed: WHY_PROCESS };
    return {
      commands: {
        hookctlFew: commands.run(few),
        hookctlMany: commands.run(many),
        hook: commands.hook(few),
        loopFew: commands.loop(few),
        loopMany: commands.loop(many),
      },
      figures: [
        { ...row, against: TARGET_HOOK, theirs: { hook: 1 } },
        { ...row, against: "a shell loop", theirs: perHook("loop"), target: 1.9 },
      ],
    };
  },

  /** Built-in guards at a call of a shell tool. */
  P7: ({ workspace, commands }) => {
    const empty = workspace.scene();
    const [one, all] = [{ git: true }, { filesystem: true, git: true, secrets: true }];
    return {
      commands: {
        node: commands.node(empty),
        none: commands.run(empty),
        one: commands.run(workspace.scene({ config: { guards: one } })),
        all: commands.run(workspace.scene({ config: { guards: all } })),
      },
      figures: [
        { ...NODE, what: "one built-in guard", ours: { one: 1 } },
        { what: "three built-in guards", ours: { all: 1 }, against: "`run` without hooks", theirs: { none: 1 } },
      ],
    };
  },

  /** 50 MB through one hook. The hook alone is what it costs anyway; the target speaks of another runner. */
  P9: ({ workspace, commands }) => {
    const scene = workspace.scene({ hooks: 1 });
    const head = `{"event":"before_tool_call","conv_id":"bench","cwd":${JSON.stringify(workspace.root)},"invoked_by":"main",`;
    const input = `{"path":"big.txt","text":"${LINE.repeat(PAYLOAD_BYTES / LINE.length)}"}`;
    const stdin = workspace.file("big.json", `${head}"tool_name":"file_write","tool_input":${input}}`);
    const row = { against: "the hook", ours: { hookctl: 1 }, theirs: { hook: 1 } };
    return {
      commands: { hook: { ...commands.hook(scene), stdin }, hookctl: { ...commands.run(scene), stdin } },
      mostRounds: 9,
      figures: [
        { ...row, what: "50 MB payload, one hook" },
        { ...row, what: "50 MB payload, peak memory", measure: "peakMb" },
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

/**
 * A call that has to leave its hook in the record, or must not.
 * @param {ReturnType<import("../command.mjs").Commands["run"]>} command
 * @param {boolean} isExpected
 * @returns {Command}
 */
function recorded(command, isExpected) {
  const findFault = (/** @type {string} */ stdout) => {
    if (timesRecorded(command.scene, FIRST_HOOK) > 0 === isExpected) return command.findFault(stdout);
    return isExpected ? `left no line about ${FIRST_HOOK} in the record` : "record: off still records";
  };
  return { ...command, findFault };
}

function missingForSandbox() {
  if (spawnSync(PYTHON, ["-c", ""]).status !== 0) return `the sandbox: there is no ${PYTHON}`;
  const { status } = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-all", "true"], { stdio: "ignore" });
  return status === 0 ? null : "the sandbox: bubblewrap does not start here";
}
