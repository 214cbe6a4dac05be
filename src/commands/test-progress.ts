import { progressLine } from "../cli/progress-line.ts";
import type { Host } from "../host.ts";
import { progressText } from "../report/test/progress-text.ts";
import type { TestListener } from "../test-runner/run-tests.ts";

/** How far a test is, on the terminal while a person waits. */
export interface TestProgress {
  /** Its output never stands behind the line. */
  readonly host: Host;
  readonly onSelected: (hooks: number) => void;
  readonly onHook: () => void;
  readonly onMutants: TestListener["onMutants"];
  readonly end: () => void;
}

export function testProgress(host: Host, isQuiet: boolean): TestProgress {
  const counts = { hooks: { planned: 0, done: 0 }, mutants: { planned: 0, done: 0 } };
  const line = progressLine(host, isQuiet, () => progressText(counts, host.elapsedMs() - host.beganMs));
  const afterClear =
    <T>(write: (text: string) => T) =>
    (text: string): T => {
      line.clear();
      return write(text);
    };
  return {
    host: { ...host, out: afterClear(host.out), err: afterClear(host.err) },
    onSelected: (hooks) => {
      counts.hooks.planned = hooks;
    },
    onHook: () => {
      counts.hooks.done += 1;
    },
    onMutants: ({ planned, done }) => {
      counts.mutants.planned += planned;
      counts.mutants.done += done;
    },
    end: line.end,
  };
}
