import { type CheckResult, countChecks, type Examination, type ExaminedHook, hasPassed } from "../contract/examined.ts";
import { type JsonRecord, writeJson } from "../contract/json-text.ts";
import { warningText } from "../contract/warning.ts";

/** What was found out, for a program: `hookctl.test/1`. The three numbers count checks. */
export function testJson(examination: Examination): string {
  return writeJson({
    schema: "hookctl.test/1",
    hooks: examination.hooks.map(hookJson),
    ...countChecks(examination),
    skipped_hooks: examination.skipped.map(({ name, path, reason, hint }) => ({ name, path, reason, hint })),
    warnings: examination.warnings.map(warningText),
    duration_ms: rounded(examination.durationMs),
  });
}

function hookJson(hook: ExaminedHook): JsonRecord {
  return {
    name: hook.name,
    path: hook.path,
    passed: hasPassed(hook),
    checks: hook.checks.map(checkJson),
    left_out: hook.leftOut.map(({ name, reason }) => ({ name, reason })),
  };
}

const checkJson = ({ name, passed, message, hint, durationMs }: CheckResult): JsonRecord => ({
  name,
  passed,
  message,
  duration_ms: rounded(durationMs),
  hint: hint ?? undefined,
});

const rounded = (ms: number): number => Math.round(ms * 10) / 10;
