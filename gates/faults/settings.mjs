// The scenes in which a fault is met: whose hook it is, what is known of it, and who asks it.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeUserConfig } from "../../bench/workspace.mjs";
import { entry } from "../entry.mjs";
import { wordsOf, writeUserHook } from "../scene.mjs";
import { HOOKS, WAYS } from "./hooks.mjs";

/** @import { Scene, Workspace } from "../../bench/workspace.mjs" */

/**
 * @typedef {object} Setting
 * @property {Scene} scene
 * @property {string} name of the hook
 * @property {string} way in which it is asked
 * @property {"user" | "project"} scope
 * @property {boolean} isWarm
 * @property {string} temp
 */

const FOLDER = { recursive: true, mode: 0o755 };

/** @param {Workspace} workspace @param {readonly string[]} bin @returns {readonly Setting[]} */
export function settingsIn(workspace, bin) {
  return Object.keys(HOOKS).flatMap((name) =>
    Object.keys(WAYS).flatMap((way) =>
      /** @type {const} */ (["user", "project"]).flatMap((scope) =>
        [true, false].map((isWarm) => ({ ...sceneWith(workspace, bin, { name, scope }), name, way, scope, isWarm })),
      ),
    ),
  );
}

/** The project and the temporary folder lie outside the home. */
/** @param {Workspace} workspace @param {readonly string[]} bin @param {{ name: string, scope: string }} hook */
function sceneWith(workspace, bin, { name, scope }) {
  const made = workspace.scene();
  const [project, temp] = [`${made.home}-project`, `${made.home}-temp`];
  mkdirSync(temp, FOLDER);
  const projectHooks = join(project, ".kodelet", "hooks");
  mkdirSync(projectHooks, FOLDER);
  const scene = { ...made, project, projectHooks, env: { ...made.env, TMPDIR: temp } };
  writeUserConfig(scene, { settings: { timeout: "20s", env_allow: ["ASKED"] } });
  if (scope === "user") writeUserHook(scene, "h", entry(HOOKS, name));
  else approve(scene, bin, entry(HOOKS, name));
  return { scene, temp };
}

/** @param {Scene} scene @param {readonly string[]} bin @param {string} text */
function approve({ projectHooks, project, env }, bin, text) {
  const path = join(projectHooks, "h");
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  const { file, args } = wordsOf(bin, ["trust", "--yes"]);
  const { status, stderr } = spawnSync(file, args, { cwd: project, env });
  if (status !== 0) throw new Error(`the hook of the gate was not approved: ${stderr}`);
}

/** Nothing is known of the hook any more; what was approved stays so. @param {Scene} scene */
export const forget = ({ home }) => rmSync(join(home, ".cache"), { recursive: true, force: true });
