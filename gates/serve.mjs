// `hookctl serve`: a day of traffic, killed servers, and streams that nobody meant.
import { allOf } from "./gate.mjs";
import { inWorkspace } from "./scene.mjs";
import { day } from "./serve/day.mjs";
import { framing } from "./serve/framing.mjs";
import { serverKills } from "./serve/server-kills.mjs";

/** @import { GateContext, Outcome } from "./gate.mjs" */

/** @param {GateContext} context @returns {Promise<Outcome>} */
export function serve(context) {
  return inWorkspace(async (workspace) => {
    const parts = [];
    for (const part of [framing, serverKills, day]) parts.push(await part(context, workspace.scene()));
    return allOf(parts);
  });
}
