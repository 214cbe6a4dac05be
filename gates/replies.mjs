// Mutated replies through the reader: it never throws, and no valid blocking reply is read as "go on".
import { randomFrom } from "./random.mjs";
import { damaged, printed } from "./replies/mutate.mjs";
import { meaningOf } from "./replies/oracle.mjs";
import { drawMembers, EVENTS } from "./replies/shapes.mjs";

/** @import { Ground, Outcome } from "./gate.mjs" */

const REPLIES = 1_000_000;
const SHOWN = 3;

/** @param {Ground} ground @returns {Promise<Outcome>} */
export async function replies({ built, scale, seed }) {
  const { readReply } = await built("dialects/read-reply.js");
  const random = randomFrom(seed, "replies");
  const total = Math.max(1, Math.round(REPLIES * scale));
  const count = { throws: 0, lost: 0, valid: 0, spoilt: 0, blocked: 0 };
  /** @type {string[]} */
  const samples = [];
  for (let index = 0; index < total; index++) {
    const event = random.pick(Object.keys(EVENTS));
    const bytes = damaged(random, printed(random, drawMembers(random, EVENTS[event])));
    const meaning = meaningOf(bytes, event);
    const due = meaning === null || meaning.decision === "none" ? null : meaning;
    const got = decisionOf(readReply, event, bytes);
    if (due !== null) count[due.isValid ? "valid" : "spoilt"]++;
    if (got === "block") count.blocked++;
    const fault = faultOf(due, got);
    if (fault === null) continue;
    count[fault]++;
    if (samples.length < SHOWN) samples.push(`${fault}: ${event} ${got} ${JSON.stringify(bytes.toString("latin1"))}`);
  }
  const told = `${number(count.valid)} valid ones that block or ask, ${number(count.spoilt)} spoilt ones, ${number(count.blocked)} read as a block`;
  return {
    isMet: count.throws + count.lost === 0,
    figures: `${number(total)} replies (${told}): ${count.throws} throws, ${count.lost} blocks read as "go on"`,
    notes: samples,
  };
}

/** @param {Function} readReply @param {string} event @param {Uint8Array} bytes */
function decisionOf(readReply, event, bytes) {
  try {
    const read = readReply({ name: "h", path: "/h" }, event, bytes);
    return read.ok ? (read.value?.decision ?? "none") : "failed";
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/**
 * A valid reply must be taken at its word; a spoilt one may fail, but what it says of a block is never passed over.
 * @param {import("./replies/oracle.mjs").Meaning | null} due
 * @param {string | Error} got
 */
function faultOf(due, got) {
  if (got instanceof Error) return "throws";
  if (due === null || got === "block" || got === due.decision) return null;
  return due.isValid || got !== "failed" ? "lost" : null;
}

/** @param {number} value */
const number = (value) => value.toLocaleString("en-US");
