/** Where a task stands among those that wait: compared number by number, the lowest starts first. */
export type Rank = readonly number[];

/** Tasks that share a few workers, such as scratch folders. */
export interface Schedule<Worker> {
  /** Starts the task once a worker is free. Null: no task was to start any more before its turn came. */
  readonly run: <T>(rank: Rank, task: (worker: Worker) => Promise<T>) => Promise<T | null>;
  /** No task starts from now on; those that run go on. */
  readonly stop: () => void;
  readonly isStopped: () => boolean;
}

interface Waiting<Worker> {
  readonly rank: Rank;
  /** With null it gives up. */
  readonly begin: (worker: Worker | null) => void;
}

/** Runs one task at a time on each worker. */
export function schedule<Worker>(workers: readonly Worker[]): Schedule<Worker> {
  const free = [...workers].reverse();
  const waiting: Waiting<Worker>[] = [];
  let isStopped = false;
  const startNext = (): void => {
    const worker = waiting.length === 0 ? undefined : free.pop();
    if (worker !== undefined) waiting.shift()?.begin(worker);
  };
  const add = (one: Waiting<Worker>): void => {
    const place = waiting.findLastIndex(({ rank }) => compareRanks(rank, one.rank) <= 0) + 1;
    waiting.splice(place, 0, one);
    startNext();
  };
  return {
    run: async (rank, task) => {
      const worker = isStopped ? null : await new Promise<Worker | null>((begin) => add({ rank, begin }));
      if (worker === null) return null;
      try {
        return await task(worker);
      } finally {
        // Whoever waited for this task may first add what follows it, or stop.
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
    isStopped: () => isStopped,
  };
}

function compareRanks(a: Rank, b: Rank): number {
  const place = a.findIndex((number, index) => number !== b[index]);
  return place < 0 ? a.length - b.length : (a[place] ?? 0) - (b[place] ?? -1);
}
