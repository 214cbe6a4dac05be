import { type JsonRecord, printableJson } from "../../../src/protocol/json/write.ts";
import type { HookNote, TestReport } from "../test-report.ts";
import { findingsOf, NOTE_TEXTS, type ReportFinding, remarkTexts } from "./remarks.ts";
import type { ReporterContext, TestReporter } from "./reporter.ts";
import { fingerprint, manyLines, oneLine, type TestResult, wellFormed } from "./test-results.ts";

/** SARIF 2.1.0: failures as errors, remarks on hooks as warnings. */
export function sarifReporter({ rootDir }: ReporterContext): TestReporter {
  return { end: (report) => `${printableJson(sarifLog(report, rootDir))}\n` };
}

function sarifLog(report: TestReport, rootDir: string): JsonRecord {
  const findings = findingsOf(report, rootDir);
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  return {
    version: "2.1.0",
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    runs: [
      {
        tool: {
          driver: {
            name: "hookctl",
            informationUri: "https://github.com/hookctl/hookctl",
            rules: rules.map((id) => ({ id, shortDescription: { text: ruleText(id) } })),
          },
        },
        invocations: [
          {
            executionSuccessful: report.notRun === null,
            toolExecutionNotifications: remarkTexts(report).map((text) => ({
              level: "warning",
              message: message(text),
            })),
          },
        ],
        columnKind: "utf16CodeUnits",
        results: findings.map((finding) => resultJson(finding, rules.indexOf(finding.rule))),
      },
    ],
  };
}

function resultJson(finding: ReportFinding, ruleIndex: number): JsonRecord {
  const { rule, suite, path, line, level, failure } = finding;
  return {
    ruleId: rule,
    ruleIndex,
    level,
    message: message(finding.description),
    locations: [
      {
        physicalLocation: {
          artifactLocation: artifactOf(path),
          region: { startLine: line ?? 1 },
        },
      },
    ],
    partialFingerprints: { "hookctl/v1": fingerprint([rule, path, suite, finding.subject]) },
    properties: failure === undefined ? {} : propertiesOf(failure),
  };
}

const artifactOf = (path: string): JsonRecord =>
  path.startsWith("/") ? { uri: `file://${uriPath(path)}` } : { uri: uriPath(path), uriBaseId: "%SRCROOT%" };

/** The property bag may contain any text unchanged. */
function propertiesOf({ evidence, hint, rerun }: TestResult): JsonRecord {
  const { payload = null, response = null, expected = null, found = null, crash = null } = evidence ?? {};
  const texts = Object.entries({ payload, response, expected, found, crash: crash?.message ?? null, hint, rerun });
  return Object.fromEntries(texts.flatMap(([key, text]) => (text === null ? [] : [[key, manyLines(text)]])));
}

/** Braces are doubled, because `{0}` is a placeholder, and `](` is parted, because it would make a link. */
const message = (text: string): JsonRecord => ({
  text: oneLine(text).replace(/[{}]/g, "$&$&").replaceAll("](", "] ("),
});

const uriPath = (path: string): string => wellFormed(path).split("/").map(encodeURIComponent).join("/");

const ruleText = (rule: string): string =>
  Object.hasOwn(NOTE_TEXTS, rule) ? NOTE_TEXTS[rule as HookNote] : rule.replaceAll("-", " ");
