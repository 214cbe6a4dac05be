import { spawnSync } from "node:child_process";
import { writeHooks } from "../workspace.mjs";

/** @import { Side } from "../figure.mjs" */
/** @import { Bench, Group } from "../group.mjs" */
/** @import { Workspace } from "../workspace.mjs" */

const RUN = ["run", "before_tool_call"];
const LOOP = 'for hook in "$1"/*; do "$hook" run <"$2" >/dev/null; done';
const RUN_PARTS = "run-parts";
const FEW = 5;
const MANY = 20;

/**
 * P3: what each hook costs after the first, against a shell loop that runs the same hooks.
 * @param {Bench} bench
 * @returns {Group}
 */
export function furtherHooks({ workspace, commands, payload }) {
  const few = sceneWith(workspace, FEW);
  const many = sceneWith(workspace, MANY);
  /** @param {typeof few} scene */
  const loop = (scene) => commands.plain(scene, ["/bin/sh", "-c", LOOP, "loop", scene.userHooks, payload]);
  /** @param {typeof few} scene */
  const runParts = (scene) => commands.plain(scene, [RUN_PARTS, "--arg=run", scene.userHooks]);
  const hasRunParts = takesArguments(few.userHooks);
  const against = { id: "P3", against: "sh loop", theirs: perHook("loop") };
  return {
    commands: {
      hookctlFew: commands.hookctl(few, RUN),
      hookctlMany: commands.hookctl(many, RUN),
      loopFew: loop(few),
      loopMany: loop(many),
      ...(hasRunParts ? { runPartsFew: runParts(few), runPartsMany: runParts(many) } : {}),
    },
    figures: [
      { ...against, what: "each further hook", ours: perHook("hookctl"), target: 1.9, stretch: 1.6 },
      ...(hasRunParts ? [{ ...against, what: "the same, run-parts", ours: perHook("runParts") }] : []),
    ],
    ...(hasRunParts ? {} : { skipped: "run-parts, which is not installed or knows no --arg" }),
  };
}

/** @param {string} label @returns {Side} */
function perHook(label) {
  return { [`${label}Many`]: 1 / (MANY - FEW), [`${label}Few`]: -1 / (MANY - FEW) };
}

/** @param {Workspace} workspace @param {number} count */
function sceneWith(workspace, count) {
  const scene = workspace.scene();
  writeHooks(scene.userHooks, count);
  return scene;
}

/**
 * Some systems have a run-parts that knows no `--arg`.
 * @param {string} folder
 */
function takesArguments(folder) {
  const { status } = spawnSync(RUN_PARTS, ["--test", "--arg=run", folder], { stdio: "ignore" });
  return status === 0;
}
