import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeHooks } from "../workspace.mjs";

/** @import { Bench, Group } from "../group.mjs" */
/** @import { Scene } from "../workspace.mjs" */

const COUNT = 20;
const EVENT = "before-tool-call";
/** Exact, so that figures of two days can be compared. */
const PACKAGE = "lefthook@2.2.2";
const INSTALL = ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0", PACKAGE];
const INSTALL_LIMIT_MS = 60_000;

/**
 * P4: 20 hooks, against lefthook running the same scripts with the same stdin.
 * @param {Bench} bench
 * @returns {Group}
 */
export function lefthook({ workspace, commands, say }) {
  say(`installing ${PACKAGE} into a temporary folder`);
  const installed = installLefthook(join(workspace.root, "lefthook"));
  const repository = workspace.scene();
  if (installed === null || !createRepository(repository)) {
    return {
      commands: {},
      figures: [],
      skipped: `lefthook not installed (it needs git, npm and a registry with ${PACKAGE})`,
    };
  }
  const ours = workspace.scene();
  writeHooks(ours.userHooks, COUNT);
  const words = ["run", "--no-auto-install", EVENT, "run"];
  const row = { id: "P4", what: `${COUNT} hooks`, ours: { hookctl: 1 } };
  return {
    commands: {
      hookctl: commands.hookctl(ours, ["run", "before_tool_call"]),
      native: commands.plain(repository, [installed.native, ...words]),
      npm: commands.plain(repository, [process.execPath, installed.npm, ...words]),
    },
    figures: [
      { ...row, against: "lefthook, native", theirs: { native: 1 }, target: 1.25, stretch: 1 },
      { ...row, against: "lefthook, npm entry", theirs: { npm: 1 }, target: 0.85, stretch: 0.7 },
    ],
  };
}

/**
 * With the caller's own environment: npm may need its certificates and settings. Nothing is timed here.
 * @param {string} folder
 */
function installLefthook(folder) {
  mkdirSync(folder);
  // Named, or npm takes the nearest project above, or the one whose script started this.
  spawnSync("npm", [...INSTALL, "--prefix", folder], { cwd: folder, stdio: "ignore", timeout: INSTALL_LIMIT_MS });
  const packages = join(folder, "node_modules");
  const native = join(packages, `lefthook-${process.platform}-${process.arch}`, "bin", "lefthook");
  const npm = join(packages, "lefthook", "bin", "index.js");
  return existsSync(native) && existsSync(npm) ? { native, npm } : null;
}

/** @param {Scene} scene */
function createRepository({ project, env }) {
  const names = writeHooks(join(project, ".lefthook", EVENT), COUNT);
  const scripts = Object.fromEntries(names.map((name) => [name, { use_stdin: true }]));
  writeFileSync(join(project, "lefthook.json"), JSON.stringify({ output: ["failure"], [EVENT]: { scripts } }));
  return spawnSync("git", ["init", "--quiet"], { cwd: project, env, stdio: "ignore" }).status === 0;
}
