import { findFault } from "./command.mjs";
import { toRow } from "./figure.mjs";
import { interleave } from "./rounds.mjs";

/** @import { Command, Commands } from "./command.mjs" */
/** @import { Figure, Round, Row } from "./figure.mjs" */
/** @import { Stopwatch } from "./stopwatch.mjs" */
/** @import { Workspace } from "./workspace.mjs" */

/**
 * @typedef {object} Bench what a group is made with
 * @property {Workspace} workspace
 * @property {Stopwatch} stopwatch
 * @property {Commands} commands
 * @property {string} bin the hookctl under test
 * @property {string} payload a file
 * @property {(line: string) => void} say tells the person who waits
 */

/**
 * @typedef {object} Group commands that are timed together, and what is read from their times
 * @property {Readonly<Record<string, Command>>} commands
 * @property {readonly Figure[]} figures
 * @property {number} [mostRounds] for commands that take long
 * @property {(rounds: number) => Promise<Round[]>} [sample] in place of timing whole processes
 * @property {() => string | null} [findDoubt] after each command ran once: a reason not to believe the figures
 * @property {string} [skipped] what cannot be measured here, and why
 */

/**
 * @typedef {object} Note
 * @property {"skipped" | "doubtful" | "failed"} kind
 * @property {string} text
 */

/**
 * @typedef {object} Outcome
 * @property {readonly Row[]} rows
 * @property {readonly Note[]} notes
 */

/**
 * Tries every command of a group once, then times them. A group with a failing command has no figures.
 * @param {Group} group
 * @param {Stopwatch} stopwatch
 * @param {number} count rounds
 * @returns {Promise<Outcome>}
 */
export async function runGroup(group, stopwatch, count) {
  const faults = Object.values(group.commands).flatMap((command) => findFault(command) ?? []);
  if (faults.length > 0) return { rows: [], notes: notes("failed", [...new Set(faults)]) };
  const doubts = group.findDoubt?.() ?? [];
  try {
    const rounds = await sampleRounds(group, stopwatch, Math.min(count, group.mostRounds ?? count));
    const rows = group.figures.map((figure) => toRow(figure, rounds));
    return { rows, notes: [...notes("skipped", group.skipped ?? []), ...notes("doubtful", doubts)] };
  } catch (error) {
    return { rows: [], notes: notes("failed", error instanceof Error ? error.message : String(error)) };
  }
}

/** @param {Group} group @param {Stopwatch} stopwatch @param {number} count */
function sampleRounds({ commands, sample }, stopwatch, count) {
  return sample?.(count) ?? interleave(commands, stopwatch.measure, count);
}

/** @param {Note["kind"]} kind @param {string | readonly string[]} texts @returns {Note[]} */
function notes(kind, texts) {
  return [texts].flat().map((text) => ({ kind, text }));
}
