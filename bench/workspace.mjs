import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/**
 * @typedef {object} Scene a home, a project in it, and an environment that shows nothing else
 * @property {string} home
 * @property {string} project
 * @property {string} userHooks
 * @property {string} projectHooks
 * @property {Record<string, string>} env
 */

/**
 * @typedef {object} Workspace
 * @property {string} root
 * @property {() => Scene} scene
 * @property {(name: string, content: string) => string} file
 * @property {(scene: Scene) => void} clear removes a scene before the end
 * @property {() => void} remove
 */

const HOOK = `#!/bin/sh
case $1 in
hook) echo before_tool_call ;;
run) cat >/dev/null; echo '{"blocked":false}' ;;
esac
`;
/** What a user may keep for one tool: a rule that this payload does not match, and words about hooks. */
export const RULE_CONFIG = {
  settings: { timeout: "20s" },
  overrides: { h0001: { timeout: "10s", priority: 40 }, audit_logger: { observe: true } },
  hooks: {
    before_tool_call: [
      { name: "no-rm", match: { tool_name: "bash", "tool_input.command": "*rm -rf*" }, block: "no rm -rf here" },
    ],
  },
};
/** Hooks below a folder that the group may write are refused. */
const FOLDER = { recursive: true, mode: 0o755 };
const HOUR_MS = 3_600_000;
const SETTLING_MS = 2_100;

/**
 * A new folder below the system's temporary one.
 * @returns {Workspace}
 */
export function openWorkspace() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hookctl-bench-")));
  let scenes = 0;
  return {
    root,
    scene: () => createScene(join(root, `home-${++scenes}`)),
    file: (name, content) => {
      const path = join(root, name);
      writeFileSync(path, content);
      return path;
    },
    clear: ({ home }) => rmSync(home, { recursive: true, force: true }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** @param {string} home @returns {Scene} */
function createScene(home) {
  const project = join(home, "project");
  mkdirSync(project, FOLDER);
  return {
    home,
    project,
    userHooks: join(home, ".kodelet", "hooks"),
    projectHooks: join(project, ".kodelet", "hooks"),
    env: environment(home),
  };
}

/**
 * Named one by one: NODE_EXTRA_CA_CERTS alone triples the start of Node 20 and hides everything else.
 * @param {string} home
 */
function environment(home) {
  return {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    LC_ALL: "C",
    HOME: home,
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local", "share"),
    XDG_STATE_HOME: join(home, ".local", "state"),
  };
}

/**
 * Writes plain shell hooks `h0001`, `h0002`, … and names them.
 * @param {string} folder
 * @param {number} count
 */
export function writeHooks(folder, count) {
  return Array.from({ length: count }, (_, index) => {
    const name = `h${String(index + 1).padStart(4, "0")}`;
    writeProgram(folder, name, HOOK);
    return name;
  });
}

/** @param {string} folder @param {string} name @param {string} text */
export function writeProgram(folder, name, text) {
  mkdirSync(folder, FOLDER);
  const anHourAgo = new Date(Date.now() - HOUR_MS);
  writeFileSync(join(folder, name), text, { mode: 0o755 });
  utimesSync(join(folder, name), anHourAgo, anHourAgo);
}

/** @param {Scene} scene @param {object} config */
export function writeUserConfig(scene, config) {
  mkdirSync(join(scene.home, ".kodelet"), FOLDER);
  writeFileSync(join(scene.home, ".kodelet", "hooks.json"), JSON.stringify({ version: 1, ...config }));
}

/**
 * A file younger than 2 s is not cached. The time of its content was set back; that of its inode (ctime) cannot be.
 */
export async function letHooksAge() {
  await wait(SETTLING_MS);
}
