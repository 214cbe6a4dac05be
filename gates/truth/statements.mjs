// What hookctl says of a machine, and with which facts that is true: one function a command.
import { hookctl } from "./make.mjs";

/** @import { Ended } from "../scene.mjs" */
/** @import { Machine } from "./make.mjs" */
/** @import { Unchecked } from "../json.mjs" */
/** @import { Fact, Facts } from "./native-calls.mjs" */
/** @import { State } from "./states.mjs" */

/**
 * @typedef {object} Claim
 * @property {readonly Fact[] | null} allows the facts with which it is true; null: it says nothing about this guard
 * @property {string} text
 */
/** @typedef {Claim & { readonly command: string, readonly about: keyof Facts }} Statement */
/** @typedef {(ended: Ended, state: State) => Claim} Reading of a command that has ended */
/** @typedef {(answer: Unchecked, state: State, ended: Ended) => Claim} JsonReading of its JSON */

/** @type {readonly Fact[]} */
const GUARDED = ["guarded"];
/** @type {readonly Fact[]} */
const OFF = ["off"];
/** A fault keeps the guard from working: it may block everything, too. @type {readonly Fact[]} */
const NOT_GUARDED = ["off", "blocked"];
/** @type {readonly Fact[]} */
const NOT_OFF = ["guarded", "blocked"];

/** @type {(allows: readonly Fact[] | null, text: string) => Claim} */
const claim = (allows, text) => ({ allows, text });

/** A command that fails says that something is wrong, and nothing about the guard. @param {Ended} ended */
const failure = ({ code, stdout, stderr }) => claim(null, `exit ${code}: ${(stderr || stdout).split("\n")[0]}`);

/** @param {JsonReading} reading @returns {Reading} */
const inJson = (reading) => (ended, state) => {
  try {
    const read = JSON.parse(ended.stdout);
    return read.schema === "hookctl.problem/1" ? failure(ended) : reading(read, state, ended);
  } catch (error) {
    if (error instanceof SyntaxError) return failure(ended);
    throw error;
  }
};

/** These checks may warn beside a guard that works. */
const BESIDE = /^(?:\w+ (?:tested|twice)|speed|record|agents)$/;

/** Exit 0 without a warning about the guard: it stops the call. Exit 1: it does not, or stops every call. @type {JsonReading} */
function doctor({ checks }, { isAnyAgent, hasOtherFault }, { code }) {
  const all = /** @type {readonly Unchecked[]} */ (checks);
  const [failed] = all.filter(({ status }) => status === "fail");
  const warned = all.find(({ status, name }) => status === "warn" && !BESIDE.test(name));
  const first = failed ?? warned;
  const text = `exit ${code}${first === undefined ? "" : `, ${first.status} ${first.name}: ${first.detail}`}`;
  if (failed !== undefined && code === 1) return claim(hasOtherFault ? null : NOT_GUARDED, text);
  return claim(warned === undefined || isAnyAgent ? GUARDED : null, text);
}

/** A hook that is on is started; only its answer tells whether it works. @type {JsonReading} */
function list({ hooks, warnings, skipped }, { guard }) {
  const all = /** @type {readonly Unchecked[]} */ (hooks);
  const hook = all.find(({ name }) => name === guard);
  const isWarned = warnings.length > 0 || skipped.length > 0;
  if (hook === undefined) return claim(isWarned ? NOT_GUARDED : OFF, `${guard} is not in it`);
  if (!hook.enabled) return claim(isWarned ? null : OFF, hook.disabled_reason);
  // A change blocks, that of another hook as well.
  if (all.some(({ trust }) => trust === "changed")) return claim(["blocked"], "changed");
  if (hook.trust !== "trusted") return claim(NOT_GUARDED, hook.trust);
  return claim(isWarned ? null : NOT_OFF, "approved and on");
}

/** @type {JsonReading} */
function status({ hooks, off, not_approved: waiting, paused, blocking, settings_problem: problem, failing }) {
  const text = `hooks ${hooks}, off ${off}, not_approved [${waiting}], paused [${paused}], blocking [${blocking}]`;
  if (blocking.length > 0) return claim(["blocked"], text);
  if (waiting.length > 0) return claim(NOT_GUARDED, text);
  if (problem !== null || failing.length > 0) return claim(null, text);
  return claim(off || hooks === 0 ? OFF : NOT_OFF, text);
}

/** It speaks of approvals alone: a guard that is off may be approved, and an approved one may block everything. @type {JsonReading} */
function approvals({ entries }, { guard, hook, isOffByPerson }) {
  const mine = /** @type {readonly Unchecked[]} */ (entries).find(({ name }) => name.endsWith(guard));
  if (mine === undefined) return claim(null, `${guard} is not in it`);
  if (mine.state === "approved") return claim(isOffByPerson ? null : NOT_OFF, "approved");
  if (mine.state === "denied") return claim(OFF, "denied");
  // Of a changed or missing entry of a file its approved version runs.
  return claim(hook === null ? null : NOT_GUARDED, mine.state);
}

/** @type {JsonReading} */
function leftToApprove({ hooks }, { guard, isOffByPerson }) {
  const names = /** @type {readonly Unchecked[]} */ (hooks).map(({ name }) => name);
  const text = names.length === 0 ? "nothing to approve" : `left to approve: ${names}`;
  if (names.includes(guard)) return claim(NOT_GUARDED, text);
  return claim(names.length > 0 || isOffByPerson ? null : NOT_OFF, text);
}

/** After it has run: hookctl is not used, or one of several registrations is gone. @type {Reading} */
function uninstall(ended, { scopes, isBorrowing }) {
  const [text = ""] = ended.stdout.split("\n");
  if (ended.code !== 0) return failure(ended);
  return claim(/does not call hookctl/.test(text) || (scopes.length === 1 && !isBorrowing) ? OFF : null, text);
}

/** The last line is about the update; a pinned pack is not the newest. The newest version of a pack stops the call, the one before it does not. @type {Reading} */
function update({ stdout }) {
  const [text = ""] = [...stdout.matchAll(/^.*(?:up to date|updated|approved|pinned).*$/gim)].at(-1) ?? [];
  return claim(text === "" || /pinned/i.test(text) ? null : GUARDED, text);
}

/** What `disable`, `off` and their opposites said of the guard. @type {Reading} */
function switched({ stdout }, { guard }) {
  const [text = "", is] = [...stdout.matchAll(new RegExp(`^.*\\b${guard}:? +(off|on)\\b.*$`, "gm"))].at(-1) ?? [];
  return claim(is === undefined ? null : is === "off" ? OFF : GUARDED, text);
}

/** @type {Readonly<Record<string, { readonly about: keyof Facts, readonly reading: Reading, readonly options: readonly string[] }>>} */
const ASKED = {
  doctor: { about: "agent", reading: inJson(doctor), options: ["--json"] },
  list: { about: "line", reading: inJson(list), options: ["--json"] },
  status: { about: "line", reading: inJson(status), options: ["--json"] },
  "trust --list": { about: "line", reading: inJson(approvals), options: ["--json"] },
  "trust --show": { about: "line", reading: inJson(leftToApprove), options: ["--json"] },
};

/** What the commands that change nothing say of a machine, and what the command said that brought it into its state. */
/** @param {Machine} machine @param {State} state @returns {Promise<readonly Statement[]>} */
export async function statementsOf(machine, state) {
  if (state.isPack) return [{ command: "update", about: "line", ...update(machine.made, state) }];
  /** @type {Statement[]} */
  const statements = [{ command: "the switch", about: "line", ...switched(machine.made, state) }];
  for (const [command, { about, reading, options }] of Object.entries(ASKED)) {
    const agent = command === "doctor" && !state.isAnyAgent ? [state.agent] : [];
    const ended = await hookctl(machine, [...command.split(" "), ...agent, ...options]);
    statements.push({ command, about, ...reading(ended, state) });
  }
  return statements;
}

/** Removes hookctl from the agent. @param {Machine} machine @param {State} state @returns {Promise<Statement>} */
export async function uninstalled(machine, state) {
  const ended = await hookctl(machine, ["uninstall", state.agent]);
  return { command: "uninstall", about: "agent", ...uninstall(ended, state) };
}
