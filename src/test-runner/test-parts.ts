import type { Interrupt } from "../process/process-request.ts";
import { checkHook, type HookPart, type HookSteps, wantedChecks } from "./checks/check-hook.ts";
import type { OnMutants } from "./mutate/mutate-cases.ts";
import { schedule } from "./schedule.ts";
import { clearScratch } from "./scratch/scratch.ts";
import type { TestWorker } from "./scratch/worker.ts";
import { type CheckedHook, STOP_WORDS, type StopReason, type TestReport } from "./test-report.ts";

export interface PartsCall {
  readonly workers: readonly TestWorker[];
  readonly interrupt: Interrupt;
  /** True: nothing is started after the first failure. */
  readonly isBailing: boolean;
  /** Gets each hook in order. False: the result cannot be shown, so no further ones are needed. */
  readonly onHook: (hook: CheckedHook) => boolean;
  readonly onMutants: OnMutants;
}

/** Tests hooks on all workers, and hands each over as soon as those before it are done. */
export async function testParts(
  parts: readonly HookPart[],
  { workers, interrupt, isBailing, onHook, onMutants }: PartsCall,
): Promise<Pick<TestReport, "hooks" | "notRun">> {
  const queue = schedule(workers);
  let stopped: StopReason | null = null;
  const stop = (why: StopReason): void => {
    stopped ??= why;
    queue.stop();
  };
  const stopListening = interrupt.listen(() => stop("interrupt"));
  const stepsOf = (place: number): HookSteps => ({
    start: async (step, task) => {
      const done = await queue.run([place, step], async (worker) => {
        clearScratch(worker.scratch);
        return task(worker);
      });
      // A hook that was ended by the signal has shown nothing.
      return interrupt.raised() === null ? done : null;
    },
    onResults: (checks) => {
      if (isBailing && checks.some(({ passed }) => !passed)) stop("bail");
    },
    onMutants,
    stopReason: () => STOP_WORDS[stopped ?? "interrupt"],
  });
  const running = parts.map((part, place) => checkHook(part, stepsOf(place)));
  // A fault in one must not end the process while others still have children.
  for (const one of running) one.catch(() => queue.stop());
  const hooks: CheckedHook[] = [];
  for (const one of running) {
    const hook = await one;
    if (hook === null) continue;
    hooks.push(hook);
    if (!onHook(hook)) stop("unread");
  }
  stopListening();
  const left = await Promise.all(running.map(async (one, place) => ((await one) === null ? (parts[place] ?? []) : [])));
  return { hooks, notRun: notRunOf(left.flat(), stopped) };
}

const notRunOf = (parts: readonly HookPart[], why: StopReason | null): TestReport["notRun"] =>
  why === null || parts.length === 0
    ? null
    : { why, hooks: parts.length, checks: parts.reduce((sum, part) => sum + wantedChecks(part).length, 0) };
