import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { type Rank, schedule } from "../test-parts.ts";

/** Lets every step that is ready go on; a worker is free one turn after its task. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resume) => setImmediate(resume));
}

const width = fc.integer({ min: 1, max: 5 });
const ranks = fc.array(fc.array(fc.nat(3), { minLength: 1, maxLength: 3 }), { maxLength: 25 });

/** Runs a task for each rank, ends the running ones in any order, and says what happened. */
async function played(count: number, all: readonly Rank[], lots: readonly number[], stopAfter = Infinity) {
  const queue = schedule(Array.from({ length: count }, (_, worker) => worker));
  const running: { readonly worker: number; readonly end: () => void }[] = [];
  const begun: number[] = [];
  let most = 0;
  let isStopped = false;
  const done = all.map((rank, index) =>
    queue.run(rank, async (worker) => {
      begun.push(index);
      await new Promise<void>((end) => running.push({ worker, end }));
      return index;
    }),
  );
  for (let step = 0; running.length > 0 || step === 0; step++) {
    await settle();
    most = Math.max(most, running.length);
    expect(new Set(running.map(({ worker }) => worker)).size).toBe(running.length);
    isStopped ||= step === stopAfter;
    if (isStopped) queue.stop();
    running.splice((lots[step % Math.max(1, lots.length)] ?? 0) % Math.max(1, running.length), 1)[0]?.end();
    await settle();
  }
  return { results: await Promise.all(done), begun, most, isStopped };
}

describe("tasks share a few workers", () => {
  test("each runs once, never more than the workers, and its result is its own", async () => {
    await fc.assert(
      fc.asyncProperty(width, ranks, fc.array(fc.nat(9)), async (count, all, lots) => {
        const { results, begun, most } = await played(count, all, lots);
        expect(results).toEqual(all.map((_, index) => index));
        expect([...begun].sort((a, b) => a - b)).toEqual(all.map((_, index) => index));
        expect(most).toBeLessThanOrEqual(count);
        expect(most).toBe(Math.min(count, all.length));
      }),
      propertyRuns(100),
    );
  });

  test("of those that wait the lowest rank starts first, and of equal ones the first that came", async () => {
    await fc.assert(
      fc.asyncProperty(ranks, async (all) => {
        const { begun } = await played(1, [[0], ...all], [0]);
        const waited = begun.slice(1).map((index) => ({ index, rank: all[index - 1] ?? [] }));
        const sorted = [...waited].sort((a, b) => compare(a.rank, b.rank) || a.index - b.index);
        expect(waited).toEqual(sorted);
      }),
      propertyRuns(100),
    );
  });

  test("after a stop those that run go on, and no other begins", async () => {
    await fc.assert(
      fc.asyncProperty(width, ranks, fc.array(fc.nat(9)), fc.nat(10), async (count, all, lots, stopAfter) => {
        const { results, begun, isStopped } = await played(count, all, lots, stopAfter);
        expect(results).toEqual(all.map((_, index) => (begun.includes(index) ? index : null)));
        if (isStopped) expect(begun.length).toBeLessThanOrEqual(count + stopAfter);
        else expect(begun).toHaveLength(all.length);
      }),
      propertyRuns(100),
    );
  });

  test("a task that throws gives its worker back", async () => {
    const queue = schedule(["only"]);
    await expect(queue.run([0], () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await queue.run([1], async (worker) => worker)).toBe("only");
  });
});

/** Like words in a dictionary: a beginning comes before what continues it. */
function compare(a: Rank, b: Rank): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? -1) - (b[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}
