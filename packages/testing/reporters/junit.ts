import type { TestReport } from "../test-report.ts";
import { remarksOn, remarkTexts } from "./remarks.ts";
import type { ReporterContext, TestReporter } from "./reporter.ts";
import { allResults, manyLines, oneLine, type TestResult } from "./test-results.ts";

/** JUnit XML as Jenkins and GitLab read it: a suite for each hook, and one for each invalid file of cases. */
export function junitReporter({ rootDir }: ReporterContext): TestReporter {
  return { end: (report) => junitText(report, rootDir) };
}

function junitText(report: TestReport, rootDir: string): string {
  const results = allResults(report, rootDir);
  const remarks = [
    ...report.hooks.flatMap((hook) => remarksOn(hook, rootDir)),
    ...remarkTexts(report).map((text) => ({ suite: "hookctl", text })),
  ].map(({ suite, text }) => ({ suite: oneLine(suite), text }));
  const suites = new Set([...results, ...remarks].map(({ suite }) => suite));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: "hookctl", ...countsOf(results), time: seconds(report.durationMs) })}>`,
    ...[...suites].flatMap((name) => {
      const texts = remarks.filter(({ suite }) => suite === name).map(({ text }) => text);
      return suiteLines(
        name,
        results.filter(({ suite }) => suite === name),
        texts,
      );
    }),
    "</testsuites>\n",
  ].join("\n");
}

function suiteLines(name: string, results: readonly TestResult[], remarks: readonly string[]): readonly string[] {
  const time = results.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const counts = { ...countsOf(results), skipped: countOf(results, "skipped"), time: seconds(time) };
  return [
    `  <testsuite${attributes({ name, ...counts })}>`,
    ...results.flatMap(caseLines),
    ...(remarks.length === 0 ? [] : [`    ${element("system-out", {}, remarks.join("\n"))}`]),
    "  </testsuite>",
  ];
}

function caseLines(result: TestResult): readonly string[] {
  const { suite, name, path, line, durationMs } = result;
  const time = seconds(durationMs);
  const start = `    <testcase${attributes({ classname: suite, name, file: path, line: line ?? undefined, time })}`;
  const inner = [...outcomeOf(result), ...printedBy(result)];
  return inner.length === 0 ? [`${start}/>`] : [`${start}>`, ...inner.map((one) => `      ${one}`), "    </testcase>"];
}

function outcomeOf({ status, message, rule, text }: TestResult): readonly string[] {
  if (status === "skipped") return [element("skipped", { message: message ?? "" }, "")];
  return status === "failed" ? [element("failure", { message: message ?? "", type: rule }, text)] : [];
}

/** A remark on what passed has no other place. */
function printedBy({ status, message, printed }: TestResult): readonly string[] {
  const lines = status === "passed" ? [message ?? ""] : printed;
  return lines.join("") === "" ? [] : [element("system-out", {}, lines.join("\n"))];
}

const countsOf = (results: readonly TestResult[]): Attributes => ({
  tests: results.length,
  failures: countOf(results, "failed"),
  errors: 0,
});

const countOf = (results: readonly TestResult[], status: TestResult["status"]): number =>
  results.filter((result) => result.status === status).length;

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

type Attributes = Readonly<Record<string, string | number | undefined>>;

const element = (name: string, values: Attributes, text: string): string =>
  text === "" ? `<${name}${attributes(values)}/>` : `<${name}${attributes(values)}>${xmlText(text)}</${name}>`;

const attributes = (values: Attributes): string =>
  Object.entries(values)
    .map(([name, value]) => (value === undefined ? "" : ` ${name}="${xmlText(oneLine(String(value)))}"`))
    .join("");

/** XML 1.0 cannot represent most control characters, so they are written as `\uXXXX`. */
const xmlText = (text: string): string => manyLines(text).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
