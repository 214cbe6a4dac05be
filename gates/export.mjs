// A million spans through an outage: none lost, none double, and the exporter's memory stays flat.
import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openCollector } from "./export/collector.mjs";
import { allOf } from "./gate.mjs";
import { randomFrom } from "./random.mjs";
import { inWorkspace, wordsOf } from "./scene.mjs";

/** @import { Workspace } from "../bench/workspace.mjs" */
/** @import { FlakyCollector } from "./export/collector.mjs" */
/** @import { GateContext, Outcome } from "./gate.mjs" */

const SPANS = 1_000_000;
const SPANS_PER_RUN = 2;
const LINES_PER_FILE = 40_000;
/** Far more than one batch and its request need, and far less than the log. */
const MOST_RSS_MIB = 300;

/** @param {GateContext} context @returns {Promise<Outcome>} */
export async function exporting(context) {
  return inWorkspace(async (workspace) => {
    const parts = [
      await throughOutage(context, workspace),
      await whileKilled({ ...context, scale: context.scale * 0.1 }, workspace),
    ];
    return allOf(parts, `${Math.round(SPANS * context.scale)} spans`);
  });
}

/** The collector refuses, breaks connections and is gone for a while; the log grows and rotates meanwhile. */
/** @param {GateContext} context @param {Workspace} workspace @returns {Promise<Outcome>} */
async function throughOutage({ bin, scale, seed }, workspace) {
  const random = randomFrom(seed, "outage");
  const runs = Math.round((SPANS * scale) / SPANS_PER_RUN);
  const log = logIn(workspace.scene());
  log.write(0, Math.round(runs * 0.8));
  const collector = await openCollector({ faultShare: 0.05, random });
  const call = startExport(bin, log.env, collector, ["--follow"]);
  await until(() => collector.ids.size > runs * 0.5 || call.hasEnded());
  await collector.close();
  log.write(Math.round(runs * 0.8), runs);
  await new Promise((done) => setTimeout(done, 3_000));
  await collector.reopen();
  await until(() => collector.ids.size >= runs * SPANS_PER_RUN || call.hasEnded());
  call.kill("SIGTERM");
  const { code, peakMib, earlyMib } = await call.ended;
  await collector.close();
  const lost = runs * SPANS_PER_RUN - collector.ids.size;
  const isFlat = peakMib < MOST_RSS_MIB;
  return {
    isMet: code === 0 && lost === 0 && collector.doubles() === 0 && isFlat,
    notes: [],
    figures: `outage: ${collector.ids.size} spans, ${lost} lost, ${collector.doubles()} double, ${collector.faults()} faults, exit ${code}, RSS ${earlyMib} MiB early, ${peakMib} MiB at most`,
  };
}

/** Two exporters at once, killed at random moments. A batch whose acknowledgement they could not note comes again. */
/** @param {GateContext} context @param {Workspace} workspace @returns {Promise<Outcome>} */
async function whileKilled({ bin, scale, seed }, workspace) {
  const random = randomFrom(seed, "killed");
  const runs = Math.round((SPANS * scale) / SPANS_PER_RUN);
  const log = logIn(workspace.scene());
  log.write(0, runs);
  const collector = await openCollector({ faultShare: 0.02, random });
  let kills = 0;
  while (collector.ids.size < runs * SPANS_PER_RUN && kills < 500) {
    const calls = [0, 1].map(() => startExport(bin, log.env, collector, []));
    const timer = setTimeout(() => calls.map((call) => call.kill("SIGKILL")), 300 + random.int(1_500));
    const ends = await Promise.all(calls.map(({ ended }) => ended));
    clearTimeout(timer);
    kills += ends.filter(({ signal }) => signal === "SIGKILL").length;
  }
  await collector.close();
  const lost = runs * SPANS_PER_RUN - collector.ids.size;
  return {
    isMet: lost === 0 && collector.doubleBatches() <= kills,
    figures: `killed: ${kills} kills, ${collector.ids.size} spans, ${lost} lost, ${collector.doubleBatches()} batches sent again with the same ids`,
    notes: [],
  };
}

/** @param {{ readonly home: string, readonly env: Readonly<Record<string, string | undefined>> }} scene */
function logIn({ home, env }) {
  const folder = join(home, ".local", "state", "hookctl");
  const file = join(folder, "audit.jsonl");
  mkdirSync(folder, { recursive: true });
  /** @param {number} from @param {number} to */
  const write = (from, to) => {
    for (let start = from; start < to; start += LINES_PER_FILE) {
      const end = Math.min(to, start + LINES_PER_FILE);
      appendFileSync(file, Array.from({ length: end - start }, (_, index) => line(start + index)).join(""));
      const stamp = new Date(Date.UTC(2026, 0, 1) + start * 1e3).toISOString().replaceAll(":", "-");
      if (end - start === LINES_PER_FILE) renameSync(file, join(folder, `audit.${stamp}.${start}.jsonl`));
    }
    writeFileSync(file, "", { flag: "a" });
  };
  return { env, write };
}

/** @param {number} index */
const line = (index) => {
  const time = new Date(Date.UTC(2026, 0, 1) + index * 1e3).toISOString();
  const hook = {
    name: `guard-${index % 7}`,
    source: "user",
    path: "/h",
    outcome: "continue",
    start_ms: 1,
    duration_ms: 9,
  };
  const run = { run_id: `RUN${index}`, event: "before_tool_call", session: `s${index % 50}`, tool: "bash" };
  const rest = { call: "ls -la", decision: "continue", duration_ms: 12.5, hooks: [{ ...hook, trust: "trusted" }] };
  return `${JSON.stringify({ schema: "hookctl.record/1", time, ...run, ...rest })}\n`;
};

/** @param {readonly string[]} bin @param {Readonly<Record<string, string | undefined>>} env @param {FlakyCollector} collector @param {readonly string[]} args */
function startExport(bin, env, collector, args) {
  const variables = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const words = wordsOf(bin, ["export", ...args]);
  const child = spawn(words.file, words.args, { env: variables, cwd: "/", stdio: "ignore" });
  const sizes = /** @type {number[]} */ ([]);
  const sampling = setInterval(() => sizes.push(rssMib(child.pid ?? 0)), 100);
  let hasEnded = false;
  /** @type {Promise<{ code: number | null, signal: string | null, peakMib: number, earlyMib: number }>} */
  const ended = new Promise((settle) => {
    child.on("exit", (code, signal) => {
      hasEnded = true;
      clearInterval(sampling);
      const early = sizes.slice(0, Math.max(1, Math.ceil(sizes.length / 5)));
      settle({ code, signal, peakMib: Math.max(0, ...sizes), earlyMib: Math.max(0, ...early) });
    });
  });
  return { ended, hasEnded: () => hasEnded, kill: (/** @type {NodeJS.Signals} */ signal) => child.kill(signal) };
}

/** @param {number} pid */
function rssMib(pid) {
  try {
    const [, kib = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Math.round(Number(kib) / 1024);
  } catch {
    return 0;
  }
}

/** @param {() => boolean} isReached */
async function until(isReached) {
  while (!isReached()) await new Promise((again) => setTimeout(again, 50));
}
