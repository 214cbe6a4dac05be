import { vi } from "vitest";
import type { Workspace } from "./workspace.ts";

/** Variables that put the clock of hookctl ahead: files that a test has just written are old for it. */
export async function laterClock({ write }: Workspace, aheadMs = 60_000): Promise<Record<string, string>> {
  const code = `const now = Date.now; Date.now = () => now() + ${aheadMs};`;
  return { NODE_OPTIONS: `--require=${await write("later.cjs", code)}` };
}

/** The time of this process: timers, and what tells how long something took. */
export interface SkippableTime extends Disposable {
  /** The timeout that would pass next passes now. */
  readonly skip: () => void;
}

/** Time that a test skips once a hook is ready: on a busy machine a hook may take longer to start than any short timeout. */
export function skippableTime(): SkippableTime {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "hrtime"], shouldAdvanceTime: true });
  return {
    skip: () => void vi.advanceTimersToNextTimer(),
    [Symbol.dispose]: () => void vi.useRealTimers(),
  };
}
