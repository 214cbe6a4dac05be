// Sessions: broken files are set aside and never stop anybody, and no change is lost, also where processes are killed.
import { isUtf8 } from "node:buffer";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { damaged, printed } from "./damage.mjs";
import { entry } from "./entry.mjs";
import { allOf, casesAt, inParallel, judgeAll, number } from "./gate.mjs";
import { jsonIn } from "./json.mjs";
import { randomFrom } from "./random.mjs";
import { ended, inWorkspace } from "./scene.mjs";
import { FILES } from "./sessions/files.mjs";

/** @import { GateContext, Outcome } from "./gate.mjs" */
/** @import { Workspace } from "../bench/workspace.mjs" */

/** Of each kind. */
const MUTATED = 100_000;
const WRITERS = 100;
const CHANGES_EACH = 100;
const VICTIMS = 300;
const SHOWN = 3;
const writer = fileURLToPath(new URL("sessions/writer.mjs", import.meta.url));
const dist = new URL("../dist/", import.meta.url).href;

/** @param {GateContext} context @returns {Promise<Outcome>} */
export async function sessions(context) {
  return inWorkspace(async (workspace) => {
    const first = await mutated(context, workspace);
    const crowds = [await changed(context, workspace, 0), await changed(context, workspace, VICTIMS)];
    const { isMet, notes } = allOf(crowds, "");
    return { isMet: isMet && first.isMet, figures: first.figures, notes: [...notes, ...first.notes] };
  });
}

/** Each file is used as a run uses it; it counts as it is, or lies beside it byte for byte. */
/** @param {GateContext} context @param {Workspace} workspace @returns {Promise<Outcome>} */
async function mutated({ built, scale, seed }, workspace) {
  const { changeState } = await built("src/session/state.js");
  const { deliverToSession } = await built("src/session/turn-limit.js");
  const patch = { set: new Map(), remove: [], increment: new Map([["n", "1"]]) };
  const push = { followUps: [], pushes: [{ hook: "h", text: "t", wake: true }], ended: null };
  const use = (/** @type {string} */ name, /** @type {string} */ folder) =>
    name === "state" ? changeState(folder, patch) : deliverToSession(folder, push, { turns: 5 });
  const random = randomFrom(seed, "sessions");
  const names = Object.keys(FILES);
  const each = casesAt(MUTATED, scale);
  const total = each * names.length;
  const count = { aside: 0 };
  const folder = join(workspace.root, "mutated");
  const { faults, samples } = await judgeAll(total, async (index) => {
    const name = entry(names, index % names.length);
    const bytes = damaged(random, printed(random, entry(FILES, name)(random)));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), bytes);
    const fault = await faultOf(() => use(name, folder), { folder, name, bytes, count });
    rmSync(folder, { recursive: true });
    return fault && `${name}: ${fault}: ${JSON.stringify(bytes.toString("latin1"))}`;
  });
  return {
    isMet: faults === 0 && count.aside > 0 && count.aside < total,
    figures: `${number(each)} mutated files each of ${names.join(", ")} (${number(count.aside)} set aside): ${faults} uncaught or lost`,
    notes: samples,
  };
}

/**
 * @param {() => Promise<import("../src/protocol/result.ts").Result<{ readonly warnings: readonly unknown[] }, unknown>>} use
 * @param {{ folder: string, name: string, bytes: Buffer, count: { aside: number } }} file
 * @returns {Promise<string | null>}
 */
async function faultOf(use, { folder, name, bytes, count }) {
  try {
    const done = await use();
    if (!done.ok) return `not used: ${done.error}`;
    const aside = readdirSync(folder).find((one) => one.startsWith(`${name}.broken-`));
    if ((aside !== undefined) !== done.value.warnings.length > 0) return "set aside without a word, or the other way";
    if (aside === undefined) return isJson(bytes) ? null : "taken, though it is no JSON";
    count.aside++;
    return readFileSync(join(folder, aside)).equals(bytes) ? null : "changed on its way aside";
  } catch (error) {
    return `threw ${error}`;
  }
}

/** @param {Buffer} bytes */
const isJson = (bytes) => isUtf8(bytes) && jsonIn(bytes.toString("utf8").replace(/^\ufeff/, "")) !== undefined;

/** Processes that change one session at once. With victims: each of those is killed somewhere in its work. */
/** @param {GateContext} context @param {Workspace} workspace @param {number} victims @returns {Promise<Outcome>} */
async function changed({ scale, seed }, workspace, victims) {
  const random = randomFrom(seed, `changed ${victims}`);
  const folder = join(workspace.root, `changed-${victims}`);
  const killed = Math.round(victims * scale);
  const each = Math.max(2, Math.round(CHANGES_EACH * scale * (victims > 0 ? 0.1 : 1)));
  const tally = { counted: 0, broken: 0 };
  const failed = /** @type {string[]} */ ([]);
  const sent = /** @type {string[]} */ ([]);
  await inParallel(WRITERS + killed, WRITERS, async (index) => {
    const isVictim = index < killed;
    const name = `w${index}`;
    const args = [writer, dist, folder, name, String(isVictim ? 1_000 : each)];
    const last = 1 + random.int(8);
    let seen = 0;
    const heard = (/** @type {string} */ text, /** @type {() => void} */ kill) => {
      seen += text.split("\n").length - 1;
      // By then it is some steps further: the kill meets it anywhere.
      if (isVictim && seen >= last) setTimeout(kill, random.int(4));
    };
    const { stdout } = await ended({ file: process.execPath, args, cwd: workspace.root, env: {}, heard });
    const lines = stdout.split("\n").slice(0, -1);
    failed.push(...lines.filter((line) => line.startsWith("failed")));
    tally.counted += lines.filter((line) => line === "counted").length;
    sent.push(...lines.filter((line) => line.startsWith("sent ")).map((line) => `${name} ${line.slice(5)}`));
    tally.broken += ["state", "inbox"].filter((file) => !isJson(readFileSync(join(folder, file)))).length;
  });
  const { changes } = JSON.parse(readFileSync(join(folder, "state"), "utf8"));
  const { messages } = JSON.parse(readFileSync(join(folder, "inbox"), "utf8"));
  const kept = messages.map((/** @type {{ hook: string, text: string }} */ { hook, text }) => `${hook} ${text}`);
  const lost = sent.filter((one) => !kept.includes(one)).length + Math.max(0, tally.counted - changes);
  // What a killed writer could not say any more may have been kept.
  const extra = changes - tally.counted + (kept.length - sent.length);
  const isMet = failed.length + tally.broken + lost === 0 && extra <= 2 * killed && new Set(kept).size === kept.length;
  const words = killed > 0 ? `, ${killed} of them killed` : "";
  return {
    isMet,
    figures: `${WRITERS + killed} writers, ${WRITERS} at once${words}: ${tally.counted} counts and ${sent.length} messages kept, ${lost} lost, ${extra} unheard, ${tally.broken} cut, ${failed.length} failed`,
    notes: failed.slice(0, SHOWN),
  };
}
