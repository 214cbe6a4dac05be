import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { WHY } from "../reasons.mjs";
import { writeHooks, writeUserConfig } from "../workspace.mjs";

/** @import { Bench, Group } from "../group.mjs" */

const run = promisify(execFile);
const CHILD = fileURLToPath(new URL("serve-child.mjs", import.meta.url));
/** 12,000 requests in a second of one processor. */
const THOUSAND_MS = 1000 / 12;

/**
 * P15: requests to a warm `hookctl serve`.
 * @param {Bench} bench
 * @returns {Group}
 */
export function serve({ workspace, programs, form, payload }) {
  const argv = programs.find((program) => program.form === form)?.argv ?? [];
  const [none, guarded, hooked] = [workspace.scene(), workspace.scene(), workspace.scene()];
  writeUserConfig(guarded, { guards: { filesystem: true, git: true, secrets: true } });
  const [hook = ""] = writeHooks(hooked.userHooks, 1);
  for (const { home } of [none, guarded, hooked]) mkdirSync(join(home, ".git"), { recursive: true });
  const whyMissed = { node: WHY.served, native: WHY.served };
  /** @type {{ measure: "wallMs", id: string }} */
  const row = { id: "P15", measure: "wallMs" };
  if (!existsSync("/proc/self/stat")) {
    return { commands: {}, figures: [], skipped: "the server's processor time is read in /proc" };
  }
  return {
    commands: {},
    mostRounds: 15,
    figures: [
      {
        ...{ id: "P15", what: "1,000 requests to serve, no hooks", ours: { thousand: 1 } },
        target: { node: THOUSAND_MS, native: THOUSAND_MS },
        whyMissed,
      },
      {
        ...row,
        what: "three guards in serve, median of 50",
        ours: { guards: 1 },
        target: { node: 0.5, native: 0.5 },
        whyMissed,
      },
      {
        ...row,
        what: "three guards in serve, slowest of 50",
        ours: { slowest: 1 },
        target: { node: 3, native: 3 },
        whyMissed,
      },
      {
        ...{
          ...row,
          what: "one sh hook in serve",
          ours: { hook: 1 },
          against: "`child_process.spawn`",
          theirs: { raw: 1 },
        },
        target: { node: 1.15, native: 1.15 },
        whyMissed: { node: WHY.servedHookOnNode, native: WHY.servedHook },
      },
    ],
    sample: async (rounds) => {
      const task = {
        ...{ argv, rounds, payload: readFileSync(payload, "utf8"), hook: join(hooked.userHooks, hook) },
        scenes: { none, guarded, hooked },
      };
      const { stdout } = await run(process.execPath, [CHILD, JSON.stringify(task)], {
        maxBuffer: Number.POSITIVE_INFINITY,
      });
      return JSON.parse(stdout);
    },
  };
}
