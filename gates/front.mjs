// The front program and the server behind the lines that agents start, in all that may happen to them.
import { brokenServer } from "./front/broken-server.mjs";
import { kills } from "./front/kills.mjs";
import { surroundings } from "./front/surroundings.mjs";
import { traffic } from "./front/traffic.mjs";
import { allOf } from "./gate.mjs";

/** @import { GateContext, Outcome } from "./gate.mjs" */

/** @param {GateContext} context @returns {Promise<Outcome>} */
export async function front(context) {
  const parts = [];
  for (const part of [kills, brokenServer, surroundings, traffic]) parts.push(await part(context));
  return allOf(parts, `${parts.length} parts`);
}
