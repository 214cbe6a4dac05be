import type { TestReport } from "../test-report.ts";
import { allItems, manyLines, oneLine, type ReportItem } from "./report-items.ts";
import { type ReporterContext, remarkTexts, type TestReporter } from "./report-texts.ts";

/** JUnit XML as Jenkins and GitLab read it: a suite for each hook, and one for each invalid file of cases. */
export const junitReporter = ({ rootDir }: ReporterContext): TestReporter => ({
  end: (report) => junitText(report, allItems(report, rootDir)),
});

function junitText(report: TestReport, items: readonly ReportItem[]): string {
  const results = items.filter(({ status }) => status !== "remark");
  const remarks = [
    ...items.filter(({ status }) => status === "remark"),
    ...remarkTexts(report).map((text) => ({ suite: "hookctl", text })),
  ].map(({ suite, text }) => ({ suite: oneLine(suite), text }));
  const suites = new Set([...results, ...remarks].map(({ suite }) => suite));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: "hookctl", ...countsOf(results), time: seconds(report.durationMs) })}>`,
    ...[...suites].flatMap((name) => {
      const texts = remarks.filter(({ suite }) => suite === name).map(({ text }) => text);
      const here = results.filter(({ suite }) => suite === name);
      const time = here.reduce((sum, { check }) => sum + (check?.durationMs ?? 0), 0);
      const counts = { ...countsOf(here), skipped: countOf(here, "skipped"), time: seconds(time) };
      return [
        `  <testsuite${attributes({ name, ...counts })}>`,
        ...here.flatMap(caseLines),
        ...(texts.length === 0 ? [] : [`    ${element("system-out", {}, texts.join("\n"))}`]),
        "  </testsuite>",
      ];
    }),
    "</testsuites>\n",
  ].join("\n");
}

function caseLines({ suite, name, path, line, check, status, message, rule, text }: ReportItem): readonly string[] {
  const time = seconds(check?.durationMs ?? 0);
  const start = `    <testcase${attributes({ classname: suite, name, file: path, line, time })}`;
  const attribute = { message: message ?? "" };
  // A remark on a passed check has no other element.
  const printed = (status === "passed" ? [message ?? ""] : (check?.printed ?? [])).join("\n");
  const inner = [
    ...(status === "skipped" ? [element("skipped", attribute, "")] : []),
    ...(status === "failed" ? [element("failure", { ...attribute, type: rule }, text)] : []),
    ...(printed.replaceAll("\n", "") === "" ? [] : [element("system-out", {}, printed)]),
  ];
  return inner.length === 0 ? [`${start}/>`] : [`${start}>`, ...inner.map((one) => `      ${one}`), "    </testcase>"];
}

const countsOf = (results: readonly ReportItem[]): Attributes => ({
  tests: results.length,
  failures: countOf(results, "failed"),
  errors: 0,
});

const countOf = (results: readonly ReportItem[], status: ReportItem["status"]): number =>
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
