import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** @typedef {ReturnType<typeof openWorkspace>} Workspace */
/** @typedef {ReturnType<typeof createScene>} Scene a home, a project in it, and an environment that shows nothing else */

const HOOK = `#!/bin/sh
case $1 in
hook) echo before_tool_call ;;
run) cat >/dev/null; echo '{"blocked":false}' ;;
esac
`;
/** The name of the first hook that is written. */
export const FIRST_HOOK = "h0001";
/** Hooks in a folder that the group may write are refused. */
const FOLDER = { recursive: true, mode: 0o755 };
const HOUR_MS = 3_600_000;
const SETTLING_MS = 2_100;

/** A new folder below the system's temporary one. */
export function openWorkspace() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hookctl-bench-")));
  let scenes = 0;
  return {
    root,
    /** @param {{ hooks?: number, projectHooks?: number, config?: object }} [contents] `hooks` and `config` are the user's */
    scene: ({ hooks = 0, projectHooks = 0, config } = {}) => {
      const scene = createScene(join(root, `home-${++scenes}`));
      writeHooks(scene.userHooks, hooks);
      writeHooks(scene.projectHooks, projectHooks);
      if (config !== undefined) writeUserConfig(scene, config);
      return scene;
    },
    /** @param {string} name @param {string} content */
    file: (name, content) => {
      const path = join(root, name);
      writeFileSync(path, content);
      return path;
    },
    /** Removes a scene before the end. @param {Scene} scene */
    clear: ({ home }) => rmSync(home, { recursive: true, force: true }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** @param {string} home */
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
 * @returns {Record<string, string>}
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

/** @param {Scene} scene */
export const stateFolder = ({ home }) => join(home, ".local", "state", "hookctl");

/**
 * Returns a list of so many items, made from their indexes.
 * @template T
 * @param {number} count
 * @param {(index: number) => T} make
 */
export const times = (count, make) => Array.from({ length: count }, (_, index) => make(index));

/** Returns `h0001`, `h0002`, … @param {number} count */
export const hookNames = (count) => times(count, (index) => `h${String(index + 1).padStart(4, "0")}`);

/** Writes plain shell hooks and returns their names. @param {string} folder @param {number} count */
export function writeHooks(folder, count) {
  const names = hookNames(count);
  for (const name of names) writeProgram(folder, name, HOOK);
  return names;
}

/** @param {string} folder @param {string} name @param {string} text */
export function writeProgram(folder, name, text) {
  const path = join(folder, name);
  const anHourAgo = new Date(Date.now() - HOUR_MS);
  mkdirSync(folder, FOLDER);
  writeFileSync(path, text, { mode: 0o755 });
  utimesSync(path, anHourAgo, anHourAgo);
  return path;
}

/** @param {Scene} scene @param {object} config */
export const writeUserConfig = ({ home }, config) => writeConfig(home, config);

/** @param {string} folder a home or a project @param {object} config */
export function writeConfig(folder, config) {
  mkdirSync(join(folder, ".kodelet"), FOLDER);
  writeFileSync(join(folder, ".kodelet", "hooks.json"), JSON.stringify({ version: 1, ...config }));
}

/**
 * Writes the test cases of one of the user's hooks: shell commands, and what it must decide.
 * @param {Scene} scene
 * @param {string} hook
 * @param {readonly { readonly command: string, readonly decision: string }[]} cases
 */
export function writeTests({ home }, hook, cases) {
  const rows = cases.map(({ command, decision }, index) => ({
    name: `case ${index}`,
    event: "before_tool_call",
    payload: { tool_input: { command } },
    expect: { decision },
  }));
  mkdirSync(join(home, ".kodelet", "tests"), FOLDER);
  writeFileSync(join(home, ".kodelet", "tests", `${hook}.json`), JSON.stringify({ hook, cases: rows }));
}

/** A file younger than 2 s is not cached. The time of its content was set back; that of its inode (ctime) cannot be. */
export async function letHooksAge() {
  await wait(SETTLING_MS);
}
