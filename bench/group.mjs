import { findFault } from "./command.mjs";
import { toRow } from "./figure.mjs";
import { interleaveGroups } from "./rounds.mjs";

/** @import { Command, Commands, Program } from "./command.mjs" */
/** @import { Figure, Form, Round, Row } from "./figure.mjs" */
/** @import { Stopwatch } from "./stopwatch.mjs" */
/** @import { Workspace } from "./workspace.mjs" */

/**
 * @typedef {object} Bench what a group is made with
 * @property {Workspace} workspace
 * @property {() => void} renew before each round: makes what a round may be lucky with anew
 * @property {Stopwatch} stopwatch
 * @property {readonly Program[]} programs hookctl in each form that is there
 * @property {Form} form the one that `commands` starts
 * @property {Commands} commands
 * @property {(program: Program) => Commands} commandsOf
 * @property {string} bin hookctl on Node
 * @property {string} payload a file
 * @property {string} cache a folder that stays
 * @property {(line: string) => void} say tells the person who waits
 */

/**
 * @typedef {object} Group commands that are timed together, and what is read from their times
 * @property {Readonly<Record<string, Command>>} commands
 * @property {readonly Figure[]} figures
 * @property {number} [mostRounds] for commands that take long
 * @property {(rounds: number) => Promise<Round[]>} [sample] in place of timing whole processes
 * @property {() => string | null} [findDoubt] after each command ran once: a reason not to believe the figures
 * @property {string | readonly string[]} [skipped] what cannot be measured here, and why
 * @property {string} [failed] why it could not be prepared
 */

/** @typedef {{ readonly id: string, readonly form: Form | null, readonly group: Group }} PreparedGroup */

/**
 * @typedef {object} Note
 * @property {string} id
 * @property {Form | null} form
 * @property {"skipped" | "doubtful" | "failed"} kind
 * @property {string} text
 */

/**
 * @typedef {object} Outcome
 * @property {readonly Row[]} rows
 * @property {readonly Note[]} notes
 */

/** A group for each form of hookctl. */
/** @param {(bench: Bench) => Group} prepare @returns {(id: string, bench: Bench) => PreparedGroup[]} */
export const eachForm = (prepare) => (id, bench) =>
  bench.programs.map((program) => {
    const { form } = program;
    return { id, form, group: tryTo(prepare, { ...bench, form, commands: bench.commandsOf(program) }) };
  });

/** A group of one form, or one that starts what it wants. */
/** @param {(bench: Bench) => Group} prepare @param {Form | null} [form] */
export const once =
  (prepare, form = null) =>
  (/** @type {string} */ id, /** @type {Bench} */ bench) => [{ id, form, group: tryTo(prepare, bench) }];

/** @param {(bench: Bench) => Group} prepare @param {Bench} bench @returns {Group} */
function tryTo(prepare, bench) {
  try {
    return prepare(bench);
  } catch (error) {
    return { commands: {}, figures: [], failed: asError(error).message.trim().split("\n", 1).join("") };
  }
}

/**
 * Tries every command once, then times them all in one run. One that fails, and the figures that need it, are left out.
 * @param {readonly PreparedGroup[]} groups
 * @param {number} count rounds
 * @param {Pick<Bench, "renew" | "stopwatch" | "say">} bench
 * @returns {Promise<readonly Outcome[]>}
 */
export async function runGroups(groups, count, { renew, stopwatch, say }) {
  const tried = groups.map(tryCommands);
  const timed = tried.filter(({ group: { sample } }) => sample === undefined);
  const subjects = timed.map(({ group }) => ({ subjects: group.commands, count: roundsOf(group, count) }));
  const measured = await interleaveGroups(subjects, stopwatch.measure, (round) => {
    renew();
    say(`round ${round}`);
  });
  const roundsByGroup = new Map(timed.map((one, place) => [one, measured[place] ?? []]));
  const outcomes = [];
  for (const one of tried) outcomes.push(outcomeOf(one, roundsByGroup.get(one) ?? (await sampled(one.group, count))));
  return outcomes;
}

/** @typedef {PreparedGroup & { readonly notes: readonly Note[] }} TriedGroup */

/** @param {PreparedGroup} prepared @returns {TriedGroup} */
function tryCommands(prepared) {
  const { commands, figures, failed, skipped, findDoubt } = prepared.group;
  const faults = new Map(Object.entries(commands).map(([label, command]) => [label, findFault(command)]));
  const works = (/** @type {string} */ label) => typeof faults.get(label) !== "string";
  const working = Object.fromEntries(Object.entries(commands).filter(([label]) => works(label)));
  const group = {
    ...{ ...prepared.group, commands: working },
    figures: figures.filter(({ ours, theirs = {} }) =>
      [ours, theirs].flatMap((side) => Object.keys(side)).every(works),
    ),
  };
  const failures = new Set([failed ?? [], ...[...faults.values()].map((fault) => fault ?? [])].flat());
  const notes = [
    ...notesOf(prepared, "skipped", skipped ?? []),
    ...notesOf(prepared, "failed", [...failures]),
    ...notesOf(prepared, "doubtful", failures.size === 0 ? (findDoubt?.() ?? []) : []),
  ];
  return { ...prepared, group, notes };
}

/** @param {Group} group @param {number} count */
const roundsOf = ({ mostRounds }, count) => Math.min(count, mostRounds ?? count);

/** @param {Group} group @param {number} count @returns {Promise<Round[] | Error>} */
async function sampled(group, count) {
  return (await group.sample?.(roundsOf(group, count)).catch(asError)) ?? [];
}

/** @param {unknown} error */
const asError = (error) => (error instanceof Error ? error : new Error(String(error)));

/** @param {TriedGroup} tried @param {Round[] | Error} rounds @returns {Outcome} */
function outcomeOf(tried, rounds) {
  const { group, form, notes } = tried;
  if (rounds instanceof Error) return { rows: [], notes: [...notes, ...notesOf(tried, "failed", rounds.message)] };
  return { rows: group.figures.map((figure) => toRow({ form, ...figure }, rounds)), notes };
}

/**
 * @param {PreparedGroup} prepared
 * @param {Note["kind"]} kind
 * @param {string | readonly string[]} texts
 * @returns {Note[]}
 */
function notesOf({ id, form }, kind, texts) {
  return [texts].flat().map((text) => ({ id, form, kind, text }));
}
