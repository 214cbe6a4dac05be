import { chmodSync, chownSync, copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { model } from "./model.mjs";

/** @import { Random } from "../random.mjs" */
/** @import { Entry } from "./model.mjs" */

const HOOKS = ["open", "shut", "tool.sh"];
const PLACES = [...HOOKS, "lib.sh", "notes.md", "spare", "open.disable"];
const OUTSIDE = "../out";
/** Nobody on the machine has it. */
const STRANGER = 54_321;
const isRoot = process.getuid?.() === 0;
const STEPS = 14;
const PAYLOAD = '{"tool_name":"bash","tool_input":{"command":"ls"}}';

/**
 * One random life of a hooks folder, on the disk and in the model. Null: they agreed at each run, else what differed.
 * @param {Random} random
 * @param {string} folder a new one
 * @param {(words: readonly string[], stdin: string) => Promise<string>} call gives stdout
 * @returns {Promise<{ runs: number, fault: string | null }>}
 */
export async function sequence(random, folder, call) {
  const hooks = join(folder, "project", ".kodelet", "hooks");
  mkdirSync(join(hooks, "sub"), { recursive: true, mode: 0o755 });
  mkdirSync(join(folder, "home", ".kodelet"), { recursive: true, mode: 0o755 });
  // A folder further down with a .kodelet of its own, in the same repository: a call from there finds the same guards.
  mkdirSync(join(folder, "project", ".git"), { mode: 0o755 });
  mkdirSync(join(folder, "project", "below", ".kodelet", "hooks"), { recursive: true, mode: 0o755 });
  /** @type {Record<string, Entry>} */
  const disk = {};
  const due = model(disk);
  const settings = join(folder, "home", ".kodelet", "hooks.json");
  const life = { random, hooks, disk, outside: join(folder, "out") };
  for (const name of [...HOOKS, "lib.sh", OUTSIDE]) edit(life, name);
  /** @type {string[]} */
  const done = [];
  let runs = 0;
  for (let step = 0; step < STEPS; step++) {
    const isLast = step === STEPS - 1;
    const [verb, name] = isLast ? ["run", ""] : draw(random);
    done.push(`${verb} ${name}`);
    if (verb === "run") {
      runs++;
      const differs = difference(due, await told(call, random.pick(["", "below"])));
      if (differs !== null) return { runs, fault: `${done.join(", ")}: ${differs}` };
    } else if (verb === "require" || verb === "unrequire") {
      due[verb](name);
      const overrides = Object.fromEntries([...due.required].map((one) => [one, { required: true }]));
      writeFileSync(settings, JSON.stringify({ overrides }));
    } else if (verb in ON_DISK) done.push(ON_DISK[verb](life, name));
    else {
      due[verb](name);
      await call(ON_LEDGER[verb](name), "");
    }
  }
  return { runs, fault: null };
}

/** @param {Random} random */
function draw(random) {
  const verb = random.pick([
    "run",
    "run",
    "edit",
    "chmod",
    "chown",
    "require",
    "unrequire",
    "rename",
    "link",
    "copy",
    "remove",
    "trustAll",
    "trustAll",
    "trust",
    "trust",
    "untrust",
    "deny",
    "untrustAll",
  ]);
  if (verb === "require") return [verb, random.pick(HOOKS)];
  return [verb, random.pick(verb === "edit" || verb === "chmod" ? [...PLACES, "sub/lib.sh"] : PLACES)];
}

/** What is typed for each step on the store; the model has the same name for it. */
const ON_LEDGER = {
  trustAll: () => ["trust", "--yes"],
  trust: (name) => ["trust", name],
  untrustAll: () => ["untrust"],
  untrust: (name) => ["untrust", name],
  deny: (name) => ["untrust", "--deny", name],
};

const ON_DISK = {
  edit,
  chmod: (life, name) => {
    const entry = life.disk[name];
    if (entry?.text === undefined) return "-";
    entry.mode = life.random.pick([0o755, 0o755, 0o700, 0o644, 0o757]);
    chmodSync(pathOf(life, name), entry.mode);
    return entry.mode.toString(8);
  },
  chown: (life, name) => {
    const entry = life.disk[name];
    if (entry?.text === undefined || !isRoot) return "-";
    entry.isForeign = life.random.chance(0.5);
    chownSync(pathOf(life, name), entry.isForeign ? STRANGER : 0, 0);
    return entry.isForeign ? "to another user" : "back";
  },
  rename: (life, name) => {
    const to = life.random.pick(PLACES);
    if (life.disk[name] === undefined || to === name) return "-";
    renameSync(pathOf(life, name), pathOf(life, to));
    life.disk[to] = life.disk[name];
    delete life.disk[name];
    return to;
  },
  link: (life, name) => {
    const to = life.random.pick([...PLACES, OUTSIDE]);
    if (to === name) return "-";
    rmSync(pathOf(life, name), { force: true });
    symlinkSync(pathOf(life, to), pathOf(life, name));
    life.disk[name] = { link: to };
    return to;
  },
  copy: (life, name) => {
    const to = life.random.pick(PLACES);
    const entry = life.disk[name];
    if (entry?.text === undefined || to === name) return "-";
    rmSync(pathOf(life, to), { force: true });
    copyFileSync(pathOf(life, name), pathOf(life, to));
    chmodSync(pathOf(life, to), entry.mode ?? 0);
    life.disk[to] = { ...entry, isForeign: false };
    return to;
  },
  remove: (life, name) => {
    rmSync(pathOf(life, name), { force: true });
    delete life.disk[name];
    return "";
  },
};

const pathOf = ({ hooks, outside }, name) => (name === OUTSIDE ? outside : join(hooks, name));

/** A program with a random text; what was a link before is a file again. */
function edit(life, name) {
  const kind = life.random.pick(["open", "closed"]);
  const mention = life.random.pick(["", "", '"./open"', '"./spare"']);
  const text = `#!/bin/sh
# ${kind} ${life.random.int(4)} ${mention}
[ "$1" = hook ] && exec echo '{"event":"before_tool_call","fail_open":${kind === "open"}}'
:
`;
  const isHook = HOOKS.includes(name) || name === OUTSIDE;
  const mode = life.disk[name]?.mode ?? (isHook ? 0o755 : 0o644);
  rmSync(pathOf(life, name), { force: true });
  writeFileSync(pathOf(life, name), text);
  chmodSync(pathOf(life, name), mode);
  life.disk[name] = { text, mode };
  return `${kind} ${mention}`;
}

/** @returns {Promise<{ decision: string, started: string, standings: string }>} */
async function told(call, below) {
  const list = JSON.parse(await call(["list", "--json"], "", below));
  const run = JSON.parse(await call(["run", "before_tool_call", "--json"], PAYLOAD, below));
  return {
    decision: run.decision,
    started: run.hooks
      .filter(({ exit_code }) => exit_code !== null)
      .map(({ name }) => name)
      .join(" "),
    standings: list.hooks
      .map(({ name, trust }) => `${name} ${trust}`)
      .sort()
      .join(", "),
  };
}

function difference(due, said) {
  const names = due.candidates();
  const standings = names.map((name) => [name, due.standing(name)]);
  const blocking = standings.findIndex(
    ([name, standing]) => standing.endsWith("changed") || (due.required.has(name) && standing !== "trusted"),
  );
  const missed = [...due.required].filter((name) => !names.includes(name));
  const asked = blocking < 0 ? standings : standings.slice(0, blocking);
  const gone = due.gone().map(({ path }) => [path, "changed"]);
  const off = due.switchedOff().map(({ path }) => [path, "trusted"]);
  const listed = [...gone, ...off].map(([name]) => name);
  const stoodIn = missed.filter((name) => !listed.includes(name)).map((name) => [name, "trusted"]);
  const wanted = {
    decision:
      blocking >= 0 || missed.length > 0 || due.gone().some(({ text }) => /closed/.test(text)) ? "block" : "continue",
    started: asked
      .filter(([, standing]) => standing === "trusted")
      .map(([name]) => name)
      .join(" "),
    standings: [...standings, ...gone, ...off, ...stoodIn]
      .map(([name, standing]) => `${name} ${standing.split(",")[0]}`)
      .sort()
      .join(", "),
  };
  const [is, should] = [JSON.stringify(said), JSON.stringify(wanted)];
  return is === should ? null : `is ${is}, should be ${should}`;
}
