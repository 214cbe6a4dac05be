import { truncate } from "../../../src/protocol/text/text.ts";
import { formatDuration } from "../../../src/protocol/text/units.ts";
import type { CheckedHook, TestReport } from "../test-report.ts";
import { countsText, notRunTexts, remarksOn, remarkTexts } from "./remarks.ts";
import type { ReporterContext, TestReporter } from "./reporter.ts";
import { failuresOf, manyLines, oneLine, type TestResult, wellFormed } from "./test-results.ts";

/** GitHub shows no more annotations of one step. */
const ANNOTATION_LIMIT = 10;

/** Annotations as workflow commands: failures, remarks, then repeated failures; and a page for the step summary. */
export function githubReporter({ rootDir }: ReporterContext): TestReporter {
  return {
    end: (report) => annotationsText(report, rootDir),
    stepSummary: (report) => stepSummary(report, rootDir),
  };
}

function annotationsText(report: TestReport, rootDir: string): string {
  const failures = failuresOf(report, rootDir);
  const remarks = report.hooks.flatMap((hook) => remarksOn(hook, rootDir));
  const annotations = [
    ...failures.filter(({ isRepeated }) => !isRepeated).map((result) => failureAnnotation(result)),
    ...remarks.map((remark) => annotation("warning", { ...remark, title: remark.suite })),
    ...failures.filter(({ isRepeated }) => isRepeated).map((result) => failureAnnotation(result)),
  ];
  const more = annotations.length - ANNOTATION_LIMIT;
  return [
    ...annotations.slice(0, ANNOTATION_LIMIT),
    ...(more > 0 ? [`${more} more in the summary of this step`] : []),
    ...notRunTexts(report),
    `hookctl: ${countsText(report)}\n`,
  ].join("\n");
}

const failureAnnotation = (result: TestResult): string =>
  annotation("error", { ...result, title: `${result.suite}: ${result.name}` });

interface Annotated extends Pick<TestResult, "text" | "path" | "line"> {
  readonly title: string;
}

/** `line` is last, because GitHub trims the end of the last value. */
function annotation(command: "error" | "warning", { title, text, path, line }: Annotated): string {
  const file = wellFormed(path);
  return `::${command} title=${propertyText(oneLine(title))},file=${propertyText(file)},line=${line ?? 1}::${dataText(manyLines(text))}`;
}

const dataText = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const propertyText = (text: string): string => dataText(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** Escapes what the runner would read as a command: `::name::` at the start of a line, `##[name]` anywhere. */
export const withoutCommands = (text: string): string =>
  text.replace(/^([^\S\n]*)::/gm, "$1\\::").replaceAll("##[", "##\\[");

/** GitHub rejects a summary of more than 1 MiB. */
const MOST_ROWS = 100;
const MOST_FAILURES = 50;
const MOST_REMARKS = 2;
const NAME_LIMIT = 200;
const TEXT_LIMIT = 4000;

/** Markdown: the counts, a table of hooks, and each failure in full. */
function stepSummary(report: TestReport, rootDir: string): string {
  const failures = failuresOf(report, rootDir);
  const parts = [
    `### hookctl: ${failures.length === 0 ? "✅" : "❌"} ${countsText(report)}`,
    hookTable(report.hooks),
    ...failures.slice(0, MOST_FAILURES).map(failurePart),
    more(failures.length - MOST_FAILURES, "failure"),
    ...remarkTexts(report)
      .slice(-MOST_ROWS)
      .map((text) => `> ▲ ${markdownText(text)}`),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n\n`;
}

function hookTable(hooks: readonly CheckedHook[]): string {
  if (hooks.length === 0) return "";
  const rows = hooks.slice(0, MOST_ROWS).map((hook) => {
    const { name, checks } = hook;
    const failed = checks.filter(({ passed }) => !passed).length;
    const time = checks.reduce((sum, { durationMs }) => sum + durationMs, 0);
    const remarks = remarksOn(hook, "")
      .slice(0, MOST_REMARKS)
      .map(({ text }) => `▲ ${markdownText(text)}`)
      .join("; ");
    const mark = failed === 0 ? "✅" : "❌";
    return `| ${mark} | ${markdownText(name)} | ${checks.length - failed} | ${failed} | ${formatDuration(time)} | ${remarks} |`;
  });
  const table = ["| | hook | passed | failed | time | |", "|---|---|--:|--:|--:|---|", ...rows].join("\n");
  const rest = more(hooks.length - MOST_ROWS, "hook");
  return rest === "" ? table : `${table}\n\n${rest}`;
}

function failurePart({ suite, name, text }: TestResult): string {
  const body = truncate(manyLines(text), TEXT_LIMIT);
  return `#### ❌ ${markdownText(suite)}: ${markdownText(name)}\n\n${fenced(body)}`;
}

/** A fence is longer than every run of backticks in its text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

const more = (count: number, word: string): string => (count <= 0 ? "" : `… and ${count} more ${word}s`);

/** Every character that could mean something in Markdown or HTML is escaped. */
const markdownText = (text: string): string => truncate(oneLine(text), NAME_LIMIT).replace(/[!-/:-@[-`{-~]/g, "\\$&");
