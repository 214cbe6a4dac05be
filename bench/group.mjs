import { faultOf, firstLine } from "./command.mjs";
import { toRow } from "./figure.mjs";
import { say } from "./report.mjs";
import { interleaveGroups } from "./rounds.mjs";

/** @import { Command, Commands, Program } from "./command.mjs" */
/** @import { Figure, Round, Row } from "./figure.mjs" */
/** @import { Note } from "./report.mjs" */
/** @import { Usage } from "./stopwatch.mjs" */
/** @import { Workspace } from "./workspace.mjs" */

/**
 * @typedef {object} Bench what a group is made with
 * @property {Workspace} workspace
 * @property {(command: Command) => Promise<Usage>} measure
 * @property {Program} program the hookctl under test
 * @property {Commands} commands
 * @property {string} dist the URL of the built modules
 * @property {string} payload
 */

/**
 * @typedef {object} Group commands that are timed together, and what is read from their times
 * @property {Readonly<Record<string, Command>>} [commands]
 * @property {readonly Figure[]} [figures]
 * @property {number} [mostRounds] for commands that take long
 * @property {(rounds: number) => Promise<Round[]>} [sample] in place of timing whole processes
 * @property {string | readonly string[]} [skipped] what cannot be measured here, and why
 * @property {string} [failed] why it could not be prepared
 */

/** @typedef {{ readonly id: string, readonly group: Group }} PreparedGroup */
/** @typedef {(bench: Bench) => Group} Preparation */

/** @param {Preparation} prepare @param {Bench} bench @returns {Group} */
export function prepareGroup(prepare, bench) {
  try {
    return prepare(bench);
  } catch (error) {
    return { failed: firstLine(asError(error).message) };
  }
}

/**
 * Tries every command once, then times them all in one run. One that fails, and the figures that need it, are left out.
 * @param {readonly PreparedGroup[]} groups
 * @param {number} count rounds
 * @param {Pick<Bench, "measure">} bench
 */
export async function runGroups(groups, count, { measure }) {
  const tried = groups.map(tryCommands);
  const timed = tried.filter(({ group }) => group.sample === undefined);
  const subjects = timed.map(({ group }) => ({ subjects: group.commands ?? {}, count: roundsOf(group, count) }));
  const measured = await interleaveGroups(subjects, measure, (round) => say(`round ${round}`));
  /** @type {Row[]} */
  const rows = [];
  /** @type {Note[]} */
  const notes = [];
  for (const one of tried) {
    const { id, group } = one;
    const rounds = (await group.sample?.(roundsOf(group, count)).catch(asError)) ?? measured[timed.indexOf(one)] ?? [];
    notes.push(...one.notes);
    if (rounds instanceof Error) notes.push(...notesOf(one, "failed", rounds.message));
    else rows.push(...(group.figures ?? []).map((figure) => toRow({ id, ...figure }, rounds)));
  }
  return { rows, notes };
}

/** @param {PreparedGroup} prepared */
function tryCommands(prepared) {
  const { commands = {}, figures = [], failed = [], skipped = [] } = prepared.group;
  const faults = new Map(
    Object.entries(commands).map(([label, command]) => [
      label,
      faultOf(command, command.calls === undefined ? undefined : label),
    ]),
  );
  const works = (/** @type {string} */ label) => typeof faults.get(label) !== "string";
  const failures = new Set([failed, ...[...faults.values()].map((fault) => fault ?? [])].flat());
  const group = {
    ...prepared.group,
    commands: Object.fromEntries(Object.entries(commands).filter(([label]) => works(label))),
    figures: figures.filter(({ ours, theirs = {} }) => [ours, theirs].flatMap(Object.keys).every(works)),
  };
  const notes = [...notesOf(prepared, "skipped", skipped), ...notesOf(prepared, "failed", [...failures])];
  return { ...prepared, group, notes };
}

/** @param {Group} group @param {number} count */
const roundsOf = ({ mostRounds }, count) => Math.min(count, mostRounds ?? count);

/** @param {unknown} error */
const asError = (error) => (error instanceof Error ? error : new Error(String(error)));

/** @param {PreparedGroup} prepared @param {Note["kind"]} kind @param {string | readonly string[]} texts @returns {Note[]} */
const notesOf = ({ id }, kind, texts) => [texts].flat().map((text) => ({ id, kind, text }));
