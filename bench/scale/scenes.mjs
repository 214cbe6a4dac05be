// What a scale writes before it is measured, and what its calls must have left.
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stateFolder, times, writeProgram } from "../workspace.mjs";

/** @import { Scene } from "../workspace.mjs" */

const PRIVATE = { recursive: true, mode: 0o700 };
const SECRET = { mode: 0o600 };
/** A rotated file of the log holds 16 MiB. */
const ROTATED_BYTES = 16 * 1024 ** 2;
const DAY_MS = 86_400_000;
const PYTHON = `#!/usr/bin/env python3
import json, sys
import common
`;

/** A shell hook of one event that answers with what a command prints. @param {string} command */
const answering = (command) => `#!/bin/sh
case $1 in
hook) echo before_tool_call ;;
run) cat >/dev/null; ${command} ;;
esac
`;

/** A hook that adds 1 to a value of its session. @param {Scene} scene */
export function writeCounter({ userHooks }) {
  writeProgram(userHooks, "counter", answering(`echo '{"state":{"increment":{"calls":1}}}'`));
}

/** @param {Scene} scene */
export const removeCounter = ({ userHooks }) => rmSync(join(userHooks, "counter"));

/** A hook that answers with so many bytes. @param {Scene} scene @param {number} bytes */
export function writePrinter({ home, userHooks }, bytes) {
  const file = join(home, "answer.json");
  writeFileSync(file, JSON.stringify({ context: "some words of a hook, line by line\n".repeat(bytes / 35) }));
  writeProgram(userHooks, "printer", answering(`cat "${file}"`));
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

/** @param {Scene} scene */
export function otherProject({ home }) {
  const folder = join(home, "other");
  return { folder, hooks: join(folder, ".kodelet", "hooks") };
}

/** All hooks of the user and of the project. @param {Scene} scene */
export function disableHooks({ userHooks, projectHooks }) {
  for (const folder of [userHooks, projectHooks].filter((path) => existsSync(path)))
    for (const name of readdirSync(folder)) renameSync(join(folder, name), join(folder, `${name}.disable`));
}

/** Writes one file of a session's state. @param {Scene} scene @param {string} id @param {string} file @param {object} content */
function writeState(scene, id, file, content) {
  const folder = join(stateFolder(scene), "sessions", id);
  mkdirSync(folder, PRIVATE);
  writeFileSync(join(folder, file), JSON.stringify(content), SECRET);
}

/** @param {Scene} scene @param {number} n */
export function writeSessions(scene, n) {
  for (let index = 0; index < n; index++) writeState(scene, `s-${index}`, "state", { calls: 1 });
}

/** One session with so many values and messages. @param {Scene} scene @param {number} n */
export function writeSession(scene, n) {
  const messages = times(n, (index) => ({ hook: `h${index % 9}`, text: `message ${index}`, wake: false }));
  writeState(scene, "s-1", "state", Object.fromEntries(times(n, (index) => [`v${index}`, index])));
  writeState(scene, "s-1", "inbox", { messages });
  writeCounter(scene);
}

/** Each call must have added 1. @param {Scene} scene @param {number} calls */
export function countedFault(scene, calls) {
  const sessions = join(stateFolder(scene), "sessions");
  const states = readdirSync(sessions).map((name) => JSON.parse(readFileSync(join(sessions, name, "state"), "utf8")));
  const counted = states.map((state) => state.calls);
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

/**
 * Rotated files of two days ago that share one content on the disk, and a current one of this minute. What fills no rotated
 * file is in the current one.
 * @param {Scene} scene
 * @param {number} bytes
 */
export function writeLog(scene, bytes) {
  const folder = stateFolder(scene);
  const oldest = Date.now() - 2 * DAY_MS;
  const isRotated = bytes >= ROTATED_BYTES;
  const rotated = (/** @type {number} */ index) => {
    const time = new Date(oldest + index * 1000).toISOString().replaceAll(":", "-");
    return join(folder, `audit.${time}.4711.jsonl`);
  };
  mkdirSync(folder, PRIVATE);
  if (isRotated) writeFileSync(rotated(0), linesOf(oldest - 60_000, ROTATED_BYTES), SECRET);
  for (let index = 1; index < bytes / ROTATED_BYTES; index++) linkSync(rotated(0), rotated(index));
  writeFileSync(join(folder, "audit.jsonl"), linesOf(Date.now() - 1000, isRotated ? 64 * 1024 : bytes), SECRET);
}

/** @param {number} atMs @param {number} bytes */
function linesOf(atMs, bytes) {
  const lines = [];
  for (let length = 0; length < bytes; length += (lines.at(-1)?.length ?? 0) + 1)
    lines.push(lineOf(new Date(atMs).toISOString(), lines.length));
  return `${lines.join("\n")}\n`;
}

/** @param {string} time @param {number} index */
function lineOf(time, index) {
  const hook = { name: `h${index % 7}`, source: "user", path: "/home/h", outcome: "allow", duration_ms: 3, exit: 0 };
  return JSON.stringify({
    schema: "hookctl.record/1",
    time,
    run_id: `01K9Z${String(index).padStart(21, "0")}`,
    event: "before_tool_call",
    session: `s-${index % 50}`,
    project: "/home/project",
    tool: "bash",
    call: `npm test -- part-${index}`,
    decision: "allow",
    duration_ms: 4,
    hooks: [{ ...hook, trust: "trusted" }],
  });
}
