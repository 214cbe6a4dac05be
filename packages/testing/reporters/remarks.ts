import { pluralize } from "../../../src/protocol/text/count.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { formatDuration } from "../../../src/protocol/text/units.ts";
import { warningText } from "../../../src/protocol/warning.ts";
import {
  type CheckedHook,
  countChecks,
  type HookCoverage,
  type HookNote,
  STOP_WORDS,
  type TestReport,
} from "../test-report.ts";
import { mutationSummary } from "./mutation-text.ts";
import { failuresOf, relativeTo, type TestResult } from "./test-results.ts";

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
  notRun === null ? [] : [`${pluralize(notRun.hooks, "hook")} not run: ${STOP_WORDS[notRun.why]}`];

/** Warnings, hooks that were not run, and the mutation score. */
export const remarkTexts = (report: TestReport): readonly string[] => [
  ...report.warnings.map(warningText),
  ...notRunTexts(report),
  ...(report.mutation === undefined ? [] : [mutationSummary(report.mutation)]),
];

/** The progress line while tests run. Before the hooks are known, the planned number is 0. */
export function progressText({ hooks, mutants }: TestProgressCounts, ms: number): string {
  if (hooks.planned === 0) return "Looking for hooks …";
  const respelled = mutants.planned === 0 ? "" : `, ${mutants.done} of ${pluralize(mutants.planned, "respelling")}`;
  return `${hooks.done} of ${pluralize(hooks.planned, "hook")} tested${respelled}, ${formatDuration(ms)} …`;
}

interface Progress {
  readonly planned: number;
  readonly done: number;
}

interface TestProgressCounts {
  readonly hooks: Progress;
  readonly mutants: Progress;
}

/** A weakness of a hook's cases, or a respelling that it does not stop. The hook passes nevertheless. */
interface HookRemark extends Pick<TestResult, "rule" | "suite" | "path" | "line"> {
  readonly text: string;
  /** Distinguishes remarks of a hook that have the same rule. */
  readonly subject: string;
}

export function remarksOn(hook: CheckedHook, rootDir: string): readonly HookRemark[] {
  const { name: suite, coverage, mutation } = hook;
  const remark = (rule: string, text: string, subject = ""): HookRemark => {
    return { rule, suite, path: relativeTo(rootDir, hook.path), line: null, text, subject };
  };
  return [
    ...hook.notes.map((note) => remark(note, NOTE_TEXTS[note])),
    ...portabilityOn(hook).map((text) => remark("not-portable", text, text)),
    ...(coverage === null || isCovered(coverage) ? [] : [remark("not-covered", coverageText(coverage))]),
    ...(mutation?.cases ?? []).flatMap(({ name, file, line, expects, respellings, survivors }) => {
      const [shortest] = survivors.toSorted((a, b) => a.command.length - b.command.length);
      if (shortest === undefined) return [];
      const count = `${survivors.length} of ${pluralize(respellings, "respelling")}`;
      const text = `${name}: ${count} ${expects === "stop" ? "allowed" : "stopped"}, such as ${shortest.command}`;
      return [{ ...remark("respelling-survives", text, name), path: relativeTo(rootDir, file), line }];
    }),
  ];
}

/** A failure or a remark, as formats show it that have no passed checks. */
export interface ReportFinding extends Pick<TestResult, "rule" | "suite" | "path" | "line"> {
  readonly level: "error" | "warning";
  readonly description: string;
  /** Distinguishes the findings of a suite that have the same rule. */
  readonly subject: string;
  /** Absent: it is a remark. */
  readonly failure?: TestResult;
}

/** Every failure of the report, then every remark on its hooks. */
export function findingsOf(report: TestReport, rootDir: string): readonly ReportFinding[] {
  const failures = failuresOf(report, rootDir).map((failure): ReportFinding => {
    const { rule, suite, name, message, path, line } = failure;
    const description = `${suite}: ${name}${message === null ? "" : `: ${message}`}`;
    return { level: "error", rule, suite, path, line, description, subject: name, failure };
  });
  const remarks = report.hooks
    .flatMap((hook) => remarksOn(hook, rootDir))
    .map(({ text, ...remark }): ReportFinding => {
      return { ...remark, level: "warning", description: `${remark.suite}: ${text}` };
    });
  return [...failures, ...remarks];
}

/** The agents with which the hook does not work. */
export const portabilityOn = ({ portability }: Pick<CheckedHook, "portability">): readonly string[] =>
  portability?.texts ?? [];

/** `10 of 14 lines reached by its cases, not 12, 14-16`. */
export function coverageText({ unit, reached, total, missing, unknownBecause }: HookCoverage): string {
  if (unknownBecause !== null) return `its coverage is not known: ${truncateEscaped(unknownBecause, 400)}`;
  const rest = missing.length === 0 ? "" : `, not ${truncateEscaped(missing.join(", "), 400)}`;
  return `${reached} of ${total} ${unit} reached by its cases${rest}`;
}

export const isCovered = ({ missing, unknownBecause }: HookCoverage): boolean =>
  missing.length === 0 && unknownBecause === null;

/** The text of each note. */
export const NOTE_TEXTS: Readonly<Record<HookNote, string>> = {
  "never-blocks": "no case makes it block",
  "passes-without-it": "its cases pass without it",
};
