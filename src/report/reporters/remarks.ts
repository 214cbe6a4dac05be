import { pluralize } from "../../protocol/text/count.ts";
import { truncateEscaped } from "../../protocol/text/text.ts";
import { formatDuration } from "../../protocol/text/units.ts";
import { warningText } from "../../protocol/warning.ts";
import {
  type CheckedHook,
  countChecks,
  type HookCoverage,
  type HookNote,
  type MutatedCase,
  STOP_WORDS,
  type TestReport,
} from "../../test-runner/test-report.ts";
import { mutationSummary } from "./mutation-text.ts";
import { relativeTo, type TestResult } from "./test-results.ts";

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

export const remarksOn = (hook: CheckedHook, rootDir: string): readonly HookRemark[] => [
  ...hook.notes.map((note) => ({
    rule: note,
    suite: hook.name,
    path: relativeTo(rootDir, hook.path),
    line: null,
    text: NOTE_TEXTS[note],
    subject: "",
  })),
  ...portabilityOn(hook).map((text) => ({
    ...{
      rule: "not-portable",
      suite: hook.name,
      path: relativeTo(rootDir, hook.path),
      line: null,
      text,
      subject: text,
    },
  })),
  ...coverageRemark(hook, rootDir),
  ...(hook.mutation?.cases ?? []).flatMap((one) => survivorRemark(one, hook.name, rootDir)),
];

/** The agents with which the hook does not work. */
export const portabilityOn = ({ portability }: Pick<CheckedHook, "portability">): readonly string[] =>
  portability?.texts ?? [];

function coverageRemark({ name, path, coverage }: CheckedHook, rootDir: string): readonly HookRemark[] {
  if (coverage === null || isCovered(coverage)) return [];
  const text = coverageText(coverage);
  return [{ rule: "not-covered", suite: name, path: relativeTo(rootDir, path), line: null, text, subject: "" }];
}

function survivorRemark(one: MutatedCase, suite: string, rootDir: string): readonly HookRemark[] {
  const { name, file, line, expects, respellings, survivors } = one;
  const shortest = [...survivors].sort((a, b) => a.command.length - b.command.length)[0];
  if (shortest === undefined) return [];
  const count = `${survivors.length} of ${pluralize(respellings, "respelling")}`;
  const text = `${name}: ${count} ${expects === "stop" ? "allowed" : "stopped"}, such as ${shortest.command}`;
  return [{ rule: "respelling-survives", suite, path: relativeTo(rootDir, file), line, text, subject: name }];
}

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
