import type { InTurn } from "../../src/discover/identify.ts";
import type { Interrupt } from "../../src/process/process-request.ts";
import { clearScratch } from "../../src/process/scratch.ts";
import type { Warning } from "../../src/protocol/warning.ts";
import { checkHook, type HookPart, type HookSteps, wantedChecks } from "./checks/check-hook.ts";
import type { OnMutants } from "./mutate/mutate-cases.ts";
import type { TestWorker } from "./scratch/worker.ts";
import { type CheckedHook, STOP_WORDS, type StopReason, type TestReport } from "./test-report.ts";

/** Receives results as soon as they are available, in the order of the report. */
export interface TestListener {
  /** Called with an estimate of the number of hooks, then with the number. */
  readonly onSelected: (hooks: number) => void;
  readonly onNotices: (notices: readonly Warning[]) => void;
  /** Returns false if the result cannot be shown, so that no further ones are needed. */
  readonly onHook: (hook: CheckedHook) => boolean;
  readonly onMutants: OnMutants;
}

interface PartsCall extends Pick<TestListener, "onHook" | "onMutants"> {
  readonly workers: readonly TestWorker[];
  readonly interrupt: Interrupt;
  /** True: nothing is started after the first failure. */
  readonly isBailing: boolean;
}

/** A test of hooks that are added while others are tested. */
interface PartsTest {
  /** Tests a hook on the workers; results are passed on in order. */
  readonly add: (part: HookPart) => void;
  /** Asks a hook for its events after those before it were tested, if no worker is free. */
  readonly inTurn: InTurn;
  /** Waits for all that were added. */
  readonly end: () => Promise<Pick<TestReport, "hooks" | "notRun">>;
}

export function startParts({ workers, interrupt, isBailing, onHook, onMutants }: PartsCall): PartsTest {
  const queue = schedule(workers);
  let stopped: StopReason | null = null;
  const stop = (why: StopReason): void => {
    stopped ??= why;
    queue.stop();
  };
  const stopListening = interrupt.listen(() => stop("interrupt"));
  const stepsOf = (position: number): HookSteps => ({
    start: async (step, task) => {
      const done = await queue.run([position, step], async (worker) => {
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
  let [added, asked] = [0, 0];
  const hooks: CheckedHook[] = [];
  const left: HookPart[] = [];
  const handOver = async (part: HookPart, running: Promise<CheckedHook | null>): Promise<void> => {
    const hook = await running;
    if (hook === null) return void left.push(part);
    hooks.push(hook);
    if (!onHook(hook)) stop("unread");
  };
  let handing = Promise.resolve();
  const asking = workers.map(() => Promise.resolve());
  return {
    add: (part) => {
      const running = checkHook(part, stepsOf(added++));
      // A fault in one must not end the process while others still have children.
      running.catch(() => queue.stop());
      handing = handing.then(() => handOver(part, running));
      handing.catch(() => undefined);
    },
    inTurn: async (_, task) => {
      const position = asked++;
      const isAsked = await queue.run([position, -1], () => task().then(() => true));
      if (isAsked !== null) return;
      // After a stop, the number of untested hooks is still reported.
      const lane = position % asking.length;
      const next = (asking[lane] ?? Promise.resolve()).then(task);
      asking[lane] = next;
      await next;
    },
    end: async () => {
      await handing.finally(stopListening);
      if (stopped === null || left.length === 0) return { hooks };
      const checks = left.reduce((sum, part) => sum + wantedChecks(part).length, 0);
      return { hooks, notRun: { why: stopped, hooks: left.length, checks } };
    },
  };
}

/** The priority of a waiting task: compared number by number, the lowest starts first. */
export type Rank = readonly number[];

/** Tasks that share a few workers, such as scratch folders. */
interface Schedule<Worker> {
  /** Starts the task when a worker is free. Returns null if the schedule was stopped before. */
  readonly run: <T>(rank: Rank, task: (worker: Worker) => Promise<T>) => Promise<T | null>;
  /** No further task starts; running tasks finish. */
  readonly stop: () => void;
}

/** Runs one task at a time on each worker. */
export function schedule<Worker>(workers: readonly Worker[]): Schedule<Worker> {
  const free = [...workers].reverse();
  /** A task that gets no worker is cancelled. */
  const waiting: { readonly rank: Rank; readonly begin: (worker: Worker | null) => void }[] = [];
  let isStopped = false;
  const startNext = (): void => {
    const worker = waiting.length === 0 ? undefined : free.pop();
    if (worker !== undefined) waiting.shift()?.begin(worker);
  };
  return {
    run: async (rank, task) => {
      if (isStopped) return null;
      const worker = await new Promise<Worker | null>((begin) => {
        const position = waiting.findLastIndex((other) => compareRanks(other.rank, rank) <= 0) + 1;
        waiting.splice(position, 0, { rank, begin });
        startNext();
      });
      if (worker === null) return null;
      try {
        return await task(worker);
      } finally {
        // Whoever awaited this task may first add its successors, or stop.
        setImmediate(() => {
          free.push(worker);
          startNext();
        });
      }
    },
    stop: () => {
      isStopped = true;
      for (const { begin } of waiting.splice(0)) begin(null);
    },
  };
}

function compareRanks(a: Rank, b: Rank): number {
  const position = a.findIndex((number, index) => number !== b[index]);
  return position < 0 ? a.length - b.length : (a[position] ?? 0) - (b[position] ?? -1);
}
