import { formatDuration } from "../../protocol/text/units.ts";
import { warningText } from "../../protocol/warning.ts";
import { countChecks, STOP_WORDS, type TestReport } from "../../test-runner/test-report.ts";
import { pluralize } from "../text-style.ts";
import { mutationSummary } from "./mutation-text.ts";

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

/** What the call did not come to; empty if it tested everything. */
export const notRunTexts = ({ notRun }: TestReport): readonly string[] =>
  notRun === null ? [] : [`${pluralize(notRun.hooks, "hook")} not run: ${STOP_WORDS[notRun.why]}`];

/** What the report says beside its results. */
export const remarkTexts = (report: TestReport): readonly string[] => [
  ...report.warnings.map(warningText),
  ...notRunTexts(report),
  ...(report.mutation === undefined ? [] : [mutationSummary(report.mutation)]),
];
