import type { Interrupt } from "../../../src/process/process-request.ts";

/** What ends the hooks of a request whose client is gone, as it is written in the record. */
export const CLIENT_LEFT = "a client that left";

/** The interrupt that `close()` raises; the library handles no signals of its host's process. */
export interface CloseSignal {
  readonly interrupt: Interrupt;
  /** `by` names what ends the hooks, for the record; by default a signal. */
  readonly close: (by?: string) => void;
}

export function closeSignal(): CloseSignal {
  const listeners = new Set<(signal: string) => void>();
  let raised: string | null = null;
  return {
    interrupt: {
      raised: () => raised,
      listen: (onInterrupt) => {
        listeners.add(onInterrupt);
        if (raised !== null) onInterrupt(raised);
        return () => void listeners.delete(onInterrupt);
      },
    },
    close: (by = "SIGTERM") => {
      raised ??= by;
      for (const listener of [...listeners]) listener(raised);
    },
  };
}
