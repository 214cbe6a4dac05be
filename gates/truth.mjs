// What hookctl says of a machine, held against what a native call of the agent does there.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { entry } from "./entry.mjs";
import { inParallel, isDrawn } from "./gate.mjs";
import { inWorkspace } from "./scene.mjs";
import { make } from "./truth/make.mjs";
import { factsOf } from "./truth/native-calls.mjs";
import { statementsOf, uninstalled } from "./truth/statements.mjs";
import { STATES } from "./truth/states.mjs";

/** @import { GateContext, Outcome } from "./gate.mjs" */
/** @import { Facts } from "./truth/native-calls.mjs" */
/** @import { State } from "./truth/states.mjs" */
/** @import { Statement } from "./truth/statements.mjs" */

/** @typedef {{ readonly state: State, readonly facts: Facts, readonly statements: readonly Statement[], readonly wrong: readonly string[] }} Trial */

const WIDTH = 2;
/** Statements made wrong on purpose: what the same command says of another machine. */
const LIES = [
  { command: "doctor", of: "claude user: off in local settings", instead: "claude user: plain" },
  { command: "status", of: "claude user: off for good", instead: "claude user: plain" },
  { command: "uninstall", of: "claude project: plain", instead: "claude project: settings deleted" },
];

/** @param {GateContext} context @returns {Promise<Outcome>} */
export async function truth({ bin, scale }) {
  const named = process.env.HOOKCTL_TRUTH;
  const ofLies = LIES.flatMap(({ of, instead }) => [of, instead]);
  const states = STATES.filter(({ name }, at) =>
    named === undefined ? isDrawn(at, scale) || ofLies.includes(name) : name.includes(named),
  );
  const trials = /** @type {Trial[]} */ ([]);
  await inWorkspace(async ({ root }) => {
    await inParallel(states.length, WIDTH, async (index) => {
      const folder = join(root, String(index));
      mkdirSync(folder, { mode: 0o755 });
      trials[index] = await tried(entry(states, index), folder, bin);
      rmSync(folder, { recursive: true, force: true });
    });
  });
  const wrong = trials.flatMap((trial) => trial.wrong);
  const lies = named === undefined ? LIES : [];
  const unseen = lies.filter((lie) => !isSeen(lie, trials));
  const claims = trials.flatMap(({ statements }) => statements).filter(({ allows }) => allows !== null);
  const facts = trials.map(({ facts }) => facts.agent);
  const count = (/** @type {string} */ fact) => facts.filter((one) => one === fact).length;
  return {
    isMet: wrong.length === 0 && unseen.length === 0,
    figures: `${claims.length} statements about ${trials.length} states (${count("guarded")} guarded, ${count("off")} off, ${count("blocked")} blocked): ${wrong.length} disagree; ${lies.length - unseen.length} of ${lies.length} lies found`,
    notes: [...wrong, ...unseen.map(({ command, of }) => `not noticed: a wrong ${command} of ${of}`)],
  };
}

/** The facts, then the statements: agents work before a person asks, so what a call has shown is known. */
/** @param {State} state @param {string} folder @param {readonly string[]} bin @returns {Promise<Trial>} */
async function tried(state, folder, bin) {
  const machine = await make(state, folder, bin);
  const facts = await factsOf(machine, state.agent);
  const statements = await statementsOf(machine, state);
  const wrong = statements.flatMap((statement) => disagreement(state, statement, facts));
  const removed = await uninstalled(machine, state);
  const left = disagreement(state, removed, await factsOf(machine, state.agent));
  return {
    state,
    facts,
    statements: [...statements, removed],
    wrong: [...wrong, ...left].map((text) => text.replaceAll(folder, "")),
  };
}

/** @param {State} state @param {Statement} statement @param {Facts} facts @returns {readonly string[]} */
function disagreement({ name, isUnreached }, { command, about, allows, text }, facts) {
  const fact = facts[about];
  if (allows === null || fact === null || allows.includes(fact) || (about === "line" && isUnreached)) return [];
  return [`${name} | ${command}: ${text} | ${about === "line" ? "its line is" : "it is"} ${fact}`];
}

/** @param {typeof LIES[number]} lie @param {readonly Trial[]} trials */
function isSeen({ command, of, instead }, trials) {
  const [trial, other] = [of, instead].map((name) => trials.find(({ state }) => state.name === name));
  const lie = other?.statements.find((statement) => statement.command === command);
  return trial !== undefined && lie !== undefined && disagreement(trial.state, lie, trial.facts).length > 0;
}
