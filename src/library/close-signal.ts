import type { Interrupt } from "../process/process-request.ts";

/** The interrupt that `close()` raises; the library handles no signals of its host's process. */
export interface CloseSignal {
  readonly interrupt: Interrupt;
  readonly close: () => void;
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
    close: () => {
      raised ??= "SIGTERM";
      for (const listener of [...listeners]) listener(raised);
    },
  };
}
