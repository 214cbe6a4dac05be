import { truncate } from "../../../src/protocol/text/text.ts";
import { formatDuration } from "../../../src/protocol/text/units.ts";
import type { CheckedHook, TestReport } from "../test-report.ts";
import { findingsOf, manyLines, oneLine, type ReportItem, remarksOn, wellFormed } from "./report-items.ts";
import { countsText, notRunTexts, type ReporterContext, remarkTexts, type TestReporter } from "./report-texts.ts";

/** GitHub shows no more annotations of one step. */
const ANNOTATION_LIMIT = 10;

/** Annotations as workflow commands: failures, remarks, then repeated failures; and a page for the step summary. */
export const githubReporter = ({ rootDir }: ReporterContext): TestReporter => ({
  end: (report) => annotationsText(report, findingsOf(report, rootDir)),
  stepSummary: (report) => stepSummary(report, findingsOf(report, rootDir)),
});

function annotationsText(report: TestReport, findings: readonly ReportItem[]): string {
  const isRepeated = ({ check }: ReportItem): boolean => check?.sameAs !== undefined;
  const annotations = [...findings.filter((finding) => !isRepeated(finding)), ...findings.filter(isRepeated)];
  const more = annotations.length - ANNOTATION_LIMIT;
  return [
    ...annotations.slice(0, ANNOTATION_LIMIT).map(annotation),
    ...(more > 0 ? [`${more} more in the summary of this step`] : []),
    ...notRunTexts(report),
    `hookctl: ${countsText(report)}\n`,
  ].join("\n");
}

/** `line` is last, because GitHub trims the end of the last value. */
function annotation({ status, suite, name, text, path, line }: ReportItem): string {
  const [command, title] = status === "remark" ? ["warning", suite] : ["error", `${suite}: ${name}`];
  const file = propertyText(wellFormed(path));
  return `::${command} title=${propertyText(oneLine(title))},file=${file},line=${line ?? 1}::${dataText(manyLines(text))}`;
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
function stepSummary(report: TestReport, findings: readonly ReportItem[]): string {
  const failures = findings.filter(({ status }) => status === "failed");
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
    const time = formatDuration(checks.reduce((sum, { durationMs }) => sum + durationMs, 0));
    const remarks = remarksOn(hook, "").slice(0, MOST_REMARKS);
    const texts = remarks.map(({ text }) => `▲ ${markdownText(text)}`);
    const mark = failed === 0 ? "✅" : "❌";
    return `| ${mark} | ${markdownText(name)} | ${checks.length - failed} | ${failed} | ${time} | ${texts.join("; ")} |`;
  });
  const table = ["| | hook | passed | failed | time | |", "|---|---|--:|--:|--:|---|", ...rows].join("\n");
  const rest = more(hooks.length - MOST_ROWS, "hook");
  return rest === "" ? table : `${table}\n\n${rest}`;
}

function failurePart({ suite, name, text }: ReportItem): string {
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
