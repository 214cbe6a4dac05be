// How late the machine itself is: a thread of its own sets timers and does nothing else.
import { isMainThread, parentPort, Worker } from "node:worker_threads";

const EVERY_MS = 20;

/** @typedef {{ readonly atMs: number, readonly lateMs: number }} Lateness */

/**
 * @returns {{ worst: (fromMs: number, toMs: number) => number, stop: () => Promise<number> }}
 *   `worst`: the latest timer within a span of time since 1970; `stop` gives the worst of all
 */
export function watchLateness() {
  /** @type {Lateness[]} */
  const seen = [];
  const worker = new Worker(new URL(import.meta.url));
  worker.on("message", (late) => seen.push(late));
  return {
    worst: (fromMs, toMs) =>
      seen.reduce(
        (most, { atMs, lateMs }) => (atMs >= fromMs && atMs - lateMs <= toMs ? Math.max(most, lateMs) : most),
        0,
      ),
    stop: async () => {
      await worker.terminate();
      return seen.reduce((most, { lateMs }) => Math.max(most, lateMs), 0);
    },
  };
}

if (!isMainThread) {
  let dueMs = Date.now() + EVERY_MS;
  const tick = () => {
    const atMs = Date.now();
    // Only what is worth telling: most timers are a millisecond late.
    if (atMs - dueMs > 2) parentPort?.postMessage({ atMs, lateMs: atMs - dueMs });
    dueMs = Date.now() + EVERY_MS;
    setTimeout(tick, EVERY_MS);
  };
  setTimeout(tick, EVERY_MS);
}
