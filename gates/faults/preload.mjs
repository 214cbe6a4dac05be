// Every system call of a run that touches the home, or starts a hook, fails once with every error.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { letHooksAge, writeUserConfig } from "../../bench/workspace.mjs";
import { inParallel } from "../gate.mjs";
import { ended, payloadFor, writeUserHook } from "../scene.mjs";
import { faultIn, HOOKS } from "./hooks.mjs";

/** @import { Scene, Workspace } from "../../bench/workspace.mjs" */
/** @import { Ground } from "../gate.mjs" */

const ERRORS = /** @type {const} */ (["ENOSPC", "EACCES", "EROFS", "EMFILE", "EAGAIN", "EIO", "ETXTBSY"]);
const AT_ONCE = 3;
const source = fileURLToPath(new URL("fault.c", import.meta.url));

/** @typedef {{ readonly runs: number, readonly wrong: readonly string[], readonly skipped: readonly string[] }} Findings */
/** @typedef {{ readonly scene: Scene, readonly name: string, readonly isWarm: boolean }} Setting */

/** @param {Ground} ground @param {Workspace} workspace @returns {Promise<Findings>} */
export async function preloadFaults(ground, workspace) {
  const library = join(workspace.root, "fault.so");
  const { status } = spawnSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], { stdio: "ignore" });
  if (status !== 0) return { runs: 0, wrong: [], skipped: ["injected errors: there is no C compiler"] };
  const settings = Object.keys(HOOKS).flatMap((name) =>
    [true, false].map((isWarm) => ({ scene: sceneWith(workspace, name), name, isWarm })),
  );
  await letHooksAge();
  const probes = [];
  for (const setting of settings) probes.push(...(await probesOf(ground, setting, library)));
  const chosen = probes.filter((_, index) => ground.scale >= 1 || index % Math.ceil(1 / ground.scale) === 0);
  const wrong = [];
  // One scene is used by one run at a time: they share its files.
  const queues = settings.map((setting) => chosen.filter((probe) => probe.setting === setting));
  await inParallel(queues.length, AT_ONCE, async (index) => {
    for (const probe of queues[index]) {
      const fault = await probe.run();
      if (fault !== null) wrong.push(`${probe.title}: ${fault}`);
    }
  });
  return { runs: chosen.length, wrong, skipped: [] };
}

/** @param {Workspace} workspace @param {string} name */
function sceneWith(workspace, name) {
  const scene = workspace.scene();
  writeUserHook(scene, "h", HOOKS[name]);
  writeUserConfig(scene, { settings: { timeout: "20s" } });
  return scene;
}

/** The calls are counted once without a fault; then each of them has its turn. */
/** @param {Ground} ground @param {Setting} setting @param {string} library */
async function probesOf({ bin }, setting, library) {
  const { scene, name, isWarm } = setting;
  const [counted, asked] = [join(scene.home, "..", `calls-${process.pid}`), join(scene.project, "asked")];
  const start = (/** @type {Record<string, string>} */ fault) => {
    if (!isWarm) forget(scene);
    return ended({
      file: process.execPath,
      args: [bin, "run", "before_tool_call"],
      cwd: scene.project,
      env: { ...scene.env, ...fault, ASKED: asked, FAULT_ROOT: scene.home, LD_PRELOAD: library },
      input: payloadFor(scene.project),
    });
  };
  if (isWarm) await start({});
  rmSync(counted, { force: true });
  await start({ FAULT_COUNT: counted });
  const calls = existsSync(counted) ? readFileSync(counted, "utf8").trimEnd().split("\n") : [];
  rmSync(asked, { force: true });
  return calls.flatMap((call, index) =>
    ERRORS.map((error) => ({
      setting,
      title: `${name}, ${isWarm ? "known" : "new"}, ${error} at ${call.replace(scene.home, "~")}`,
      run: async () => {
        const result = await start({ FAULT: `${index + 1} ${constants.errno[error]}` });
        return faultIn(name, result, asked);
      },
    })),
  );
}

/** @param {Scene} scene */
function forget(scene) {
  rmSync(join(scene.home, ".cache"), { recursive: true, force: true });
  rmSync(join(scene.home, ".local"), { recursive: true, force: true });
}
