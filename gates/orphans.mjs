// Runs that reach their timeout, and runs that leave something behind: nothing of them stays alive, and the answer comes
// within the timeout and 700 ms, or as soon as the machine ends a plain process at that time.
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { letHooksAge } from "../bench/workspace.mjs";
import { entry } from "./entry.mjs";
import { allOf, casesAt, inParallel } from "./gate.mjs";
import { controlRun } from "./orphans/control.mjs";
import { finishes, hookText, KINDS } from "./orphans/kinds.mjs";
import { endAll, liveMarks, marked } from "./orphans/marks.mjs";
import { randomFrom } from "./random.mjs";
import { ended, inWorkspace, payloadFor, wordsOf, writeUserHook } from "./scene.mjs";

/** @import { Scene, Workspace } from "../bench/workspace.mjs" */
/** @import { GateContext, Outcome } from "./gate.mjs" */

const RUNS_PER_KIND = 1_000;
const COMMAND_RUNS_PER_KIND = 40;
const AT_ONCE = 20;
const LIMIT_MS = 250;
const MARGIN_MS = 700;
/** On a busy machine: of the slowest control of that time. */
const MARGIN_SHARE = 1.5;
/** A process that was sent KILL needs the machine once more before it is gone, and a busy machine is slow to give it. */
const SETTLING_MS = 2_000;
const SWEEP_MS = 1_000;

/**
 * @typedef {object} Run
 * @property {string} mark
 * @property {string} kind
 * @property {boolean} isTimedOut
 * @property {number} afterMs from the limit to the answer
 * @property {number} controlMs the same of a plain process beside it
 * @property {number} startedAtMs
 * @property {number} endedAtMs
 */

/** @param {GateContext} context @returns {Promise<Outcome>} */
export async function orphans(context) {
  return inWorkspace(async (workspace) => {
    const scenes = scenesFor(workspace);
    await letHooksAge();
    const prefix = `gate-${process.pid}-`;
    const direct = await measured(prefix, plan(context, "direct", RUNS_PER_KIND), await directRun(context, scenes));
    const whole = await measured(prefix, plan(context, "command", COMMAND_RUNS_PER_KIND), commandRun(context, scenes));
    const parts = [told("in-process", direct, context), told("by command", whole, context)];
    const control = Math.max(...[...direct.runs, ...whole.runs].map(({ controlMs }) => controlMs));
    const found = allOf(parts);
    const load = `load ${entry(loadavg(), 0).toFixed(1)} on ${availableParallelism()} processors`;
    const late = `late is what took longer than limit + ${MARGIN_MS} ms and ${MARGIN_SHARE} times the slowest plain process of that time (${Math.round(control)} ms at most; ${load})`;
    return { ...found, notes: [...found.notes, late] };
  });
}

/** @param {Workspace} workspace @returns {ReadonlyMap<string, Scene>} */
function scenesFor(workspace) {
  return new Map(
    KINDS.map((kind) => {
      const scene = workspace.scene();
      writeUserHook(scene, "stays", hookText(kind));
      return [kind, scene];
    }),
  );
}

/** @param {GateContext} context @param {string} use @param {number} perKind @returns {readonly string[]} kinds in random order */
function plan({ scale, seed }, use, perKind) {
  const count = casesAt(perKind, scale);
  return randomFrom(seed, use).shuffled(KINDS.flatMap((kind) => Array(count).fill(kind)));
}

/** For a hook that calls hookctl again. @param {readonly string[]} bin */
const again = (bin) => ({ GATE_HOOKCTL: bin.join(" ") });

/** @typedef {(kind: string, mark: string) => Promise<{ isTimedOut: boolean, tookMs: number }>} Start */

/** @param {GateContext} context @param {ReadonlyMap<string, Scene>} scenes @returns {Promise<Start>} */
async function directRun({ bin, built }, scenes) {
  const { runProcess } = await built("src/process/run-process.js");
  return async (kind, mark) => {
    const scene = scenes.get(kind);
    const outcome = await runProcess({
      file: join(scene?.userHooks ?? "", "stays"),
      args: ["run"],
      input: payloadFor("/"),
      cwd: scene?.project ?? "/",
      env: { ...scene?.env, ...again(bin), ...marked(mark), HOOKCTL_TOKEN: mark },
      timeoutMs: LIMIT_MS,
      stdoutLimitBytes: 1024 * 1024,
      mayLeaveProcesses: false,
      sandbox: null,
      token: mark,
      interrupt: { raised: () => null, listen: () => () => {} },
    });
    return { isTimedOut: outcome.termination.kind === "timed-out", tookMs: outcome.durationMs };
  };
}

/** The command's own start and end are not the hook's: the record says how long the hook had. */
/** @param {GateContext} context @param {ReadonlyMap<string, Scene>} scenes @returns {Start} */
function commandRun({ bin }, scenes) {
  return async (kind, mark) => {
    const scene = scenes.get(kind);
    const cwd = scene?.project ?? "/";
    const words = wordsOf(bin, ["run", "before_tool_call", "--json", "-q", "--timeout", `${LIMIT_MS}ms`]);
    const env = { ...scene?.env, ...again(bin), ...marked(mark) };
    const { stdout } = await ended({ ...words, cwd, env, input: payloadFor(cwd) });
    const hook = JSON.parse(stdout).hooks[0];
    return { isTimedOut: hook?.failure?.code === "HOOK_TIMED_OUT", tookMs: hook?.duration_ms ?? 0 };
  };
}

/** @param {string} prefix @param {readonly string[]} kinds @param {Start} start */
async function measured(prefix, kinds, start) {
  const runs = /** @type {Run[]} */ ([]);
  const orphaned = /** @type {Set<string>} */ (new Set());
  const sweep = () => {
    const answered = new Set(runs.filter((run) => Date.now() - run.endedAtMs > SETTLING_MS).map(({ mark }) => mark));
    for (const mark of liveMarks(prefix).keys()) if (answered.has(mark)) orphaned.add(mark);
  };
  const timer = setInterval(sweep, SWEEP_MS);
  await inParallel(kinds.length, AT_ONCE, async (index) => {
    const kind = entry(kinds, index);
    const mark = `${prefix}${kinds.length}-${index}`;
    const startedAtMs = Date.now();
    const [{ isTimedOut, tookMs }, controlMs] = await Promise.all([start(kind, mark), controlRun(LIMIT_MS)]);
    const afterMs = tookMs - LIMIT_MS;
    runs.push({ mark, kind, isTimedOut, afterMs, controlMs, startedAtMs, endedAtMs: Date.now() });
  });
  clearInterval(timer);
  await wait(SETTLING_MS + 100);
  sweep();
  endAll([...liveMarks(prefix).values()].flat());
  return { runs, orphaned };
}

/** @param {string} how @param {Awaited<ReturnType<typeof measured>>} found @param {GateContext} context */
function told(how, { runs, orphaned }, { scale }) {
  const late = runs.filter((run) => run.afterMs > allowedMs(run, runs));
  const untrue = runs.filter(({ kind, isTimedOut }) => isTimedOut === finishes(kind));
  const worst = Math.max(...runs.map(({ afterMs }) => afterMs));
  const kindOf = new Map(runs.map(({ mark, kind }) => [mark, kind]));
  const kindsOf = (/** @type {readonly (string | undefined)[]} */ kinds) => [...new Set(kinds)];
  return {
    // A busy machine may cut off one that would have answered; one that hangs never answers.
    // Time is judged at full size alone: in small it runs beside the tests, which take the machine from it.
    isMet: orphaned.size === 0 && (late.length === 0 || scale < 1) && untrue.every(({ kind }) => finishes(kind)),
    figures: `${runs.length} runs ${how}, ${AT_ONCE} at once: ${orphaned.size} orphans, ${late.length} late, answer at most limit + ${Math.round(worst)} ms`,
    notes: [
      ...kindsOf([...orphaned].map((mark) => kindOf.get(mark))).map((kind) => `${how}: orphans of a hook that ${kind}`),
      ...kindsOf(late.map(({ kind }) => kind)).map((kind) => `${how}: late answers of a hook that ${kind}`),
      ...kindsOf(untrue.map(({ kind }) => kind)).map((kind) => `${how}: ended in another way: a hook that ${kind}`),
    ],
  };
}

/** What a run may take after its limit, by the plain processes that were ended while it ran. */
/** @param {Run} run @param {readonly Run[]} runs */
function allowedMs({ startedAtMs, endedAtMs }, runs) {
  const beside = runs.filter((other) => other.startedAtMs <= endedAtMs && other.endedAtMs >= startedAtMs);
  return Math.max(MARGIN_MS, MARGIN_SHARE * Math.max(...beside.map(({ controlMs }) => controlMs)));
}
