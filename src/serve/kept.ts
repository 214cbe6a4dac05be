import { unrepeatable } from "../fs/disk.ts";
import type { Problem } from "../protocol/problem.ts";
import { ok, type Result } from "../protocol/result.ts";
import { openLooks } from "./looks.ts";

/** What was made for one request, as others may use it. */
export interface Kept<T> {
  readonly value: T;
  /** True if it was made for an earlier request. */
  readonly isReused: boolean;
  /** For all work with the value, because what it finds out first in that work stays with it. */
  readonly during: <R>(work: () => Promise<R>) => Promise<R>;
}

interface Making<T> {
  readonly make: () => Promise<Result<T, Problem>>;
  /** True if something may be missing in what was made. */
  readonly wasInterrupted: () => boolean;
}

/** Keeps what requests need as long as every look at the disk on which it depends finds the same. */
export interface Keeper<T> {
  /** `key` names everything else on which it depends. */
  readonly find: (key: string, making: Making<T>) => Promise<Result<Kept<T>, Problem>>;
}

/** As many projects and events as are in use at a time. */
const MOST_KEPT = 32;

export function createKeeper<T>(nowMs: () => number): Keeper<T> {
  const kept = new Map<string, { readonly item: Kept<T>; readonly areUnchanged: () => boolean }>();
  const keep = (key: string, item: Kept<T>, areUnchanged: () => boolean): void => {
    kept.delete(key);
    kept.set(key, { item, areUnchanged });
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  };
  return {
    find: async (key, { make, wasInterrupted }) => {
      const known = kept.get(key);
      if (known?.areUnchanged()) {
        keep(key, known.item, known.areUnchanged);
        return ok(known.item);
      }
      kept.delete(key);
      const { during, areUnchanged } = openLooks(nowMs);
      const before = unrepeatable.count;
      const made = await during(make);
      if (!made.ok) return made;
      const item = { value: made.value, during };
      if (unrepeatable.count === before && !wasInterrupted()) keep(key, { ...item, isReused: true }, areUnchanged);
      return ok({ ...item, isReused: false });
    },
  };
}
