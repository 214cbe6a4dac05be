import type { Warning } from "./warning.ts";

/** What `test` found out. Texts are redacted; they are made safe where they are shown. */
export interface Examination {
  readonly hooks: readonly ExaminedHook[];
  readonly skipped: readonly UnexaminedHook[];
  /** How many checks there are for a hook; a skipped one misses them all. */
  readonly checksEach: number;
  readonly warnings: readonly Warning[];
  /** For the person alone. */
  readonly notices: readonly Warning[];
  readonly durationMs: number;
}

export interface ExaminedHook {
  readonly name: string;
  readonly path: string;
  /** The words by which this one hook is examined again. */
  readonly again: string;
  readonly checks: readonly CheckResult[];
  readonly leftOut: readonly LeftOut[];
}

export interface CheckResult extends Finding {
  readonly name: string;
  readonly durationMs: number;
  /** What the hook printed, line by line. */
  readonly printed: readonly string[];
}

/** What one look at a hook gave. A message on a pass is something to know, not a fault. */
export interface Finding {
  readonly passed: boolean;
  readonly message: string | null;
  readonly hint: string | null;
  /** Lines of the hook's own output that show the fault. */
  readonly quoted: readonly string[];
}

/** A check that would have needed what failed before it. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}

/** A hook that may not be started here, or would not be asked. */
export interface UnexaminedHook {
  readonly name: string;
  readonly path: string;
  readonly reason: string;
  readonly hint: string;
  readonly awaitsApproval: boolean;
}

export const hasPassed = ({ checks }: ExaminedHook): boolean => checks.every(({ passed }) => passed);

/** How many checks passed, failed and were left out, those of skipped hooks included. */
export function countChecks({ hooks, skipped, checksEach }: Examination): Readonly<Record<CheckCount, number>> {
  const all = hooks.flatMap(({ checks }) => checks);
  const passed = all.filter((check) => check.passed).length;
  const leftOut = hooks.reduce((sum, hook) => sum + hook.leftOut.length, skipped.length * checksEach);
  return { passed, failed: all.length - passed, skipped: leftOut };
}
type CheckCount = "passed" | "failed" | "skipped";

const PASS: Finding = { passed: true, message: null, hint: null, quoted: [] };

export const pass = (message: string | null = null): Finding => ({ ...PASS, message });
export const fault = (message: string, hint: string, quoted: readonly string[] = []): Finding => ({
  ...{ passed: false, message, hint, quoted },
});
