import { unrepeatable } from "../../../src/fs/disk.ts";
import type { Interrupt } from "../../../src/process/process-request.ts";
import { type CloseSignal, closeSignal } from "../library/close-signal.ts";
import { RecordedReads } from "./recorded-reads.ts";

interface Preparation<T> {
  readonly made: Promise<T>;
  readonly signal: CloseSignal;
  waiting: number;
}

/** Prepares equal requests that arrive together only once. */
export function createPreparations<T>() {
  const notBegun = new Map<string, Preparation<T>>();
  const begin = (key: string, preparation: Preparation<T>): void => {
    if (notBegun.get(key) === preparation) notBegun.delete(key);
  };
  const open = (key: string, make: (interrupt: Interrupt) => Promise<T>): Preparation<T> => {
    const signal = closeSignal();
    const made = new Promise<T>((settle, reject) => {
      setImmediate(() => {
        begin(key, preparation);
        make(signal.interrupt).then(settle, reject);
      });
    });
    const preparation = { made, signal, waiting: 0 };
    notBegun.set(key, preparation);
    return preparation;
  };
  /**
   * `key` names what the preparation depends on. It begins after every request that shares it was received, so that each
   * finds hooks, settings and approvals as they are after it was sent.
   */
  const prepare = async (key: string, interrupt: Interrupt, make: (interrupt: Interrupt) => Promise<T>): Promise<T> => {
    const preparation = notBegun.get(key) ?? open(key, make);
    preparation.waiting++;
    const stopListening = interrupt.listen((by) => {
      // The preparation continues while any request waits for it.
      if (--preparation.waiting > 0) return;
      begin(key, preparation);
      preparation.signal.close(by);
    });
    try {
      return await preparation.made;
    } finally {
      stopListening();
    }
  };
  return { prepare };
}

/** A value that was computed for one request and may be used for others. */
export interface Cached<T> {
  readonly value: T;
  /** True if it was computed for an earlier request. */
  readonly isReused: boolean;
  /** Use the value only inside this function: reads made by its lazy parts must be recorded, too. */
  readonly during: <R>(work: () => Promise<R>) => Promise<R>;
}

/** As many projects and events as are in use at a time. */
const MOST_ENTRIES = 32;

/** A cache of values, each of which is valid as long as all file-system reads behind it give the same result. */
export function createCache<T>(nowMs: () => number) {
  const entries = new Map<string, { readonly value: T; readonly reads: RecordedReads }>();
  /** `key` names everything else on which the value depends. A value whose computation is interrupted is not cached. */
  const find = async (key: string, interrupt: Interrupt, make: () => Promise<T>): Promise<Cached<T>> => {
    const known = entries.get(key);
    entries.delete(key);
    const isReused = known?.reads.areUnchanged() === true;
    const reads = isReused ? known.reads : new RecordedReads(nowMs);
    const before = unrepeatable.count;
    const value = isReused ? known.value : await reads.during(make);
    const isRepeatable = isReused || (unrepeatable.count === before && interrupt.raised() === null);
    // The least recently used entry is the first.
    if (isRepeatable) entries.set(key, { value, reads });
    const [oldest] = entries.keys();
    if (entries.size > MOST_ENTRIES && oldest !== undefined) entries.delete(oldest);
    return { value, isReused, during: (work) => reads.during(work) };
  };
  return { find };
}
