// Every system call that touches the home, the project, the temporary folder or hookctl's own files, or that starts a
// hook, fails once with every error.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { letHooksAge } from "../../bench/workspace.mjs";
import { entry } from "../entry.mjs";
import { inParallel } from "../gate.mjs";
import { ended, wordsOf } from "../scene.mjs";
import { faultIn, WAYS } from "./hooks.mjs";
import { forget, settingsIn } from "./settings.mjs";

/** @import { Workspace } from "../../bench/workspace.mjs" */
/** @import { GateContext } from "../gate.mjs" */
/** @import { Setting } from "./settings.mjs" */

const ERRORS = /** @type {const} */ (["ENOSPC", "EACCES", "EROFS", "EMFILE", "EAGAIN", "EIO", "ETXTBSY"]);
const AT_ONCE = 3;
const source = fileURLToPath(new URL("fault.c", import.meta.url));
const dist = fileURLToPath(new URL("../../dist", import.meta.url));

/** @typedef {{ readonly runs: number, readonly wrong: readonly string[], readonly skipped: readonly string[] }} Findings */

/** @param {GateContext} context @param {Workspace} workspace @returns {Promise<Findings>} */
export async function preloadFaults(context, workspace) {
  const library = join(workspace.root, "fault.so");
  const { status } = spawnSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], { stdio: "ignore" });
  if (status !== 0) return { runs: 0, wrong: [], skipped: ["injected errors: there is no C compiler"] };
  const settings = settingsIn(workspace, context.bin);
  await letHooksAge();
  const probes = [];
  for (const setting of settings) probes.push(...(await probesOf(context, setting, library)));
  const step = Math.max(1, Math.ceil(1 / context.scale));
  const chosen = probes.filter((_, index) => index % step === context.seed % step);
  const wrong = /** @type {string[]} */ ([]);
  // One scene is used by one run at a time: they share its files.
  const queues = settings.map((setting) => chosen.filter((probe) => probe.setting === setting));
  await inParallel(queues.length, AT_ONCE, async (index) => {
    for (const probe of entry(queues, index)) {
      const fault = await probe.run();
      if (fault !== null) wrong.push(`${probe.title}: ${fault}`);
    }
  });
  return { runs: chosen.length, wrong, skipped: [] };
}

/** The calls are counted once without a fault; then each of them has its turn. */
/** @param {GateContext} context @param {Setting} setting @param {string} library */
async function probesOf({ bin }, setting, library) {
  const { scene, name, scope, isWarm, temp } = setting;
  const way = entry(WAYS, setting.way);
  const roots = [scene.home, scene.project, temp, dist].join(":");
  const [counted, asked] = [`${scene.home}-calls`, `${scene.home}-asked`];
  const start = (/** @type {Record<string, string>} */ fault) => {
    if (!isWarm) forget(scene);
    return ended({
      ...wordsOf(bin, way.args),
      cwd: scene.project,
      env: { ...scene.env, ...fault, ASKED: asked, FAULT_ROOTS: roots, LD_PRELOAD: library },
      input: way.input(scene.project),
    });
  };
  if (isWarm) await start({});
  rmSync(counted, { force: true });
  await start({ FAULT_COUNT: counted });
  const calls = existsSync(counted) ? readFileSync(counted, "utf8").trimEnd().split("\n") : [];
  rmSync(asked, { force: true });
  const title = `${setting.way}, ${name} of the ${scope}, ${isWarm ? "known" : "new"}`;
  return calls.flatMap((call, index) =>
    ERRORS.map((error) => ({
      setting,
      title: `${title}, ${error} at ${call.replace(scene.home, "~")}`,
      run: async () => {
        const result = await start({ FAULT: `${index + 1} ${constants.errno[error]}` });
        return faultIn(name, result, { way, askedFile: asked });
      },
    })),
  );
}
