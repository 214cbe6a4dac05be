import { formatDuration } from "../../protocol/text/units.ts";
import { countChecks, type TestReport } from "../../test-runner/test-report.ts";
import { pluralize } from "../text-style.ts";

/** The counts in words: `1 failed, 13 passed, 2 skipped, 1 hook, 96 ms`. */
export function countsText(report: TestReport): string {
  const { passed, failed, skipped } = countChecks(report);
  return [
    ...(failed === 0 ? [] : [`${failed} failed`]),
    `${passed} passed`,
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
    pluralize(report.hooks.filter(({ isProject }) => !isProject).length, "hook"),
    formatDuration(report.durationMs),
  ].join(", ");
}
