import { progressLine } from "../cli/progress-line.ts";
import type { Host } from "../host.ts";
import { progressText } from "../report/test/progress-text.ts";

/** How far a test is, on the terminal while a person waits. */
export interface TestProgress {
  /** Its output never stands behind the line. */
  readonly host: Host;
  readonly onSelected: (hooks: number) => void;
  readonly onHook: () => void;
  readonly end: () => void;
}

export function testProgress(host: Host, isQuiet: boolean): TestProgress {
  let [done, total] = [0, 0];
  const line = progressLine(host, isQuiet, () => progressText(done, total, host.elapsedMs() - host.beganMs));
  const afterClear =
    <T>(write: (text: string) => T) =>
    (text: string): T => {
      line.clear();
      return write(text);
    };
  return {
    host: { ...host, out: afterClear(host.out), err: afterClear(host.err) },
    onSelected: (hooks) => {
      total = hooks;
    },
    onHook: () => {
      done += 1;
    },
    end: line.end,
  };
}
