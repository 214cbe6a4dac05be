import type { TestReport } from "../../test-runner/test-report.ts";
import { countsText, notRunTexts } from "./counts-text.ts";
import { stepSummary } from "./github-summary.ts";
import { remarksOn } from "./remarks.ts";
import type { ReporterContext, TestReporter } from "./test-reporters.ts";
import { allResults, manyLines, oneLine, type TestResult, wellFormed } from "./test-results.ts";

/** GitHub shows no more than these of one step. */
const ANNOTATION_LIMIT = 10;

/** Annotations as workflow commands: failures, remarks, then failures told before; and a page for the step summary. */
export function githubReporter({ rootDir }: ReporterContext): TestReporter {
  return {
    end: (report) => annotationsText(report, rootDir),
    stepSummary: (report) => stepSummary(report, rootDir),
  };
}

function annotationsText(report: TestReport, rootDir: string): string {
  const failures = allResults(report, rootDir).filter(({ status }) => status === "failed");
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

/** `line` stands last: the spaces at the end of the last value are cut off. */
function annotation(command: "error" | "warning", { title, text, path, line }: Annotated): string {
  const file = wellFormed(path);
  return `::${command} title=${propertyText(oneLine(title))},file=${propertyText(file)},line=${line ?? 1}::${dataText(manyLines(text))}`;
}

const dataText = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const propertyText = (text: string): string => dataText(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** A text with nothing that the runner takes for a command: `::name::` at the start of a line, `##[name]` anywhere. */
export const withoutCommands = (text: string): string =>
  text.replace(/^([^\S\n]*)::/gm, "$1\\::").replaceAll("##[", "##\\[");
