// A day of calls, compressed: sessions of an agent with edits of hooks and settings and approvals between the calls. What the
// server takes stays as it is after the first tenth.
import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { casesAt, inParallel } from "../gate.mjs";
import { randomFrom } from "../random.mjs";
import { ended, inWorkspace, wordsOf, writeUserHook } from "../scene.mjs";
import {
  callLine,
  claudeCall,
  endAllOf,
  isDenied,
  RESIDENT,
  registeredLines,
  serversOf,
  startedServer,
  takenBy,
} from "./servers.mjs";

/** @import { Scene } from "../../bench/workspace.mjs" */
/** @import { GateContext, Outcome } from "../gate.mjs" */
/** @import { Random } from "../random.mjs" */

const CALLS = 20_000;
const AT_ONCE = 4;
const CROWD = 200;
const CALLS_OF_EDIT = 40;
const MOST_KIB = 100 * 1024;
/** Of the server's memory at a tenth of the calls, in percent: what is remembered is bounded, and full by then. */
const MOST_GROWTH = 115;
const MOST_MORE_DESCRIPTORS = 2;
const GUARDS = { git: {}, filesystem: {}, secrets: {}, "self-protection": {} };
const BLOCKED = "git reset --hard HEAD~3";
const COMMANDS = [
  "ls -la src",
  "git status",
  "npm test 2>&1 | tail",
  "rg -n 'a b' src",
  "cat a.ts",
  "python3 - <<'E'\nprint(1)\nE",
  BLOCKED,
];
const EVENTS = ["PreToolUse", "PreToolUse", "PreToolUse", "PostToolUse", "PostToolUse", "SessionStart"];

/** @param {GateContext} context @returns {Promise<Outcome>} */
export function traffic({ bin, scale, seed }) {
  return inWorkspace(async (workspace) => {
    const scene = workspace.scene({ config: { ...RESIDENT, guards: GUARDS } });
    const lineOf = registeredLines(bin, scene);
    writeHook(scene, 0);
    const random = randomFrom(seed, "traffic");
    await startedServer(lineOf("PreToolUse"), scene);
    // Where a machine is slow a second server may take the place of the first.
    const taken = () => takenBy(serversOf(scene)[0] ?? 0);
    const total = casesAt(CALLS, scale, 200);
    const notes = /** @type {Set<string>} */ (new Set());
    let before = taken();
    await inParallel(total, AT_ONCE, async (index) => {
      if (index === Math.round(total / 10)) before = taken();
      if (index % CALLS_OF_EDIT === 0) await edit(index / CALLS_OF_EDIT, scene, bin);
      const { event, input, isBlocked } = drawnCall(random, index, scene);
      const { stdout, code } = await callLine(lineOf(event), scene, input);
      if (code !== 0 || isHeld(stdout) !== isBlocked)
        notes.add(`call ${index}, ${event}: code ${code}, ${stdout}`.slice(0, 300));
    });
    const crowd = await Promise.all(
      Array.from({ length: CROWD }, (_, index) =>
        callLine(
          lineOf("PreToolUse"),
          scene,
          claudeCall(scene.project, `c${index}`, { tool_input: { command: BLOCKED } }),
        ),
      ),
    );
    const passed = crowd.filter(({ stdout, code }) => code !== 0 || !isHeld(stdout)).length;
    if (passed > 0) notes.add(`${passed} of ${CROWD} calls at once were not blocked`);
    const after = taken();
    if (after.kib === 0) notes.add("no server runs");
    if (after.kib > MOST_KIB) notes.add(`the server takes ${mebibytes(after.kib)} MiB`);
    if (100 * after.kib > MOST_GROWTH * before.kib)
      notes.add(`the server grew from ${mebibytes(before.kib)} to ${mebibytes(after.kib)} MiB`);
    if (after.descriptors > before.descriptors + MOST_MORE_DESCRIPTORS + AT_ONCE)
      notes.add(`the server has ${after.descriptors} descriptors, before ${before.descriptors}`);
    await endAllOf(scene);
    const memory = `memory ${mebibytes(before.kib)} then ${mebibytes(after.kib)} MiB, at most ${mebibytes(after.mostKib)}`;
    const figures = `${total} calls of a day, ${CROWD} at once: ${memory}, descriptors ${before.descriptors} then ${after.descriptors}`;
    return { isMet: notes.size === 0, figures, notes: [...notes] };
  });
}

/** Blocked, or after several tries asked. @param {string} text */
const isHeld = (text) => isDenied(text) || text.includes('"ask"');

/** @param {number} kib */
const mebibytes = (kib) => Math.round(kib / 1024);

/** @param {Random} random @param {number} index @param {Scene} scene */
function drawnCall(random, index, { project }) {
  const event = random.pick(EVENTS);
  const command = `${random.pick(COMMANDS)}${random.chance(0.5) ? ` # ${index}` : ""}`;
  const isWrite = random.chance(0.2);
  const content = `const x = ${index};\n`.repeat(random.pick([3, 300, index % 200 === 0 ? 60_000 : 30]));
  const tool = isWrite
    ? { tool_name: "Write", tool_input: { file_path: join(project, `a${index % 50}.ts`), content } }
    : { tool_name: "Bash", tool_input: { command } };
  const more = {
    hook_event_name: event,
    ...tool,
    prompt: "and now?",
    tool_response: { stdout: "x".repeat(random.int(3_000)) },
  };
  const isBlocked = event === "PreToolUse" && !isWrite && command.startsWith(BLOCKED);
  return { event, isBlocked, input: claudeCall(project, `d${index >> 6}`, { ...more, tool_use_id: `t${index}` }) };
}

/** Edits that leave the answers as they are. @param {number} turn @param {Scene} scene @param {readonly string[]} bin */
async function edit(turn, scene, bin) {
  const settings = { ...RESIDENT, guards: GUARDS, commands: { block: [`never-${turn}`] } };
  if (turn % 4 === 0) writeHook(scene, turn);
  if (turn % 4 === 1) {
    // Calls that run meanwhile would read a file that is being written, and block.
    const file = join(scene.home, ".kodelet", "hooks.json");
    writeFileSync(`${file}.new`, JSON.stringify(settings));
    renameSync(`${file}.new`, file);
  }
  if (turn % 8 === 2) {
    mkdirSync(scene.projectHooks, { recursive: true });
    const own = join(scene.projectHooks, "own");
    writeFileSync(own, `#!/bin/sh\n[ "$1" = hook ] && echo after_tool_call\n: ${turn}\n`);
    chmodSync(own, 0o755);
    const { file, args } = wordsOf(bin, ["trust", "--all", "--yes"]);
    await ended({ file, args, cwd: scene.project, env: scene.env });
  }
}

/** @param {Scene} scene @param {number} turn */
const writeHook = (scene, turn) =>
  writeUserHook(
    scene,
    "shell",
    `#!/bin/sh\n[ "$1" = hook ] && { echo '{"event":"before_tool_call","reads":"env"}'; exit; }\n: ${turn}\n`,
  );
