import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { isRecorded } from "../command.mjs";
import { WHY } from "../reasons.mjs";
import { RULE_CONFIG, writeHooks, writeUserConfig } from "../workspace.mjs";

/** @import { Bench, Group } from "../group.mjs" */
/** @import { Workspace } from "../workspace.mjs" */

const RUN = ["run", "before_tool_call"];
const HOOK = "h0001";

/**
 * P2: one shell hook, its identity in the cache, the record on.
 * @param {Bench} bench
 * @returns {Group}
 */
export function oneHook({ workspace, commands }) {
  const user = userScene(workspace);
  const configured = userScene(workspace, {
    settings: { timeout: "20s" },
    overrides: { [HOOK]: { timeout: "10s" } },
  });
  const ruled = userScene(workspace, RULE_CONFIG);
  const unrecorded = userScene(workspace, { settings: { record: "off" } });
  const project = workspace.scene();
  writeHooks(project.projectHooks, 1);
  const approved = workspace.scene();
  writeHooks(approved.projectHooks, 1);
  approve(commands.hookctl(approved, ["trust", "--yes"]));
  const whyMissed = { node: WHY.hook, native: WHY.hook };
  const against = { whyMissed, id: "P2", against: "`node -e 0` + the hook", theirs: { node: 1, hook: 1 } };
  return {
    commands: {
      node: commands.node(user),
      hook: commands.plain(user, [join(user.userHooks, HOOK), "run"]),
      user: commands.hookctl(user, RUN),
      project: commands.hookctl(project, [...RUN, "--trust"]),
      approved: commands.hookctl(approved, RUN),
      pipe: { ...commands.hookctl(user, RUN), isPiped: true },
      configured: commands.hookctl(configured, RUN),
      ruled: commands.hookctl(ruled, RUN),
      unrecorded: commands.hookctl(unrecorded, RUN),
      bridge: commands.hookctl(user, ["bridge", "claude", "--event", "PreToolUse"]),
    },
    figures: [
      { ...against, what: "one hook of the user", ours: { user: 1 }, target: { node: 1.45, native: 0.7 } },
      {
        ...{ ...against, what: "one approved hook of the project", ours: { approved: 1 } },
        target: { node: 1.6, native: 0.7 },
      },
      { ...against, what: "project hook, --trust", ours: { project: 1 } },
      { ...against, what: "user hook, stdin a pipe", ours: { pipe: 1 } },
      { ...against, what: "user hook, config + override", ours: { configured: 1 } },
      { ...against, what: "user hook, rule + overrides", ours: { ruled: 1 } },
      { ...against, what: "user hook, record off", ours: { unrecorded: 1 } },
      {
        whyMissed,
        id: "P2",
        ...{ what: "`bridge`, one hook", ours: { bridge: 1 }, against: "`run`, one hook", theirs: { user: 1 } },
        target: { node: 1.05 },
      },
    ],
    findDoubt: () => {
      const silent = [user, project, approved, configured, ruled].filter((scene) => !isRecorded(scene, HOOK));
      if (silent.length > 0) return `${silent.length} of 5 runs left no line about ${HOOK} in the record`;
      return isRecorded(unrecorded, HOOK) ? "record: off still records" : null;
    },
  };
}

/** @param {import("../command.mjs").Command} command */
function approve({ argv: [program = "", ...words], scene }) {
  const { status, stderr } = spawnSync(program, words, { cwd: scene.project, env: scene.env, encoding: "utf8" });
  if (status !== 0) throw new Error(`the project hook was not approved: ${stderr}`);
}

/** @param {Workspace} workspace @param {object} [config] */
function userScene(workspace, config) {
  const scene = workspace.scene();
  writeHooks(scene.userHooks, 1);
  if (config !== undefined) writeUserConfig(scene, config);
  return scene;
}
