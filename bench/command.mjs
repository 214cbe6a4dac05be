import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { startWords } from "./as-person.mjs";
import { FIRST_HOOK, stateFolder } from "./workspace.mjs";

/** @import { Scene } from "./workspace.mjs" */

/** @typedef {readonly string[]} Program the words that start hookctl */
/** @typedef {ReturnType<typeof commandsFor>} Commands */

/**
 * @typedef {object} Command one whole process, as a caller would start it
 * @property {readonly string[]} argv
 * @property {string} stdin a file
 * @property {number} [calls] a session of so many starts
 * @property {boolean} [isPiped] stdin is a pipe that the file's content is written to
 * @property {Scene} scene where it runs
 * @property {boolean} [leavesServer] one that answers later calls, and that is not left by another session
 * @property {() => void} [before] what has to be so when it is timed
 * @property {(stdout: string) => string | null} [findFault] says what is wrong with its answer
 */

const CLIPPED = 200;
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;
export const EVENT = "before_tool_call";

/** @param {Program} program the hookctl under test @param {string} stdin a file with the payload */
export function commandsFor(program, stdin) {
  /** @param {Scene} scene @param {readonly string[]} argv @returns {Command} */
  const plain = (scene, argv) => ({ argv, stdin, scene });
  /** @param {Scene} scene @param {readonly string[]} words */
  const hookctl = (scene, words) => plain(scene, startWords(program, words));
  return {
    plain,
    hookctl,
    /** @param {Scene} scene @param {readonly string[]} [words] after `run` */
    run: (scene, words = [EVENT]) => ({ ...hookctl(scene, ["run", ...words]), findFault: findRunFault }),
    /** `node -e 0`, the least that a program on Node costs. @param {Scene} scene */
    node: (scene) => plain(scene, [process.execPath, "-e", "0"]),
    /** The first of the user's hooks by itself. @param {Scene} scene */
    hook: (scene) => plain(scene, [join(scene.userHooks, FIRST_HOOK), "run"]),
  };
}

/**
 * Runs a command once, untimed: a broken build must not be fast.
 * @param {Command} command
 * @param {string} [name]
 * @returns {string | null} what is wrong, in one line
 */
export function faultOf({ argv, stdin, scene, findFault }, name = titleOf(argv)) {
  const [program = "", ...words] = argv;
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
  return fault === null ? null : `${name}: ${firstLine(fault).slice(0, CLIPPED)}`;
}

/** Runs a command that prepares others. @param {Command} command */
export function prepareBy(command) {
  const fault = faultOf(command);
  if (fault !== null) throw new Error(fault);
}

/** A command for eyes, without the folders that mean nothing to them. @param {readonly string[]} argv */
export const titleOf = (argv) => argv.map((word) => basename(word)).join(" ");

/** @param {string} text */
export const firstLine = (text) => text.trim().split("\n", 1).join("");

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

/** How often the record of a scene names a hook: once for each time it was asked. */
/** @param {Scene} scene @param {string} name */
export function timesRecorded(scene, name) {
  try {
    const log = readFileSync(join(stateFolder(scene), "audit.jsonl"), "utf8");
    return log.split("\n").filter((line) => line.includes(`"${name}"`)).length;
  } catch {
    return 0;
  }
}
