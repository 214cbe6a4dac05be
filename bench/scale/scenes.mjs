// What a scale writes before it is measured, and what its calls must have left.
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeHooks, writeProgram } from "../workspace.mjs";

/** @import { Scene } from "../workspace.mjs" */

const MIB = 1024 ** 2;
const FOLDER = { recursive: true, mode: 0o755 };

const COUNTER = `#!/bin/sh
case $1 in
hook) echo before_tool_call ;;
run) cat >/dev/null; echo '{"state":{"increment":{"calls":1}}}' ;;
esac
`;

/** A hook that adds 1 to a value of its session. @param {Scene} scene */
export function writeCounter({ userHooks }) {
  writeProgram(userHooks, "counter", COUNTER);
}

/** @param {string} folder */
export function removeCounter(folder) {
  rmSync(join(folder, "counter"));
}

/** Hooks that share one module. @param {Scene} scene @param {number} n */
export function writePythonHooks({ projectHooks }, n) {
  writeProgram(projectHooks, "common.py", "EVENT = 'before_tool_call'\n");
  for (let index = 0; index < n; index++) writeProgram(projectHooks, `h${index}.py`, PYTHON);
}

/** One hook with so many modules, of which each imports the next. @param {Scene} scene @param {number} n */
export function writeModules({ projectHooks }, n) {
  writeProgram(projectHooks, "guard", PYTHON.replace("common", "m0"));
  for (let index = 0; index < n; index++) writeFileSync(join(projectHooks, `m${index}.py`), `import m${index + 1}\n`);
}

const PYTHON = `#!/usr/bin/env python3
import json, sys
import common
`;

/** @param {Scene} scene @param {number} n */
export function writeOtherProject({ home }, n) {
  writeHooks(join(otherProject(home), ".kodelet", "hooks"), n);
}

/** @param {string} home */
export const otherProject = (home) => join(home, "other");

/** @param {Scene} scene @param {number} n */
export function writeSession(scene, n) {
  const folder = join(stateFolder(scene), "sessions", "s-1");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const values = Object.fromEntries(Array.from({ length: n }, (_, index) => [`v${index}`, index]));
  const messages = Array.from({ length: n }, (_, index) => ({
    hook: `h${index % 9}`,
    text: `message ${index}`,
    wake: false,
  }));
  writeFileSync(join(folder, "state"), JSON.stringify(values), { mode: 0o600 });
  writeFileSync(join(folder, "inbox"), JSON.stringify({ messages }), { mode: 0o600 });
  writeProgram(scene.userHooks, "counter", COUNTER);
}

/** A hook that answers with so many bytes. @param {Scene} scene @param {number} bytes */
export function writePrinter({ userHooks }, bytes) {
  const answer = JSON.stringify({ context: "some words of a hook, line by line\n".repeat(bytes / 35) });
  mkdirSync(userHooks, FOLDER);
  writeFileSync(join(userHooks, "..", "answer.json"), answer);
  writeProgram(
    userHooks,
    "printer",
    `#!/bin/sh\ncase $1 in\nhook) echo before_tool_call ;;\nrun) cat >/dev/null; cat "${join(userHooks, "..", "answer.json")}" ;;\nesac\n`,
  );
}

/** @param {Scene} scene @param {number} n */
export function writeCases({ home, userHooks }, n) {
  writeProgram(userHooks, "counter", COUNTER);
  const cases = Array.from({ length: n }, (_, index) => ({
    ...{ name: `case ${index}`, event: "before_tool_call", payload: { tool_input: { command: `ls ${index}` } } },
    expect: { decision: "continue" },
  }));
  mkdirSync(join(home, ".kodelet", "tests"), FOLDER);
  writeFileSync(join(home, ".kodelet", "tests", "counter.json"), JSON.stringify({ hook: "counter", cases }));
}

/** Each call must have added 1. @param {Scene} scene @param {number} calls */
export function countedFault(scene, calls) {
  const sessions = join(stateFolder(scene), "sessions");
  const counted = readdirSync(sessions).map(
    (name) => JSON.parse(readFileSync(join(sessions, name, "state"), "utf8")).calls,
  );
  return counted.length === 1 && counted[0] === calls ? null : `${calls} calls, but counted ${counted.join(", ")}`;
}

/** The record must say of each call that each hook let it pass. @param {Scene} scene @param {number} calls */
export function hookRunsFault(scene, calls) {
  const folder = stateFolder(scene);
  const files = readdirSync(folder).filter((name) => name.startsWith("audit.") && name.endsWith(".jsonl"));
  const lines = files.flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n")).filter(Boolean);
  const runs = lines.map(runIn);
  const torn = runs.filter((run) => run === null).length;
  if (torn > 0) return `${torn} of ${lines.length} lines of the record are not JSON`;
  const hooks = readdirSync(scene.userHooks).length;
  const isWhole = (/** @type {{ outcome: string }[] | undefined} */ all = []) =>
    all.length === hooks && all.every(({ outcome }) => outcome === "continue");
  const whole = runs.filter((run) => isWhole(run?.hooks)).length;
  return whole === calls ? null : `of ${calls} calls ${whole} ran ${hooks} hooks`;
}

/** @param {string} line @returns {{ hooks: { outcome: string }[] } | null} */
function runIn(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** @param {string} folder */
export function switchOff(folder) {
  for (const name of readdirSync(folder)) renameSync(join(folder, name), join(folder, `${name}.disable`));
}

/** @param {Scene} scene @param {number} n */
export function writeEntries({ home }, n) {
  const hooks = Array.from({ length: n }, (_, index) => ({
    on: "before_tool_call",
    name: `e${index}`,
    block: "no",
    match: { tool_name: `t${index}` },
  }));
  mkdirSync(join(home, ".kodelet"), FOLDER);
  writeFileSync(join(home, ".kodelet", "hooks.json"), JSON.stringify({ version: 1, hooks }));
}

/** @param {Scene} scene @param {number} n @param {string} word of each command */
export function writeProjectEntries({ project }, n, word) {
  const hooks = Array.from({ length: n }, (_, index) => ({
    on: "before_tool_call",
    name: `e${index}`,
    command: `echo ${word} ${index}`,
  }));
  mkdirSync(join(project, ".kodelet"), FOLDER);
  writeFileSync(join(project, ".kodelet", "hooks.json"), JSON.stringify({ version: 1, hooks }));
}

/** @param {Scene} scene */
export function changeProjectEntries(scene) {
  const { hooks } = JSON.parse(readFileSync(join(scene.project, ".kodelet", "hooks.json"), "utf8"));
  writeProjectEntries(scene, hooks.length, "changed");
}

/** @param {Scene} scene @param {number} n */
export function writeSessions(scene, n) {
  for (let index = 0; index < n; index++) {
    const folder = join(stateFolder(scene), "sessions", `s-${index}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, "state"), '{"calls":1}', { mode: 0o600 });
  }
}

/** A rotated file holds 16 MiB. */
const ROTATED_BYTES = 16 * MIB;

/**
 * Rotated files of two days ago that share one content on the disk, and a current one of this minute.
 * @param {Scene} scene
 * @param {number} bytes
 */
export function writeLog(scene, bytes) {
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
