import type { Interrupt } from "../../../src/process/process-request.ts";

interface Level {
  taken: number;
  readonly waiting: Set<() => void>;
}

/**
 * Limits the number of tasks that run at a time. Each depth has separate slots: a hook that waits for the answer to its own
 * call must not block this call.
 */
export function createSlots(most: number) {
  const levels = new Map<number, Level>();

  const freeIn = (level: Level) => () => {
    const [first] = level.waiting;
    // A waiting task gets the slot, so that the number of taken slots stays the same.
    if (first === undefined) level.taken--;
    else first();
  };
  const waitIn = (level: Level, interrupt: Interrupt): Promise<boolean> =>
    new Promise((settle) => {
      const end = (isFree: boolean): void => {
        level.waiting.delete(proceed);
        stopListening();
        settle(isFree);
      };
      const proceed = (): void => end(true);
      level.waiting.add(proceed);
      const stopListening = interrupt.listen(() => end(false));
    });
  /** Settles when a slot is free, with the function that frees it again; null if the task was interrupted before. */
  const take = async (depth: number, interrupt: Interrupt): Promise<(() => void) | null> => {
    if (interrupt.raised() !== null) return null;
    const level = levels.get(depth) ?? { taken: 0, waiting: new Set() };
    levels.set(depth, level);
    if (level.taken < most) level.taken++;
    else if (!(await waitIn(level, interrupt))) return null;
    return freeIn(level);
  };
  return { take };
}
