import { unrepeatable } from "../../../src/fs/disk.ts";
import { recordReads } from "./recorded-reads.ts";

/** A value that was computed for one request and may be used for others. */
export interface Cached<T> {
  readonly value: T;
  /** True if it was computed for an earlier request. */
  readonly isReused: boolean;
  /** Use the value only inside this function: reads made by its lazy parts must be recorded, too. */
  readonly during: <R>(work: () => Promise<R>) => Promise<R>;
}

interface Computation<T> {
  readonly make: () => Promise<T>;
  /** True if something may be missing in the value. */
  readonly wasInterrupted: () => boolean;
}

/** A cache of values, each of which is valid as long as all file-system reads behind it give the same result. */
export interface Cache<T> {
  /** `key` names everything else on which the value depends. */
  readonly find: (key: string, computation: Computation<T>) => Promise<Cached<T>>;
}

/** As many projects and events as are in use at a time. */
const MOST_ENTRIES = 32;

export function createCache<T>(nowMs: () => number): Cache<T> {
  const entries = new Map<string, { readonly item: Cached<T>; readonly areUnchanged: () => boolean }>();
  const store = (key: string, item: Cached<T>, areUnchanged: () => boolean): void => {
    entries.delete(key);
    entries.set(key, { item, areUnchanged });
    const [oldest] = entries.keys();
    if (entries.size > MOST_ENTRIES && oldest !== undefined) entries.delete(oldest);
  };
  return {
    find: async (key, { make, wasInterrupted }) => {
      const known = entries.get(key);
      if (known?.areUnchanged()) {
        store(key, known.item, known.areUnchanged);
        return known.item;
      }
      entries.delete(key);
      const { during, areUnchanged } = recordReads(nowMs);
      const before = unrepeatable.count;
      const item = { value: await during(make), during };
      if (unrepeatable.count === before && !wasInterrupted()) store(key, { ...item, isReused: true }, areUnchanged);
      return { ...item, isReused: false };
    },
  };
}
