// Mutated responses through the reader: it never throws, and loses no block that a plain reader finds in one.
import { entry } from "./entry.mjs";
import { casesAt, judgeAll, number } from "./gate.mjs";
import { randomFrom } from "./random.mjs";
import { damaged, printed } from "./replies/mutate.mjs";
import { meaningOf } from "./replies/oracle.mjs";
import { drawBlock, drawMembers, EVENTS } from "./replies/shapes.mjs";

/** @import { GateContext, Outcome } from "./gate.mjs" */

const REPLIES = 1_000_000;

/** @param {GateContext} context @returns {Promise<Outcome>} */
export async function replies({ built, scale, seed }) {
  const { readResponse } = await built("src/dialects/response/read-response.js");
  const random = randomFrom(seed, "replies");
  const total = casesAt(REPLIES, scale);
  const count = { throws: 0, lost: 0, due: 0, blocked: 0 };
  const { faults, samples } = await judgeAll(total, () => {
    const event = random.pick(Object.keys(EVENTS));
    const bytes = drawn(random, event);
    const due = meaningOf(bytes);
    const got = decisionOf(readResponse, event, bytes);
    if (due === "block" || due === "ask") count.due++;
    if (got === "block") count.blocked++;
    const fault = faultOf(due, got);
    if (fault === null) return null;
    count[fault]++;
    return `${fault}: ${event} ${got} ${JSON.stringify(bytes.toString("latin1"))}`;
  });
  const told = `${number(count.due)} in which a plain reader finds a block or a question, ${number(count.blocked)} read as a block`;
  return {
    isMet: faults === 0,
    figures: `${number(total)} responses (${told}): ${count.throws} throws, ${count.lost} blocks lost`,
    notes: samples,
  };
}

/** Half of them damaged in their bytes; a tenth is a good block with foreign or malformed keys beside it. */
/** @param {import("./random.mjs").Random} random @param {string} event */
const drawn = (random, event) =>
  random.chance(0.1)
    ? printed(random, drawBlock(random))
    : damaged(random, printed(random, drawMembers(random, entry(EVENTS, event))));

/** @param {Function} readResponse @param {string} event @param {Uint8Array} bytes */
function decisionOf(readResponse, event, bytes) {
  try {
    const read = readResponse({ name: "h", path: "/h" }, event, bytes);
    return read.ok ? (read.value?.decision ?? "none") : "failed";
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/**
 * What a plain reader takes for a stop must be one here, at least as strict.
 * @param {import("./replies/oracle.mjs").Meaning | null} due
 * @param {string | Error} got
 */
function faultOf(due, got) {
  if (got instanceof Error) return "throws";
  if (due === "block") return got === "block" ? null : "lost";
  return due === "ask" && got !== "ask" && got !== "block" ? "lost" : null;
}
