// Mutated settings files, in both forms and in every place: no throw, and no guard that is neither accepted nor told.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { lostFrom, saidIn } from "./config/account.mjs";
import { reshaped } from "./config/reshape.mjs";
import { drawConfig } from "./config/shapes.mjs";
import { written } from "./config/write.mjs";
import { damaged } from "./damage.mjs";
import { casesAt, judgeAll, number } from "./gate.mjs";
import { randomFrom } from "./random.mjs";
import { inWorkspace } from "./scene.mjs";

/** @import { GateContext, Outcome } from "./gate.mjs" */

const FILES = 100_000;
const NAMES = [".kodelet/hooks.json", ".kodelet/hooks.yaml", ".hookctlrc", ".hookctlrc.json", ".hookctlrc.yaml"];
const PLACES = [
  ...[...NAMES, "package.json"].map((name) => ({ scope: /** @type {const} */ ("project"), place: `project/${name}` })),
  ...[".kodelet/hooks.json", ".kodelet/hooks.yaml", ".config/hookctl/config.json"].map((name) => ({
    scope: /** @type {const} */ ("user"),
    place: `home/${name}`,
  })),
];

/** @param {GateContext} context @returns {Promise<Outcome>} */
export async function config({ built, scale, seed }) {
  const { loadConfigFiles } = await built("src/config/load-settings.js");
  const random = randomFrom(seed, "config");
  const total = casesAt(FILES, scale);
  const count = { accepted: 0, entries: 0, refused: 0 };
  const { faults, samples } = await inWorkspace(({ root }) =>
    judgeAll(total, async () => {
      const { scope, place } = random.pick(PLACES);
      const valid = drawConfig(random, scope);
      const shaped = reshaped(random, valid);
      const whole = Buffer.from(written(random, shaped, place), "utf8");
      const bytes = damaged(random, whole);
      const isIntact = bytes.equals(whole) && isDeepStrictEqual(shaped, valid);
      const folder = join(root, "mutated");
      mkdirSync(dirname(join(folder, place)), { recursive: true });
      writeFileSync(join(folder, place), bytes);
      const fault = await faultOf(loadConfigFiles, { folder, place, scope, bytes, isIntact, count });
      rmSync(folder, { recursive: true });
      return fault && `${place}: ${fault}: ${JSON.stringify(bytes.toString("latin1"))}`;
    }),
  );
  const told = `${number(count.accepted)} accepted with ${number(count.entries)} entries, ${number(count.refused)} refused`;
  return {
    isMet: faults === 0 && count.entries > 0 && count.refused > 0,
    figures: `${number(total)} settings files (${told}): ${faults} uncaught, or with a guard that was lost unseen`,
    notes: samples,
  };
}

/**
 * @typedef {object} Case
 * @property {string} folder
 * @property {string} place
 * @property {"project" | "user"} scope
 * @property {Buffer} bytes
 * @property {boolean} isIntact
 * @property {{ accepted: number, entries: number, refused: number }} count
 */

/** @typedef {import("../src/config/load-settings.ts").LoadInput} LoadInput */
/** @typedef {import("../src/config/load-settings.ts").LoadedSettingsFiles} LoadedSettingsFiles */

/** @param {(input: LoadInput) => Promise<LoadedSettingsFiles>} loadConfigFiles @param {Case} one @returns {Promise<string | null>} */
async function faultOf(loadConfigFiles, { folder, place, scope, bytes, isIntact, count }) {
  // Later than the files were written: only then is their plan kept.
  const nowMs = Date.now() + 10_000;
  const input = {
    nowMs,
    ...{ projectDirs: [join(folder, "project")], homeDir: join(folder, "home") },
    ...{ configHome: join(folder, "home", ".config"), explicitFile: null, cacheDir: join(folder, "cache") },
  };
  try {
    const loaded = await loadConfigFiles(input);
    // The second time the plan that was kept is read.
    if (!isDeepStrictEqual(structuredClone(loaded.files), (await loadConfigFiles(input)).files))
      return "the kept plan says something else";
    const plans = loaded.files.filter(({ file }) => file === join(folder, place));
    if (plans.length !== loaded.files.length) return "another file is in force";
    if (plans.some((plan) => plan.scope !== scope)) return "another scope";
    const nothing = { data: { entries: [], overrides: {} }, problem: null, entryProblems: [] };
    const [{ data, problem, entryProblems: told = [] } = nothing] = plans;
    if (problem !== null) {
      count.refused++;
      if (isIntact) return `refused, though it is right: ${problem.code}`;
      return problem.code.startsWith("CONFIG_") ? null : problem.code;
    }
    const said = saidIn(bytes, place);
    if (said.isForeign) return data.entries.length === 0 ? null : "settings out of nowhere";
    if (said.fault !== undefined) return `accepted, though it cannot be read: ${said.fault}`;
    if (isIntact && told.length > 0) return "an entry is not used, though it is right";
    count.accepted++;
    count.entries += data.entries.length;
    return lostFrom(said.value, data, told);
  } catch (error) {
    return `threw ${error}`;
  }
}
