// What may grow: hooks in the folders, sessions in the state folder, the audit log, and calls at once.
import { linkSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeHooks, writeProgram } from "../workspace.mjs";

/** @import { Command, Commands } from "../command.mjs" */
/** @import { Scene } from "../workspace.mjs" */

/**
 * @typedef {object} Case
 * @property {string} what
 * @property {(scene: Scene, start: (words: readonly string[]) => void) => void} [prepare] `start` calls hookctl once
 * @property {readonly string[]} words
 * @property {boolean} [isCrowd] so many calls at once, not one
 * @property {number} [mostRounds]
 */

/**
 * @typedef {object} Scale
 * @property {string} title
 * @property {readonly [number, number, number]} sizes n, 2n and 4n
 * @property {(scene: Scene, n: number) => void} prepare
 * @property {readonly Case[]} cases
 */

const [MIB, GIB] = [1024 ** 2, 1024 ** 3];
const FOLDER = { recursive: true, mode: 0o755 };
const crowd = fileURLToPath(new URL("crowd.mjs", import.meta.url));

/** @param {Commands} commands @param {Scene} scene @param {Case} one @param {number} n @returns {Command} */
export function commandOf(commands, scene, { words, isCrowd = false }, n) {
  const { argv, ...rest } = commands.hookctl(scene, words);
  return { ...rest, argv: isCrowd ? [process.execPath, crowd, String(n), ...argv] : argv };
}

const LIST = ["list", "--event", "turn_end"];
const OTHER_EVENT = ["run", "session_start"];
const TAB = ["completion", "zsh", "--", "hookctl"];

/** @type {Readonly<Record<string, Scale>>} */
export const SCALES = {
  S1: {
    title: "hooks of the user",
    sizes: [250, 500, 1000],
    prepare: ({ userHooks }, n) => void writeHooks(userHooks, n),
    cases: [
      { what: "first `list`: every hook is started", words: ["list", "--no-cache"], mostRounds: 2 },
      { what: "`list`", words: LIST },
      { what: "`run` of an event that none handles", words: OTHER_EVENT },
      { what: "`run` that starts each", words: ["run", "before_tool_call"], mostRounds: 2 },
      { what: "`status`", words: ["status"] },
      { what: "Tab after `hookctl edit`", words: [...TAB, "edit", ""] },
    ],
  },
  S2: {
    title: "hooks of a project",
    sizes: [250, 500, 1000],
    prepare: ({ projectHooks }, n) => void writeHooks(projectHooks, n),
    cases: [
      { what: "`trust --show`, none approved", words: ["trust", "--show"], mostRounds: 3 },
      { what: "`run`, all approved", prepare: (_scene, start) => start(["trust", "--yes"]), words: OTHER_EVENT },
      {
        what: "`list`, all approved and gone",
        prepare: ({ projectHooks }, start) => {
          start(["trust", "--yes"]);
          switchOff(projectHooks);
        },
        words: LIST,
      },
    ],
  },
  S3: {
    title: "hooks of the user, switched off by name",
    sizes: [250, 500, 1000],
    prepare: ({ userHooks }, n) => void writeHooks(userHooks, n),
    cases: [
      {
        what: "`run`",
        prepare: ({ userHooks }, start) => {
          start(["list"]);
          switchOff(userHooks);
        },
        words: OTHER_EVENT,
      },
    ],
  },
  S4: {
    title: "entries of a settings file",
    sizes: [250, 500, 1000],
    prepare: writeEntries,
    cases: [{ what: "`run` of an event that none handles", words: OTHER_EVENT }],
  },
  S5: {
    title: "sessions in the state folder",
    sizes: [2500, 5000, 10_000],
    prepare: writeSessions,
    cases: [
      {
        what: "`run` of a hook that keeps a value",
        prepare: ({ userHooks }) => writeProgram(userHooks, "counter", COUNTER),
        words: ["run", "before_tool_call"],
      },
      { what: "`state incr`", words: ["state", "incr", "calls", "--session", "s-1"] },
      { what: "`inbox`", words: ["inbox", "--session", "s-1"] },
    ],
  },
  S6: {
    title: "bytes of the audit log, the newest runs wanted",
    sizes: [2.5 * GIB, 5 * GIB, 10 * GIB],
    prepare: writeLog,
    cases: [
      {
        what: "`run`, which appends",
        words: ["run", "before_tool_call"],
        prepare: ({ userHooks }) => void writeHooks(userHooks, 1),
      },
      { what: "`log -n 5`", words: ["log", "-n", "5"] },
      { what: "`log --since 1h`", words: ["log", "--since", "1h"] },
      { what: "`why`", words: ["why"] },
      { what: "`status`", words: ["status"] },
      { what: "Tab after `hookctl why`", words: [...TAB, "why", ""] },
    ],
  },
  S7: {
    title: "bytes of the audit log, all of it read",
    sizes: [32 * MIB, 64 * MIB, 128 * MIB],
    prepare: writeLog,
    cases: [
      { what: "`stats`", words: ["stats"], mostRounds: 3 },
      { what: "`log --grep`, nothing found", words: ["log", "--grep", "no such text"], mostRounds: 3 },
      { what: "`report`", words: ["report", "--output", "-"], mostRounds: 3 },
    ],
  },
  S8: {
    title: "calls of an agent at once",
    sizes: [50, 100, 200],
    prepare: () => undefined,
    cases: [
      { what: "`bridge` without hooks", words: ["bridge", "claude"], isCrowd: true, mostRounds: 3 },
      {
        what: "`bridge`, all of one session whose hook keeps a value",
        prepare: ({ userHooks }) => writeProgram(userHooks, "counter", COUNTER),
        ...{ words: ["bridge", "claude"], isCrowd: true, mostRounds: 3 },
      },
      {
        what: "`bridge` with 20 hooks that nobody asked before",
        prepare: ({ userHooks }) => void writeHooks(userHooks, 20),
        ...{ words: ["bridge", "claude", "--no-cache"], isCrowd: true, mostRounds: 1 },
      },
    ],
  },
};

const COUNTER = `#!/bin/sh
case $1 in
hook) echo before_tool_call ;;
run) cat >/dev/null; echo '{"state":{"increment":{"calls":1}}}' ;;
esac
`;

/** @param {string} folder */
function switchOff(folder) {
  for (const name of readdirSync(folder)) renameSync(join(folder, name), join(folder, `${name}.disable`));
}

/** @param {Scene} scene @param {number} n */
function writeEntries({ home }, n) {
  const hooks = Array.from({ length: n }, (_, index) => ({
    on: "before_tool_call",
    name: `e${index}`,
    block: "no",
    match: { tool_name: `t${index}` },
  }));
  mkdirSync(join(home, ".kodelet"), FOLDER);
  writeFileSync(join(home, ".kodelet", "hooks.json"), JSON.stringify({ version: 1, hooks }));
}

/** @param {Scene} scene @param {number} n */
function writeSessions(scene, n) {
  for (let index = 0; index < n; index++) {
    const folder = join(stateFolder(scene), "sessions", `s-${index}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, "state"), '{"calls":1}', { mode: 0o600 });
  }
}

/** A rotated file holds 16 MiB. */
const ROTATED_BYTES = 16 * MIB;

/** Rotated files of two days ago that share one content on the disk, and a current one of this minute. */
/** @param {Scene} scene @param {number} bytes */
function writeLog(scene, bytes) {
  const folder = stateFolder(scene);
  const oldest = Date.now() - 2 * 86_400_000;
  const first = join(folder, rotatedName(oldest));
  writeFileSync(first, linesOf(oldest - 60_000, ROTATED_BYTES), { mode: 0o600 });
  for (let index = 1; index < bytes / ROTATED_BYTES; index++)
    linkSync(first, join(folder, rotatedName(oldest + index * 1000)));
  writeFileSync(join(folder, "audit.jsonl"), linesOf(Date.now() - 1000, 64 * 1024), { mode: 0o600 });
}

const rotatedName = (/** @type {number} */ atMs) =>
  `audit.${new Date(atMs).toISOString().replaceAll(":", "-")}.4711.jsonl`;

/** @param {number} atMs @param {number} bytes */
function linesOf(atMs, bytes) {
  const lines = [];
  for (let length = 0; length < bytes; length += (lines.at(-1)?.length ?? 0) + 1)
    lines.push(lineOf(atMs, lines.length));
  return `${lines.join("\n")}\n`;
}

/** @param {number} atMs @param {number} index */
function lineOf(atMs, index) {
  const hook = {
    name: `h${index % 7}`,
    source: "user",
    path: "/home/h",
    outcome: "allow",
    duration_ms: 3,
    exit: 0,
    trust: "trusted",
  };
  const run = {
    time: new Date(atMs).toISOString(),
    run_id: `01K9Z${String(index).padStart(21, "0")}`,
    event: "before_tool_call",
  };
  const call = {
    session: `s-${index % 50}`,
    project: "/home/project",
    tool: "bash",
    call: `npm test -- part-${index}`,
  };
  return JSON.stringify({
    schema: "hookctl.record/1",
    ...run,
    ...call,
    decision: "allow",
    duration_ms: 4,
    hooks: [hook],
  });
}

/** @param {Scene} scene */
function stateFolder({ env }) {
  const folder = join(env.XDG_STATE_HOME ?? "", "hookctl");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
