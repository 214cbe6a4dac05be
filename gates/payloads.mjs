// Mutated payloads of all dialects: no throw, nothing invalid taken, and every value handed on as it was written.
import { isDeepStrictEqual } from "node:util";
import { damaged } from "./damage.mjs";
import { casesAt, judgeAll, number } from "./gate.mjs";
import { isObject, isSound, jsonIn } from "./json.mjs";
import { drawPayload, ENVELOPES, NEEDED, sent } from "./payloads/shapes.mjs";
import { randomFrom } from "./random.mjs";

/** @import { BuiltModules, GateContext, Outcome } from "./gate.mjs" */
/** @import { EventName } from "../src/protocol/event.ts" */
/** @import { RawMember } from "./payloads/shapes.mjs" */

const PAYLOADS = 100_000;
const PAYLOAD_LEVELS = 100_000;
const MOMENT = {
  isoTime: "2026-01-31T09:30:00.000Z",
  checkout: () => ({ repository: "acme/shop", branch: "main" }),
};
const DIALECTS = /** @type {const} */ (["kodelet", "basecoat", "reyn", "agenthook"]);

/** @param {GateContext} context @returns {Promise<Outcome>} */
export async function payloads({ built, scale, seed }) {
  const ways = {
    ...(await built("src/protocol/text/text.js")),
    ...(await built("src/protocol/payload/payload.js")),
    ...(await built("src/dialects/dialects.js")),
  };
  const random = randomFrom(seed, "payloads");
  const total = casesAt(PAYLOADS, scale);
  const count = { taken: 0, refused: 0 };
  const { faults, samples } = await judgeAll(total, () => {
    const event = random.pick(/** @type {EventName[]} */ (Object.keys(NEEDED)));
    const members = drawPayload(random, random.pick(Object.keys(ENVELOPES)), event);
    const whole = sent(random, members);
    const bytes = damaged(random, whole);
    const intact = bytes.equals(whole) ? members : null;
    const fault = faultOf(ways, { event, bytes, intact, count });
    return fault && `${event}: ${fault}: ${JSON.stringify(bytes.toString("latin1"))}`;
  });
  return {
    isMet: faults === 0 && count.taken > 0 && count.refused > 0,
    figures: `${number(total)} payloads (${number(count.taken)} taken, ${number(count.refused)} refused): ${faults} uncaught, taken wrongly or changed on their way`,
    notes: samples,
  };
}

/**
 * @typedef {object} Case
 * @property {EventName} event
 * @property {Buffer} bytes
 * @property {readonly RawMember[] | null} intact what was sent, when nothing was damaged
 * @property {{ taken: number, refused: number }} count
 */

/** @typedef {BuiltModules["src/protocol/text/text.js"] & BuiltModules["src/protocol/payload/payload.js"] & BuiltModules["src/dialects/dialects.js"]} Ways */

/** @param {Ways} ways @param {Case} one @returns {string | null} */
function faultOf(
  { decodeUtf8, readPayload, readEnvelope, dialectFields, payloadText },
  { event, bytes, intact, count },
) {
  try {
    const text = decodeUtf8(bytes);
    const read = text === null ? null : readPayload(event, text, "/tmp", readEnvelope);
    if (text === null || read === null || !read.ok) {
      const code = read === null || read.ok ? null : read.error.code;
      count.refused++;
      if (intact !== null) return `refused, though it is right: ${code}`;
      return code === null || code.startsWith("PAYLOAD_") ? null : code;
    }
    count.taken++;
    if (!isTakeable(text)) return "taken, though it is no sound JSON object";
    const out = DIALECTS.map((dialect) => payloadText(read.value, dialectFields(dialect, read.value, MOMENT)));
    return out.map((one) => changeIn(text, one, intact)).find((change) => change !== null) ?? null;
  } catch (error) {
    return `threw ${error}`;
  }
}

/** @param {string} text */
function isTakeable(text) {
  const bare = text.replace(/^\ufeff/, "");
  return isObject(jsonIn(bare)) && isSound(bare, PAYLOAD_LEVELS);
}

/** What a hook gets: every member that was sent, with its value to the letter and in its order, and valid JSON around it. */
/** @param {string} text @param {string} out @param {readonly RawMember[] | null} intact @returns {string | null} */
function changeIn(text, out, intact) {
  const before = JSON.parse(text.replace(/^\ufeff/, ""));
  const after = JSON.parse(out);
  const filled = ["event", "cwd", "invoked_by", "conv_id", "tool_user_id", "recipe_name", "budget", "tool", "ctx"];
  const changed = Object.keys(before).find(
    (key) => !filled.includes(key) && !isDeepStrictEqual(before[key], after[key]),
  );
  if (changed !== undefined || !isSound(out, PAYLOAD_LEVELS)) return `${changed} is not what was sent: ${out}`;
  let from = 0;
  for (const [key, raw] of intact ?? []) {
    // An object of a dialect gets the members that it lacks behind its own.
    const start = `${JSON.stringify(key)}:${raw.startsWith("{") ? raw.slice(0, -1).trimEnd() : raw}`;
    const at = out.indexOf(start, from);
    if (at < 0) return `${start} is not in its place: ${out}`;
    from = at + start.length;
  }
  return null;
}
