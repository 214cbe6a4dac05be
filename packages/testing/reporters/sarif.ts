import { type JsonRecord, printableJson } from "../../../src/protocol/json/write.ts";
import type { HookNote, TestReport } from "../test-report.ts";
import {
  findingsOf,
  findingText,
  fingerprint,
  manyLines,
  oneLine,
  type ReportItem,
  wellFormed,
} from "./report-items.ts";
import { NOTE_TEXTS, type ReporterContext, remarkTexts, type TestReporter } from "./report-texts.ts";

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** SARIF 2.1.0: failures as errors, remarks on hooks as warnings. */
export const sarifReporter = ({ rootDir }: ReporterContext): TestReporter => ({
  end: (report) => `${printableJson({ version: "2.1.0", $schema: SCHEMA, runs: [sarifRun(report, rootDir)] })}\n`,
});

function sarifRun(report: TestReport, rootDir: string): JsonRecord {
  const findings = findingsOf(report, rootDir);
  const ids = [...new Set(findings.map(({ rule }) => rule))];
  const rules = ids.map((id) => ({ id, shortDescription: { text: ruleText(id) } }));
  const warnings = remarkTexts(report).map((text) => ({ level: "warning", message: message(text) }));
  return {
    tool: { driver: { name: "hookctl", informationUri: "https://github.com/hookctl/hookctl", rules } },
    invocations: [{ executionSuccessful: report.notRun === undefined, toolExecutionNotifications: warnings }],
    columnKind: "utf16CodeUnits",
    results: findings.map((finding) => resultJson(finding, ids.indexOf(finding.rule))),
  };
}

function resultJson(finding: ReportItem, ruleIndex: number): JsonRecord {
  const { rule, suite, name, path, line, status } = finding;
  const file = path.startsWith("/")
    ? { uri: `file://${uriPath(path)}` }
    : { uri: uriPath(path), uriBaseId: "%SRCROOT%" };
  return {
    ruleId: rule,
    ruleIndex,
    level: status === "remark" ? "warning" : "error",
    message: message(findingText(finding)),
    locations: [{ physicalLocation: { artifactLocation: file, region: { startLine: line ?? 1 } } }],
    partialFingerprints: { "hookctl/v1": fingerprint([rule, path, suite, name]) },
    properties: propertiesOf(finding),
  };
}

/** The property bag may contain any text unchanged. */
function propertiesOf({ check, hint, rerun }: ReportItem): JsonRecord {
  const { payload, response, expected, found, crash } = check?.evidence ?? {};
  const texts = Object.entries({ payload, response, expected, found, crash: crash?.message, hint, rerun });
  return Object.fromEntries(texts.flatMap(([key, text]) => (text === undefined ? [] : [[key, manyLines(text)]])));
}

/** Braces are doubled, because `{0}` is a placeholder, and `](` is parted, because it would make a link. */
const message = (text: string): JsonRecord => ({
  text: oneLine(text).replace(/[{}]/g, "$&$&").replaceAll("](", "] ("),
});

const uriPath = (path: string): string => wellFormed(path).split("/").map(encodeURIComponent).join("/");

const ruleText = (rule: string): string =>
  Object.hasOwn(NOTE_TEXTS, rule) ? NOTE_TEXTS[rule as HookNote] : rule.replaceAll("-", " ");

/** GitLab's code quality report: a list of failures, with remarks as minor issues. */
export const gitlabReporter = ({ rootDir }: ReporterContext): TestReporter => ({
  end: (report) => {
    const violations = findingsOf(report, rootDir).map((finding): JsonRecord => {
      const path = wellFormed(finding.path);
      return {
        description: oneLine(findingText(finding)),
        check_name: `hookctl/${finding.rule}`,
        fingerprint: fingerprint([finding.rule, path, finding.suite, finding.name]),
        severity: finding.status === "remark" ? "minor" : "major",
        location: { path, lines: { begin: finding.line ?? 1 } },
      };
    });
    return `${printableJson(violations)}\n`;
  },
});
