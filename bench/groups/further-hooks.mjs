import { join } from "node:path";
import { WHY } from "../reasons.mjs";
import { writeHooks } from "../workspace.mjs";

/** @import { Side } from "../figure.mjs" */
/** @import { Bench, Group } from "../group.mjs" */
/** @import { Workspace } from "../workspace.mjs" */

const RUN = ["run", "before_tool_call"];
const LOOP = 'for hook in "$1"/*; do "$hook" run <"$2" >/dev/null; done';
const FEW = 5;
const MANY = 20;

/**
 * P3: what each hook costs after the first, against the hook by itself, and in a shell loop over the same hooks.
 * @param {Bench} bench
 * @returns {Group}
 */
export function furtherHooks({ workspace, commands, payload }) {
  const few = sceneWith(workspace, FEW);
  const many = sceneWith(workspace, MANY);
  /** @param {typeof few} scene */
  const loop = (scene) => commands.plain(scene, ["/bin/sh", "-c", LOOP, "loop", scene.userHooks, payload]);
  const whyMissed = { node: WHY.process, native: WHY.process };
  const row = { whyMissed, id: "P3", what: "each further hook", ours: perHook("hookctl") };
  return {
    commands: {
      hookctlFew: commands.hookctl(few, RUN),
      hookctlMany: commands.hookctl(many, RUN),
      hook: commands.plain(few, [join(few.userHooks, "h0001"), "run"]),
      loopFew: loop(few),
      loopMany: loop(many),
    },
    figures: [
      { ...row, against: "the bare hook", theirs: { hook: 1 }, target: { native: 1.4 } },
      { ...row, against: "a shell loop", theirs: perHook("loop"), target: { node: 1.9 } },
    ],
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
