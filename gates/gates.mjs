// The reliability figures, held against the built program. Exit 1 when one of them is missed.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readOptions } from "../tools/read-options.mjs";
import { commands } from "./commands.mjs";
import { config } from "./config.mjs";
import { disarm } from "./disarm.mjs";
import { exporting } from "./export.mjs";
import { faults } from "./faults.mjs";
import { front } from "./front.mjs";
import { gateText } from "./gate.mjs";
import { kills } from "./kills.mjs";
import { orphans } from "./orphans.mjs";
import { payloads } from "./payloads.mjs";
import { record } from "./record.mjs";
import { secrets } from "./secrets.mjs";
import { serve } from "./serve.mjs";
import { sessions } from "./sessions.mjs";
import { store } from "./store.mjs";
import { trust } from "./trust.mjs";
import { truth } from "./truth.mjs";
import { types } from "./types.mjs";

/** @import { Gate, GateContext } from "./gate.mjs" */

/** Each gate with the scale at which `--small` runs it. */
/** @type {Readonly<Record<string, { readonly gate: Gate, readonly smallScale: number }>>} */
const GATES = {
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
  front: { gate: front, smallScale: 0.02 },
  export: { gate: exporting, smallScale: 0.02 },
  truth: { gate: truth, smallScale: 0.1 },
  disarm: { gate: disarm, smallScale: 0.05 },
  types: { gate: types, smallScale: 1 },
};
const HELP = `Usage: npm run gates -- [options]

Holds the reliability figures against the built program. One line per gate; exit 1 when a gate is missed.

  --only NAME,…  these gates only: config, payloads, orphans, kills, record, faults, secrets, trust, store, sessions,
                   commands, serve, front, export, truth, disarm, types
  --scale S      a part of each gate's numbers, such as 0.01 (default 1)
  --small        each gate at the smallest scale that still finds gross faults: minutes, not hours
  --seed N       draws other cases (default 1)
  --help         this text
`;
const EXIT = { met: 0, missed: 1, usage: 64 };

/** HOOKCTL_BIN: another program to test in its place. */
const { HOOKCTL_BIN } = process.env;
const ofNode = [process.execPath, fileURLToPath(new URL("../bin/hookctl.js", import.meta.url))];
const bin = HOOKCTL_BIN === undefined ? ofNode : [HOOKCTL_BIN];
const dist = new URL("../dist/", import.meta.url);
// It triples the start of Node 20, and the gates start it thousands of times.
delete process.env.NODE_EXTRA_CA_CERTS;

const values = readOptions(HELP, {
  only: { type: "string", default: Object.keys(GATES).join() },
  scale: { type: "string", default: "1" },
  seed: { type: "string", default: "1" },
  small: { type: "boolean", default: false },
});
const [names, scale, seed] = [values.only.split(","), Number(values.scale), Number(values.seed)];
const fault = existsSync(new URL("hot.cjs", dist)) ? optionFault() : "hookctl is not built: npm run build";
if (fault === null) process.exitCode = (await holdAll()) ? EXIT.met : EXIT.missed;
else {
  process.stderr.write(`error ${fault}\n  npm run gates -- --help\n`);
  process.exitCode = EXIT.usage;
}

function optionFault() {
  if (!(scale > 0 && scale <= 100)) return `--scale wants a number above 0, not "${values.scale}"`;
  if (!Number.isInteger(seed) || seed < 0) return `--seed wants a whole number, not "${values.seed}"`;
  const unknown = names.find((name) => !Object.hasOwn(GATES, name));
  return unknown === undefined ? null : `unknown gate "${unknown}"; there are ${Object.keys(GATES).join(", ")}`;
}

async function holdAll() {
  let areMet = true;
  for (const [name, { gate, smallScale }] of Object.entries(GATES).filter(([name]) => names.includes(name))) {
    const startedAt = performance.now();
    /** @type {GateContext["built"]} */
    const built = (module) => import(new URL(module, dist).href);
    const outcome = await gate({ bin, built, scale: values.small ? scale * smallScale : scale, seed });
    process.stdout.write(gateText(name, outcome, (performance.now() - startedAt) / 1000));
    areMet &&= outcome.isMet;
  }
  return areMet;
}
