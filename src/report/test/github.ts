import type { TestReport } from "../../test-runner/test-report.ts";
import { countsText, notRunTexts } from "./counts-text.ts";
import { stepSummary } from "./github-summary.ts";
import { NOTE_TEXTS } from "./note-text.ts";
import type { ReporterContext, TestReporter } from "./test-reporters.ts";
import { allResults, manyLines, oneLine, relativeTo, type TestResult, wellFormed } from "./test-results.ts";

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
  const remarks = report.hooks.flatMap((hook) => hook.notes.map((note) => ({ hook, note })));
  const annotations = [
    ...failures.filter(({ isRepeated }) => !isRepeated).map((result) => annotation("error", result)),
    ...remarks.map(({ hook, note }) => {
      const remark = {
        suite: hook.name,
        name: NOTE_TEXTS[note],
        text: "",
        path: relativeTo(rootDir, hook.path),
        line: null,
      };
      return annotation("warning", remark);
    }),
    ...failures.filter(({ isRepeated }) => isRepeated).map((result) => annotation("error", result)),
  ];
  const more = annotations.length - ANNOTATION_LIMIT;
  return [
    ...annotations.slice(0, ANNOTATION_LIMIT),
    ...(more > 0 ? [`${more} more in the summary of this step`] : []),
    ...notRunTexts(report),
    `hookctl: ${countsText(report)}\n`,
  ].join("\n");
}

type Annotated = Pick<TestResult, "suite" | "name" | "text" | "path" | "line">;

/** `line` stands last: the spaces at the end of the last value are cut off. */
function annotation(command: "error" | "warning", { suite, name, text, path, line }: Annotated): string {
  const title = `${oneLine(suite)}: ${oneLine(name)}`;
  const file = wellFormed(path);
  const body = manyLines(text === "" ? title : text);
  return `::${command} title=${propertyText(title)},file=${propertyText(file)},line=${line ?? 1}::${dataText(body)}`;
}

const dataText = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const propertyText = (text: string): string => dataText(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** A text with nothing that the runner takes for a command: `::name::` at the start of a line, `##[name]` anywhere. */
export const withoutCommands = (text: string): string =>
  text.replace(/^([^\S\n]*)::/gm, "$1\\::").replaceAll("##[", "##\\[");
