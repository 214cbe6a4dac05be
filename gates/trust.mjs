// Random lives of a hooks folder against an independent model: what runs, what blocks and how every file stands.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { casesAt, judgeAll } from "./gate.mjs";
import { randomFrom } from "./random.mjs";
import { inWorkspace } from "./scene.mjs";
import { sequence } from "./trust/sequence.mjs";

/** @import { Host } from "../src/engine/host.ts" */
/** @import { GateContext, Outcome } from "./gate.mjs" */
/** @import { Caller } from "./trust/sequence.mjs" */

const SEQUENCES = 10_000;
/** Long after any file of the gate was written: what hooks answer is remembered at once. */
const LATER_MS = Date.UTC(2100, 0, 1);

/** The first process of a container, on the terminal of a person. */
const PERSON = { parent: 0, group: 1, session: 1, terminal: "1", foreground: 1, started: 0, userId: 0, args: ["sh"] };
const PERSON_TABLE = { rows: new Map([[1, { pid: 1, ...PERSON }]]), isService: () => false, openTerminals: () => [] };

/** @param {GateContext} context @returns {Promise<Outcome>} */
export async function trust({ built, scale, seed }) {
  const { main } = await built("src/main.js");
  const total = casesAt(SEQUENCES, scale);
  let runs = 0;
  const { faults, samples } = await inWorkspace(({ root }) =>
    judgeAll(total, async (index) => {
      const folder = join(root, String(index));
      mkdirSync(folder, { mode: 0o755 });
      const found = await sequence(randomFrom(seed, `trust ${index}`), folder, caller(main, folder));
      runs += found.runs;
      rmSync(folder, { recursive: true, force: true });
      return found.fault && `sequence ${index}: ${found.fault}`;
    }),
  );
  return {
    isMet: faults === 0,
    figures: `${total} sequences with ${runs} runs and lists: ${faults} differ from the model`,
    notes: samples,
  };
}

/** Calls the command in this process: starting node for each would take hours. */
/** @param {(host: Host) => Promise<unknown>} main @param {string} folder @returns {Caller} */
function caller(main, folder) {
  return async (argv, stdin, below = "") => {
    let stdout = "";
    const bytes = new TextEncoder().encode(stdin);
    await main({
      argv,
      env: { HOME: join(folder, "home"), PATH: "/usr/bin:/bin" },
      cwd: join(folder, "project", below),
      platform: "linux",
      userId: process.getuid?.() ?? -1,
      processId: 1,
      isStdinTerminal: () => false,
      isStdoutTerminal: () => false,
      isStderrTerminal: () => false,
      isStdoutNull: () => false,
      stdoutColumns: () => null,
      stderrColumns: () => null,
      stdoutRows: () => null,
      readStdin: async () => ({ kind: "read", bytes }),
      out: (text) => {
        stdout += text;
        return null;
      },
      err: () => undefined,
      nowMs: () => LATER_MS,
      elapsedMs: () => 0,
      beganMs: 0,
      random: () => 0.5,
      interrupt: { raised: () => null, listen: () => () => undefined },
      loadGuards: () => Promise.reject(new Error("no sequence has a guard")),
      openTerminal: async () => null,
      readProcesses: async () => PERSON_TABLE,
      systemPrograms: "/nonexistent",
    });
    return stdout;
  };
}
