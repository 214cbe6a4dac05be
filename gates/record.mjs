// Many writers, one record: every line whole, none lost that was acknowledged, also when writers are killed.
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { letHooksAge } from "../bench/workspace.mjs";
import { allOf, inParallel } from "./gate.mjs";
import { randomFrom } from "./random.mjs";
import { linesIn } from "./record/lines.mjs";
import { ended, inWorkspace, payloadFor, wordsOf, writeUserHook } from "./scene.mjs";

/** @import { Workspace } from "../bench/workspace.mjs" */
/** @import { GateContext, Outcome } from "./gate.mjs" */

/** At once; a small gate is content with a small crowd. @param {number} scale */
const processes = (scale) => Math.min(50, Math.max(10, Math.round(500 * scale)));
const LINES_EACH = 200;
/** More than any gate writes: nothing is removed. */
const UNLIMITED = 1e12;
const ENDLESS = 20_000;
/** Of one line that a writer makes, a little more than the mean. */
const LINE_BYTES = 1_100;
/** Fewer would fit into one file. */
const LEAST_LINES = 20;
const HOOK = `#!/bin/sh
if [ "$1" = hook ]; then echo before_tool_call; fi
`;
const writer = fileURLToPath(new URL("record/writer.mjs", import.meta.url));
const appendModule = new URL("../dist/src/audit/append.js", import.meta.url).href;

/** @param {GateContext} context @returns {Promise<Outcome>} */
export async function record(context) {
  return inWorkspace(async (workspace) => {
    const parts = [
      await byRuns(context, workspace, "runs", 0),
      await byRuns(context, workspace, "killed runs", 0.3),
      await byWriters(context, workspace, { name: "lines", killShare: 0, isRotating: false }),
      await byWriters(context, workspace, { name: "killed writers", killShare: 0.8, isRotating: false }),
      await byWriters(context, workspace, { name: "rotation", killShare: 0, isRotating: true }),
    ];
    return allOf(parts, `${processes(context.scale)} processes`);
  });
}

/** Whole runs of the command, 50 loops at once. A killed run may or may not have left its line. */
/** @param {GateContext} context @param {Workspace} workspace @param {string} name @param {number} killShare @returns {Promise<Outcome>} */
async function byRuns({ bin, scale, seed }, workspace, name, killShare) {
  const scene = workspace.scene();
  writeUserHook(scene, "says-nothing", HOOK);
  await letHooksAge();
  const random = randomFrom(seed, name);
  const each = Math.max(1, Math.round(LINES_EACH * scale * (killShare > 0 ? 0.1 : 1)));
  const tally = { done: 0, killed: 0, failed: 0 };
  const call = { ...wordsOf(bin, ["run", "before_tool_call", "-q"]), cwd: scene.project };
  let lastMs = 1_000;
  const once = async () => {
    const killAfterMs = random.chance(killShare) ? random.int(lastMs * 1.2) : null;
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const started = (/** @type {() => void} */ kill) => {
      if (killAfterMs !== null) timer = setTimeout(kill, killAfterMs);
    };
    const { code, signal, wallMs } = await ended({
      ...call,
      env: scene.env,
      input: payloadFor(scene.project),
      started,
    });
    if (signal === null) lastMs = wallMs;
    clearTimeout(timer);
    tally[signal === "SIGKILL" ? "killed" : code === 0 ? "done" : "failed"]++;
  };
  const crowd = processes(scale);
  await inParallel(crowd, crowd, async () => {
    for (let index = 0; index < each; index++) await once();
  });
  const { counts, whole, broken } = linesIn(join(scene.home, ".local", "state", "hookctl"), ({ run_id }) =>
    String(run_id),
  );
  const lost = Math.max(0, tally.done - whole);
  const isMet =
    tally.failed + lost === 0 &&
    broken.length <= tally.killed &&
    counts.size === whole &&
    whole <= tally.done + tally.killed;
  const killed = killShare > 0 ? `, ${tally.killed} killed` : "";
  return {
    isMet,
    notes: [],
    figures: `${name}: ${tally.done} done${killed}, ${tally.failed} failed: ${whole} whole lines, ${broken.length} cut, ${lost} lost`,
  };
}

/** @typedef {{ name: string, killShare: number, isRotating: boolean }} Writing */

/** Writers that say what was stored. */
/** @param {GateContext} context @param {Workspace} workspace @param {Writing} writing @returns {Promise<Outcome>} */
async function byWriters({ scale, seed }, workspace, { name, killShare, isRotating }) {
  const random = randomFrom(seed, name);
  const folder = join(workspace.root, name.replaceAll(" ", "-"));
  mkdirSync(folder);
  const file = join(folder, "audit.jsonl");
  const count = Math.max(isRotating ? LEAST_LINES : 1, Math.round(LINES_EACH * scale));
  const rounds = killShare > 0 ? Math.max(1, Math.round(4 * Math.min(1, scale * 10))) : 1;
  const tally = { failed: 0 };
  const killed = /** @type {Set<string>} */ (new Set());
  const acknowledged = /** @type {string[]} */ ([]);
  const crowd = processes(scale);
  // An eighth of the limit is one file, so the log is rotated about four times and nothing of it is removed.
  const sizeBytes = isRotating ? 2 * crowd * count * LINE_BYTES : UNLIMITED;
  await inParallel(crowd * rounds, crowd, async (index) => {
    const writerName = `w${index}`;
    const lastLine = random.chance(killShare) ? random.int(count) : null;
    // A victim writes on until it is killed; what it has said by then counts.
    const lines = lastLine === null ? count : ENDLESS;
    const args = [writer, appendModule, file, writerName, String(lines), String(seed), String(sizeBytes)];
    let seen = 0;
    const heard = (/** @type {string} */ text, /** @type {() => void} */ kill) => {
      seen += text.split("\n").length - 1;
      // By then it is some lines further: the kill meets it anywhere.
      if (lastLine !== null && seen >= lastLine) kill();
    };
    const env = { PATH: process.env.PATH };
    const { stdout, signal } = await ended({ file: process.execPath, args, cwd: folder, env, heard });
    if (signal === "SIGKILL") killed.add(writerName);
    const said = stdout.split("\n").filter((line) => line !== "");
    tally.failed += said.filter((line) => line.startsWith("failed")).length;
    // The last word of a killed writer may itself be cut.
    const sure = stdout.endsWith("\n") ? said : said.slice(0, -1);
    acknowledged.push(...sure.filter((line) => !line.startsWith("failed")).map((line) => `${writerName}:${line}`));
  });
  const { counts, whole, broken } = linesIn(folder, (line) => {
    if (String(line.pad).length !== line.length) throw new Error("cut");
    return `${line.name}:${line.index}`;
  });
  const lost = acknowledged.filter((id) => counts.get(id) !== 1).length;
  const files = readdirSync(folder).length;
  return {
    isMet: tally.failed + lost === 0 && areFragmentsOf(killed, broken) && files > (isRotating ? 1 : 0),
    notes: [],
    figures: `${name}, ${files} files: ${acknowledged.length} acknowledged${killShare > 0 ? `, ${killed.size} killed` : ""}, ${tally.failed} refused: ${whole} whole lines, ${broken.length} cut, ${lost} lost`,
  };
}

/**
 * A KILL can stop the system's copying between two pages, and half a line stays: one for each writer that was killed,
 * and what begins with it is no line of anybody else.
 * @param {ReadonlySet<string>} killed
 * @param {readonly string[]} broken
 */
function areFragmentsOf(killed, broken) {
  const names = broken.flatMap((line) => /^\{"name":"(\w+)"/.exec(line)?.[1] ?? []);
  return (
    broken.length <= killed.size && names.every((name) => killed.has(name)) && new Set(names).size === names.length
  );
}
