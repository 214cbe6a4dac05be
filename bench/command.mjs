import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { startWords } from "./as-person.mjs";

/** @import { Form } from "./figure.mjs" */
/** @import { Scene } from "./workspace.mjs" */

/** @typedef {{ readonly form: Form, readonly argv: readonly string[] }} Program the words that start hookctl */

/**
 * @typedef {object} Command one whole process, as a caller would start it
 * @property {readonly string[]} argv
 * @property {string} stdin a file
 * @property {boolean} [isPiped] stdin is a pipe that the file's content is written to
 * @property {Scene} scene where it runs
 * @property {(stdout: string) => string | null} [findFault] says what is wrong with its answer
 */

/**
 * @typedef {object} Commands
 * @property {(scene: Scene, words: readonly string[]) => Command} hookctl
 * @property {(scene: Scene, argv: readonly string[]) => Command} plain
 * @property {(scene: Scene) => Command} node `node -e 0`, the least that a program on Node costs
 */

const CLIPPED = 200;
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * @param {Program} program the hookctl under test
 * @param {string} stdin a file with the payload
 * @returns {Commands}
 */
export function commandsFor(program, stdin) {
  /** @param {Scene} scene @param {readonly string[]} argv */
  const plain = (scene, argv) => ({ argv, stdin, scene });
  return {
    plain,
    node: (scene) => plain(scene, [process.execPath, "-e", "0"]),
    hookctl: (scene, words) => {
      const command = plain(scene, startWords(program.argv, words));
      return words[0] === "run" ? { ...command, findFault: findRunFault } : command;
    },
  };
}

/**
 * Runs a command once, untimed: a broken build must not be fast.
 * @param {Command} command
 * @returns {string | null} what is wrong, in one line
 */
export function findFault({ argv: [program = "", ...words], stdin, scene, findFault }) {
  const input = openSync(stdin, "r");
  const { status, signal, stdout, stderr, error } = spawnSync(program, words, {
    cwd: scene.project,
    env: scene.env,
    stdio: [input, "pipe", "pipe"],
    encoding: "utf8",
    maxBuffer: MOST_OUTPUT_BYTES,
  });
  closeSync(input);
  const ended = error?.message ?? `${signal ?? `exit ${status}`}: ${stderr}`;
  const fault = status === 0 ? (findFault?.(stdout) ?? null) : ended;
  return fault === null ? null : `${titleOf({ argv: [program, ...words] })}: ${firstLine(fault)}`;
}

/**
 * A command for eyes, without the folders that mean nothing to them.
 * @param {Pick<Command, "argv">} command
 */
export function titleOf({ argv }) {
  return argv.map((word) => basename(word)).join(" ");
}

/** @param {string} text */
function firstLine(text) {
  return text.trim().split("\n", 1).join("").slice(0, CLIPPED);
}

/**
 * A hook that was refused or failed costs less than one that was asked, and leaves a warning in the answer.
 * @param {string} stdout
 */
function findRunFault(stdout) {
  try {
    const { blocked, warnings } = JSON.parse(stdout);
    return blocked === true || warnings !== undefined ? `answered ${stdout}` : null;
  } catch {
    return `did not answer JSON: ${stdout}`;
  }
}

/**
 * For `list`: each hook must be in it.
 * @param {readonly string[]} names
 */
export function listFaultFinder(names) {
  return (/** @type {string} */ stdout) => {
    const missing = names.filter((name) => !stdout.includes(name));
    return missing.length > 0 ? `lists no ${missing.join(", ")}` : null;
  };
}

/**
 * Whether the record of a scene names a hook. One that was asked stands there, unless the record is off.
 * @param {Scene} scene
 * @param {string} name
 */
export function isRecorded(scene, name) {
  try {
    return readFileSync(join(scene.env.XDG_STATE_HOME ?? "", "hookctl", "audit.jsonl"), "utf8").includes(name);
  } catch {
    return false;
  }
}
