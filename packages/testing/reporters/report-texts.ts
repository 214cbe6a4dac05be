import { pluralize } from "../../../src/protocol/text/count.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { formatDuration } from "../../../src/protocol/text/units.ts";
import { warningText } from "../../../src/protocol/warning.ts";
import type { Style } from "../../../src/report/text-style.ts";
import {
  type CheckedHook,
  countChecks,
  type HookCoverage,
  type HookNote,
  STOP_WORDS,
  type TestReport,
} from "../test-report.ts";
import { mutationSummary } from "./mutation-text.ts";

/** Options of a reporter. */
export interface ReporterContext {
  /** Lists every check, and what the hooks printed. */
  readonly isVerbose: boolean;
  /** Omits passed checks, but not the counts. */
  readonly isQuiet: boolean;
  /** Paths below this folder are shown relative to it, in text for people. */
  readonly projectDir: string;
  /** Paths below the checkout are relative to it, in formats for CI systems. */
  readonly rootDir: string;
  readonly style: Style;
  /** GitHub's runner reads the text, and carries out the commands in it. */
  readonly isWorkflowLog: boolean;
}

/** Writes one report: the text of each hook in order, then the rest. Other hooks may still be running. */
export interface TestReporter {
  hook?(hook: CheckedHook): string;
  /** The report has every hook, those already written too. */
  end(report: TestReport): string;
  /** Markdown for the file that `$GITHUB_STEP_SUMMARY` names. */
  stepSummary?(report: TestReport): string;
}

/** The counts as text: `1 failed, 13 passed, 2 skipped, 1 hook, 96 ms`. */
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

/** What was not run; empty if everything was. */
export const notRunTexts = ({ notRun }: TestReport): readonly string[] =>
  notRun === undefined ? [] : [`${pluralize(notRun.hooks, "hook")} not run: ${STOP_WORDS[notRun.why]}`];

/** The mutation score; empty if commands were not respelled. */
export const scoreTexts = ({ mutation }: TestReport): readonly string[] =>
  mutation === undefined ? [] : [mutationSummary(mutation)];

/** Warnings, hooks that were not run, and the mutation score. */
export const remarkTexts = (report: TestReport): readonly string[] => [
  ...report.warnings.map(warningText),
  ...notRunTexts(report),
  ...scoreTexts(report),
];

/** The agents with which the hook does not work. */
export const portabilityOn = ({ portability }: CheckedHook): readonly string[] => portability?.texts ?? [];

/** `10 of 14 lines reached by its cases, not 12, 14-16`. */
export function coverageText({ unit, reached, total, missing, unknownBecause }: HookCoverage): string {
  if (unknownBecause !== undefined) return `its coverage is not known: ${truncateEscaped(unknownBecause, 400)}`;
  const rest = missing.length === 0 ? "" : `, not ${truncateEscaped(missing.join(", "), 400)}`;
  return `${reached} of ${total} ${unit} reached by its cases${rest}`;
}

/** True for a hook of which no coverage was requested, too. */
export const isCovered = (coverage: HookCoverage | undefined): boolean =>
  coverage === undefined || (coverage.missing.length === 0 && coverage.unknownBecause === undefined);

export const NOTE_TEXTS: Readonly<Record<HookNote, string>> = {
  "never-blocks": "no case makes it block",
  "passes-without-it": "its cases pass without it",
};
