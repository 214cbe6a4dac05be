import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAMS } from "../figure.mjs";
import { buildGoRunner, installPackages, LEFTHOOK, PREK } from "../peers.mjs";
import { WHY } from "../reasons.mjs";
import { writeHooks } from "../workspace.mjs";

/** @import { Command } from "../command.mjs" */
/** @import { Figure, Form } from "../figure.mjs" */
/** @import { Bench, Group } from "../group.mjs" */
/** @import { Scene } from "../workspace.mjs" */

/**
 * @typedef {object} Runner a program that runs the same hooks as hookctl
 * @property {string} name
 * @property {Form | null} form
 * @property {(count: number) => Command} with so many hooks
 */

const COUNTS = [1, 20];
const [ONE, MANY] = ["one hook", "20 hooks"];
const EVENT = "before-tool-call";
const LOOP = 'for hook in "$1"/*; do "$hook" run <"$2" >/dev/null; done';

/**
 * P4: one hook and 20, against other programs that run the same scripts.
 * @param {Bench} bench
 * @returns {Group}
 */
export function peers(bench) {
  const { runners, skipped } = findRunners(bench);
  const commands = Object.fromEntries(
    runners.flatMap((runner) => COUNTS.map((count) => [`${runner.name} ${count}`, runner.with(count)])),
  );
  return { commands, figures: [...runners.flatMap(amountsOf), ...ratiosTo(runners)], skipped };
}

/** @param {Bench} bench */
function findRunners(bench) {
  const { lefthook, lefthookNpm, prek } = installPackages(bench.cache, bench.say);
  const goRunner = buildGoRunner(bench.cache);
  const all = [
    ...bench.programs.map((program) => hookctl(bench, program)),
    shellLoop(bench),
    takesArguments(bench.workspace.scene()) ? runParts(bench) : "run-parts, which is not installed or knows no --arg",
    ...(goRunner === null ? ["the Go runner, for want of a Go compiler"] : goRunners(bench, goRunner)),
    lefthook === undefined ? unreachable(`lefthook ${LEFTHOOK}`) : viaLefthook(bench, "lefthook", [lefthook]),
    lefthookNpm === undefined || lefthook === undefined
      ? unreachable("lefthook's entry for npm")
      : viaLefthook(bench, "lefthook, its npm entry", [process.execPath, lefthookNpm]),
    prek === undefined ? unreachable(`prek ${PREK}`) : viaPrek(bench, prek),
  ];
  const isRunner = (/** @type {Runner | string} */ one) => typeof one !== "string";
  return { runners: all.filter(isRunner), skipped: all.filter((one) => typeof one === "string") };
}

/** @param {string} name */
const unreachable = (name) => `${name}, which npm could not install`;

/** @param {Runner} runner @returns {Figure[]} */
function amountsOf({ name, form }) {
  const row = { id: "P4", form, program: name };
  return [
    { ...row, what: ONE, ours: { [`${name} 1`]: 1 } },
    { ...row, what: ONE, ours: { [`${name} 1`]: 1 }, measure: "wallMs" },
    { ...row, what: MANY, ours: { [`${name} 20`]: 1 } },
  ];
}

/** @param {readonly Runner[]} runners @returns {Figure[]} */
function ratiosTo(runners) {
  const has = (/** @type {string} */ name) => runners.some((runner) => runner.name === name);
  return runners
    .filter(({ form }) => form !== null)
    .flatMap(({ name, form }) => {
      /** @param {string} their @param {number} count */
      const sides = (their, count) => ({ ours: { [`${name} ${count}`]: 1 }, theirs: { [`${their} ${count}`]: 1 } });
      /** @type {Figure[]} */
      const toLefthook = [
        {
          ...{ id: "P4", form, what: ONE, against: "lefthook", ...sides("lefthook", 1) },
          ...{ measure: "wallMs", target: { native: 1 } },
          whyMissed: { native: WHY.hook },
        },
        {
          ...{ id: "P4", form, what: MANY, against: "lefthook", ...sides("lefthook", 20) },
          target: { node: 1.25 },
          whyMissed: { node: WHY.process },
        },
      ];
      /** @type {Figure} */
      const toNpmEntry = {
        ...{ id: "P4", form, what: MANY, against: "lefthook, its npm entry" },
        ...{ ...sides("lefthook, its npm entry", 20), target: { node: 0.85 } },
        whyMissed: { node: WHY.process },
      };
      return [...(has("lefthook") ? toLefthook : []), ...(has("lefthook, its npm entry") ? [toNpmEntry] : [])];
    });
}

/** @param {Bench} bench @param {Bench["programs"][number]} program @returns {Runner} */
function hookctl({ workspace, commandsOf }, program) {
  const { form } = program;
  return {
    ...{ name: PROGRAMS[form], form },
    with: (count) => commandsOf(program).hookctl(sceneWith(workspace, count), ["run", "before_tool_call"]),
  };
}

/** @param {Bench} bench @returns {Runner} */
function shellLoop({ workspace, commands, payload }) {
  /** @param {Scene} scene */
  const loop = (scene) => commands.plain(scene, ["/bin/sh", "-c", LOOP, "loop", scene.userHooks, payload]);
  return { name: "a shell loop", form: null, with: (count) => loop(sceneWith(workspace, count)) };
}

/** @param {Bench} bench @returns {Runner} */
function runParts({ workspace, commands }) {
  /** @param {Scene} scene */
  const parts = (scene) => commands.plain(scene, ["run-parts", "--arg=run", scene.userHooks]);
  return { name: "run-parts", form: null, with: (count) => parts(sceneWith(workspace, count)) };
}

/**
 * Some systems have a run-parts that knows no `--arg`.
 * @param {Scene} scene
 */
function takesArguments({ project }) {
  return spawnSync("run-parts", ["--test", "--arg=run", project], { stdio: "ignore" }).status === 0;
}

/** @param {Bench} bench @param {string} runner @returns {Runner[]} */
function goRunners({ workspace, commands }, runner) {
  /** @param {Scene} scene @param {string} mode */
  const run = (scene, mode) => commands.plain(scene, [runner, mode, "before_tool_call", scene.userHooks]);
  return [
    { name: "a Go program", form: null, with: (count) => run(sceneWith(workspace, count), "known") },
    { name: "a Go program that asks each hook", form: null, with: (count) => run(sceneWith(workspace, count), "ask") },
  ];
}

/** @param {Bench} bench @param {string} name @param {readonly string[]} program @returns {Runner} */
function viaLefthook({ workspace, commands }, name, program) {
  return {
    ...{ name, form: null },
    with: (count) => {
      const scene = repository(workspace.scene());
      const names = writeHooks(join(scene.project, ".lefthook", EVENT), count);
      const scripts = Object.fromEntries(names.map((script) => [script, { use_stdin: true }]));
      const config = { output: ["failure"], [EVENT]: { scripts } };
      writeFileSync(join(scene.project, "lefthook.json"), JSON.stringify(config));
      return commands.plain(scene, [...program, "run", "--no-auto-install", EVENT, "run"]);
    },
  };
}

/** prek gives its hooks no stdin. */
/** @param {Bench} bench @param {string} prek @returns {Runner} */
function viaPrek({ workspace, commands }, prek) {
  return {
    ...{ name: "prek", form: null },
    with: (count) => {
      const scene = repository(workspace.scene());
      const hooks = writeHooks(scene.userHooks, count).map((name) => ({
        ...{ id: name, name, entry: `${join(scene.userHooks, name)} run`, language: "system" },
        ...{ always_run: true, pass_filenames: false },
      }));
      const config = { repos: [{ repo: "local", hooks }] };
      writeFileSync(join(scene.project, ".pre-commit-config.yaml"), JSON.stringify(config));
      spawnSync("git", ["add", "."], { cwd: scene.project, env: scene.env, stdio: "ignore" });
      return commands.plain(scene, [prek, "run"]);
    },
  };
}

/** @param {Scene} scene */
function repository(scene) {
  spawnSync("git", ["init", "--quiet"], { cwd: scene.project, env: scene.env, stdio: "ignore" });
  return scene;
}

/** @param {Bench["workspace"]} workspace @param {number} count */
function sceneWith(workspace, count) {
  const scene = workspace.scene();
  writeHooks(scene.userHooks, count);
  return scene;
}
