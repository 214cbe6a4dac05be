// The reliability figures, held against the built program. Exit 1 when one of them is missed.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { commands } from "./commands.mjs";
import { config } from "./config.mjs";
import { disarm } from "./disarm.mjs";
import { exporting } from "./export.mjs";
import { faults } from "./faults.mjs";
import { gateText } from "./gate.mjs";
import { kills } from "./kills.mjs";
import { HELP, readOptions } from "./options.mjs";
import { orphans } from "./orphans.mjs";
import { payloads } from "./payloads.mjs";
import { record } from "./record.mjs";
import { replies } from "./replies.mjs";
import { secrets } from "./secrets.mjs";
import { serve } from "./serve.mjs";
import { sessions } from "./sessions.mjs";
import { store } from "./store.mjs";
import { trust } from "./trust.mjs";
import { truth } from "./truth.mjs";
import { types } from "./types.mjs";

/** @import { Gate, GateContext } from "./gate.mjs" */
/** @import { Options } from "./options.mjs" */

/** Each gate with the scale at which `--small` runs it. */
/** @type {Readonly<Record<string, { readonly gate: Gate, readonly smallScale: number }>>} */
const GATES = {
  replies: { gate: replies, smallScale: 0.02 },
  config: { gate: config, smallScale: 0.005 },
  payloads: { gate: payloads, smallScale: 0.03 },
  orphans: { gate: orphans, smallScale: 0.002 },
  kills: { gate: kills, smallScale: 0.08 },
  record: { gate: record, smallScale: 0.005 },
  faults: { gate: faults, smallScale: 0.002 },
  secrets: { gate: secrets, smallScale: 0.02 },
  trust: { gate: trust, smallScale: 0.005 },
  store: { gate: store, smallScale: 0.01 },
  sessions: { gate: sessions, smallScale: 0.005 },
  commands: { gate: commands, smallScale: 0.02 },
  serve: { gate: serve, smallScale: 0.01 },
  export: { gate: exporting, smallScale: 0.02 },
  truth: { gate: truth, smallScale: 0.1 },
  disarm: { gate: disarm, smallScale: 0.05 },
  types: { gate: types, smallScale: 1 },
};
const EXIT = { met: 0, missed: 1, usage: 64 };

/** HOOKCTL_BIN: a native executable to hold in its place. */
const { HOOKCTL_BIN } = process.env;
const ofNode = [process.execPath, fileURLToPath(new URL("../bin/hookctl.js", import.meta.url))];
const bin = HOOKCTL_BIN === undefined ? ofNode : [HOOKCTL_BIN];
const dist = new URL("../dist/", import.meta.url);
// It triples the start of Node 20, and the gates start it thousands of times.
delete process.env.NODE_EXTRA_CA_CERTS;

const options = readOptions(process.argv.slice(2), Object.keys(GATES));
if (typeof options === "string") {
  process.stderr.write(`error ${options}\n  npm run gates -- --help\n`);
  process.exitCode = EXIT.usage;
} else if (options.isHelp) {
  process.stdout.write(HELP);
} else if (!existsSync(new URL("hot.cjs", dist))) {
  process.stderr.write("error hookctl is not built\n  npm run build\n");
  process.exitCode = EXIT.usage;
} else {
  process.exitCode = (await holdAll(options)) ? EXIT.met : EXIT.missed;
}

/** @param {Options} options */
async function holdAll({ only, scale, seed, isSmall }) {
  let areMet = true;
  for (const [name, { gate, smallScale }] of Object.entries(GATES).filter(([name]) => only.includes(name))) {
    const startedAt = performance.now();
    /** @type {GateContext["built"]} */
    const built = (module) => import(new URL(module, dist).href);
    const outcome = await gate({ bin, built, scale: isSmall ? scale * smallScale : scale, seed });
    process.stdout.write(gateText(name, outcome, (performance.now() - startedAt) / 1000));
    areMet &&= outcome.isMet;
  }
  return areMet;
}
