import type { Interrupt } from "../../../src/process/process-request.ts";
import { type CloseSignal, closeSignal } from "../library/close-signal.ts";

/** Prepares equal requests that arrive together only once. */
export interface Preparations<T> {
  /**
   * `key` names what the preparation depends on. It begins after every request that shares it was received, so that each
   * finds hooks, settings and approvals as they are after it was sent.
   */
  readonly prepare: (key: string, interrupt: Interrupt, make: Make<T>) => Promise<T>;
}

type Make<T> = (interrupt: Interrupt) => Promise<T>;

interface Preparation<T> {
  readonly made: Promise<T>;
  readonly signal: CloseSignal;
  waiting: number;
}

export function createPreparations<T>(): Preparations<T> {
  const notBegun = new Map<string, Preparation<T>>();

  /** No further request shares this preparation. */
  const leave = (key: string, preparation: Preparation<T>): void => {
    if (notBegun.get(key) === preparation) notBegun.delete(key);
  };
  const open = (key: string, make: Make<T>): Preparation<T> => {
    const signal = closeSignal();
    const made = new Promise<T>((settle, reject) => {
      setImmediate(() => {
        leave(key, preparation);
        make(signal.interrupt).then(settle, reject);
      });
    });
    const preparation = { made, signal, waiting: 0 };
    notBegun.set(key, preparation);
    return preparation;
  };
  return {
    prepare: async (key, interrupt, make) => {
      const preparation = notBegun.get(key) ?? open(key, make);
      preparation.waiting++;
      const stopListening = interrupt.listen((by) => {
        // The preparation continues while any request waits for it.
        if (--preparation.waiting > 0) return;
        leave(key, preparation);
        preparation.signal.close(by);
      });
      try {
        return await preparation.made;
      } finally {
        stopListening();
      }
    },
  };
}
