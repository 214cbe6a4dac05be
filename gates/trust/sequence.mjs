import { chmodSync, chownSync, copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { model } from "./model.mjs";

/** @import { Random } from "../random.mjs" */
/** @import { Entry } from "./model.mjs" */

const HOOKS = ["open", "shut", "tool.sh"];
const PATHS = [...HOOKS, "lib.sh", "notes.md", "spare", "open.disable"];
const OUTSIDE = "../out";
/** Nobody on the machine has it. */
const STRANGER = 54_321;
const isRoot = process.getuid?.() === 0;
const STEPS = 14;
const PAYLOAD = '{"tool_name":"bash","tool_input":{"command":"ls"}}';

/** Runs hookctl with these arguments in the project, or in a folder below it, and gives its stdout. */
/** @typedef {(argv: readonly string[], stdin: string, below?: string) => Promise<string>} Caller */
/** @typedef {ReturnType<typeof model>} Model */
/** @typedef {{ random: Random, hooks: string, disk: Record<string, Entry>, outside: string }} Life */

/**
 * One random life of a hooks folder, on the disk and in the model. Null: they agreed at each run, else what differed.
 * @param {Random} random
 * @param {string} folder a new one
 * @param {Caller} call
 * @returns {Promise<{ runs: number, fault: string | null }>}
 */
export async function sequence(random, folder, call) {
  const hooks = join(folder, "project", ".kodelet", "hooks");
  mkdirSync(join(hooks, "sub"), { recursive: true, mode: 0o755 });
  mkdirSync(join(folder, "home", ".kodelet"), { recursive: true, mode: 0o755 });
  // A folder further down with a .kodelet of its own, in the same repository: a call from there finds the same guards.
  mkdirSync(join(folder, "project", ".git"), { mode: 0o755 });
  mkdirSync(join(folder, "project", "below", ".kodelet", "hooks"), { recursive: true, mode: 0o755 });
  const disk = /** @type {Record<string, Entry>} */ ({});
  const due = model(disk);
  const settings = join(folder, "home", ".kodelet", "hooks.json");
  const life = { random, hooks, disk, outside: join(folder, "out") };
  for (const name of [...HOOKS, "lib.sh", OUTSIDE]) edit(life, name);
  const done = /** @type {string[]} */ ([]);
  let runs = 0;
  for (let step = 0; step < STEPS; step++) {
    const isLast = step === STEPS - 1;
    const { action, name } = isLast ? { action: /** @type {const} */ ("run"), name: "" } : draw(random);
    done.push(`${action} ${name}`);
    if (action === "run") {
      runs++;
      const differs = difference(due, await reported(call, random.pick(["", "below"])));
      if (differs !== null) return { runs, fault: `${done.join(", ")}: ${differs}` };
    } else if (action === "require" || action === "unrequire") {
      due[action](name);
      const overrides = Object.fromEntries([...due.required].map((one) => [one, { required: true }]));
      writeFileSync(settings, JSON.stringify({ overrides }));
    } else if (isDiskAction(action)) done.push(ON_DISK[action](life, name));
    else {
      due[action](name);
      await call(ON_APPROVALS[action](name), "");
    }
  }
  return { runs, fault: null };
}

/** @param {Random} random */
function draw(random) {
  const action = random.pick(ACTIONS);
  if (action === "require") return { action, name: random.pick(HOOKS) };
  const names = action === "edit" || action === "chmod" ? [...PATHS, "sub/lib.sh"] : PATHS;
  return { action, name: random.pick(names) };
}

/** One that stands here twice is drawn twice as often. */
const ACTIONS = /** @type {const} */ ([
  ...["run", "run", "edit", "chmod", "chown", "require", "unrequire", "rename", "link", "copy", "remove"],
  ...["trustAll", "trustAll", "trust", "trust", "untrust", "deny", "untrustAll"],
]);

/** The command line of each action on the approvals; the model has the same name for it. */
/** @satisfies {Record<string, (name: string) => readonly string[]>} */
const ON_APPROVALS = {
  trustAll: () => ["trust", "--yes"],
  trust: (name) => ["trust", name],
  untrustAll: () => ["untrust", "--yes"],
  untrust: (name) => ["untrust", name],
  deny: (name) => ["untrust", "--deny", name],
};

/** Each makes its change on the disk and in the model, and returns what it drew. */
/** @satisfies {Record<string, (life: Life, name: string) => string>} */
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
    const to = life.random.pick(PATHS);
    if (life.disk[name] === undefined || to === name) return "-";
    renameSync(pathOf(life, name), pathOf(life, to));
    life.disk[to] = life.disk[name];
    delete life.disk[name];
    return to;
  },
  link: (life, name) => {
    const to = life.random.pick([...PATHS, OUTSIDE]);
    if (to === name) return "-";
    rmSync(pathOf(life, name), { force: true });
    symlinkSync(pathOf(life, to), pathOf(life, name));
    life.disk[name] = { link: to };
    return to;
  },
  copy: (life, name) => {
    const to = life.random.pick(PATHS);
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

/** @param {string} action @returns {action is keyof typeof ON_DISK} */
const isDiskAction = (action) => Object.hasOwn(ON_DISK, action);

/** @param {Pick<Life, "hooks" | "outside">} life @param {string} name */
const pathOf = ({ hooks, outside }, name) => (name === OUTSIDE ? outside : join(hooks, name));

/** A program with a random text; what was a link before is a file again. @param {Life} life @param {string} name */
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

/** @typedef {{ decision: string, hooks: readonly { name: string, exit_code: number | null }[] }} RunJson */
/** @typedef {{ hooks: readonly { name: string, trust: string }[] }} ListJson */
/** @typedef {{ decision: string, started: string, statuses: string }} Report */

/** @param {Caller} call @param {string} below @returns {Promise<Report>} */
async function reported(call, below) {
  const list = /** @type {ListJson} */ (JSON.parse(await call(["list", "--json"], "", below)));
  const run = /** @type {RunJson} */ (JSON.parse(await call(["run", "before_tool_call", "--json"], PAYLOAD, below)));
  return {
    decision: run.decision,
    started: run.hooks
      .filter(({ exit_code }) => exit_code !== null)
      .map(({ name }) => name)
      .join(" "),
    statuses: list.hooks
      .map(({ name, trust }) => `${name} ${trust}`)
      .sort()
      .join(", "),
  };
}

/** @param {Model} due @param {Report} given */
function difference(due, given) {
  const names = due.candidates();
  const statuses = names.map((name) => ({ name, status: due.status(name) }));
  const blocking = statuses.findIndex(
    ({ name, status }) => status.endsWith("changed") || (due.required.has(name) && status !== "trusted"),
  );
  const missed = [...due.required].filter((name) => !names.includes(name));
  const asked = blocking < 0 ? statuses : statuses.slice(0, blocking);
  const gone = due.gone().map(({ path }) => ({ name: path, status: "changed" }));
  const listed = gone.map(({ name }) => name);
  const stoodIn = missed.filter((name) => !listed.includes(name)).map((name) => ({ name, status: "trusted" }));
  const wanted = {
    decision:
      blocking >= 0 || missed.length > 0 || due.gone().some(({ text }) => /closed/.test(text)) ? "block" : "continue",
    started: asked
      .filter(({ status }) => status === "trusted")
      .map(({ name }) => name)
      .join(" "),
    statuses: [...statuses, ...gone, ...stoodIn]
      .map(({ name, status }) => `${name} ${status.split(",")[0]}`)
      .sort()
      .join(", "),
  };
  const [is, should] = [JSON.stringify(given), JSON.stringify(wanted)];
  return is === should ? null : `is ${is}, should be ${should}`;
}
