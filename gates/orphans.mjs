// Runs that overstep their limit: nothing of them stays alive, and the answer comes within the limit and 700 ms.
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { letHooksAge } from "../bench/workspace.mjs";
import { inParallel } from "./gate.mjs";
import { hookText, KINDS } from "./orphans/kinds.mjs";
import { watchLateness } from "./orphans/lateness.mjs";
import { endAll, liveMarks, marked } from "./orphans/marks.mjs";
import { randomFrom } from "./random.mjs";
import { ended, inWorkspace, payloadFor, writeUserHook } from "./scene.mjs";

/** @import { Scene, Workspace } from "../bench/workspace.mjs" */
/** @import { Ground, Outcome } from "./gate.mjs" */

const RUNS_PER_KIND = 1_000;
const COMMAND_RUNS_PER_KIND = 40;
const AT_ONCE = 20;
const LIMIT_MS = 250;
const MARGIN_MS = 700;
/** A process that was sent KILL needs the machine once more before it is gone. */
const SETTLING_MS = 300;
const SWEEP_MS = 1_000;

/**
 * @typedef {object} Run
 * @property {string} mark
 * @property {string} kind
 * @property {boolean} isTimedOut
 * @property {number} afterMs from the limit to the answer
 * @property {number} startedAtMs
 * @property {number} endedAtMs
 */

/** @param {Ground} ground @returns {Promise<Outcome>} */
export async function orphans(ground) {
  return inWorkspace(async (workspace) => {
    const scenes = scenesFor(workspace);
    await letHooksAge();
    const lateness = watchLateness();
    const prefix = `gate-${process.pid}-`;
    const direct = await measured(prefix, plan(ground, "direct", RUNS_PER_KIND), await directRun(ground, scenes));
    const whole = await measured(prefix, plan(ground, "command", COMMAND_RUNS_PER_KIND), commandRun(ground, scenes));
    const parts = [told("in-process", direct, lateness), told("by command", whole, lateness)];
    const control = await lateness.stop();
    return {
      isMet: parts.every(({ isMet }) => isMet),
      figures: parts.map(({ figures }) => figures).join("; "),
      notes: [
        ...parts.flatMap(({ notes }) => notes),
        `answers are counted after subtracting the lateness of a raw timer at that time (control: ${Math.round(control)} ms at most; load ${loadavg()[0].toFixed(1)} on ${availableParallelism()} processors)`,
      ],
    };
  });
}

/** @param {Workspace} workspace @returns {ReadonlyMap<string, Scene>} */
function scenesFor(workspace) {
  return new Map(
    Object.keys(KINDS).map((kind) => {
      const scene = workspace.scene();
      writeUserHook(scene, "stays", hookText(kind));
      return [kind, scene];
    }),
  );
}

/** @param {Ground} ground @param {string} use @param {number} perKind @returns {readonly string[]} kinds in random order */
function plan({ scale, seed }, use, perKind) {
  const count = Math.max(1, Math.round(perKind * scale));
  return randomFrom(seed, use).shuffled(Object.keys(KINDS).flatMap((kind) => Array(count).fill(kind)));
}

/** @typedef {(kind: string, mark: string) => Promise<{ isTimedOut: boolean, tookMs: number }>} Start */

/** @param {Ground} ground @param {ReadonlyMap<string, Scene>} scenes @returns {Promise<Start>} */
async function directRun({ built }, scenes) {
  const { runProcess } = await built("process/run-process.js");
  return async (kind, mark) => {
    const scene = scenes.get(kind);
    const outcome = await runProcess({
      file: join(scene?.userHooks ?? "", "stays"),
      args: ["run"],
      input: "{}",
      cwd: scene?.project ?? "/",
      env: { ...scene?.env, ...marked(mark), HOOKCTL_TOKEN: mark },
      timeoutMs: LIMIT_MS,
      stdoutLimitBytes: 1024 * 1024,
      mayLeaveProcesses: false,
      token: mark,
      interrupt: { raised: () => null, listen: () => () => {} },
    });
    return { isTimedOut: outcome.ending.kind === "timed-out", tookMs: outcome.durationMs };
  };
}

/** The command's own start and end are not the hook's: the record says how long the hook had. */
/** @param {Ground} ground @param {ReadonlyMap<string, Scene>} scenes @returns {Start} */
function commandRun({ bin }, scenes) {
  return async (kind, mark) => {
    const scene = scenes.get(kind);
    const cwd = scene?.project ?? "/";
    const args = [bin, "run", "before_tool_call", "--json", "-q", "--timeout", `${LIMIT_MS}ms`];
    const env = { ...scene?.env, ...marked(mark) };
    const { stdout } = await ended({ file: process.execPath, args, cwd, env, input: payloadFor(cwd) });
    const hook = JSON.parse(stdout).hooks[0];
    return { isTimedOut: hook?.failure?.code === "HOOK_TIMED_OUT", tookMs: hook?.duration_ms ?? 0 };
  };
}

/** @param {string} prefix @param {readonly string[]} kinds @param {Start} start */
async function measured(prefix, kinds, start) {
  /** @type {Run[]} */
  const runs = [];
  /** @type {Map<string, number>} */
  const orphaned = new Map();
  const sweep = () => {
    const answered = new Set(runs.filter((run) => Date.now() - run.endedAtMs > SETTLING_MS).map(({ mark }) => mark));
    for (const [mark, pid] of liveMarks(prefix)) if (answered.has(mark)) orphaned.set(mark, pid);
  };
  const timer = setInterval(sweep, SWEEP_MS);
  await inParallel(kinds.length, AT_ONCE, async (index) => {
    const kind = kinds[index];
    const mark = `${prefix}${kinds.length}-${index}`;
    const startedAtMs = Date.now();
    const { isTimedOut, tookMs } = await start(kind, mark);
    runs.push({ mark, kind, isTimedOut, afterMs: tookMs - LIMIT_MS, startedAtMs, endedAtMs: Date.now() });
  });
  clearInterval(timer);
  await wait(SETTLING_MS * 2);
  sweep();
  endAll(liveMarks(prefix).values());
  return { runs, orphaned };
}

/**
 * @param {string} how
 * @param {Awaited<ReturnType<typeof measured>>} found
 * @param {ReturnType<typeof watchLateness>} lateness
 */
function told(how, { runs, orphaned }, lateness) {
  const counted = runs.map((run) => ({ ...run, ownMs: run.afterMs - lateness.worst(run.startedAtMs, run.endedAtMs) }));
  const late = counted.filter(({ ownMs }) => ownMs > MARGIN_MS);
  const inTime = runs.filter(({ isTimedOut }) => !isTimedOut);
  const worst = counted.reduce((most, run) => (run.afterMs > most.afterMs ? run : most), counted[0]);
  const worstOwn = Math.max(...counted.map(({ ownMs }) => ownMs));
  const kindOf = new Map(runs.map(({ mark, kind }) => [mark, kind]));
  return {
    isMet: orphaned.size === 0 && late.length === 0 && inTime.length === 0,
    figures: `${runs.length} timed-out runs ${how}, ${AT_ONCE} at once: ${orphaned.size} orphans, ${late.length} late, answer at most limit + ${Math.round(worstOwn)} ms (raw ${Math.round(worst.afterMs)} ms)`,
    notes: [
      ...[...new Set([...orphaned.keys()].map((mark) => kindOf.get(mark)))].map(
        (kind) => `${how}: orphans of a hook that ${kind}`,
      ),
      ...[...new Set(late.map(({ kind }) => kind))].map((kind) => `${how}: late answers of a hook that ${kind}`),
      ...(inTime.length > 0 ? [`${how}: ${inTime.length} runs did not time out (${inTime[0].kind})`] : []),
    ],
  };
}
