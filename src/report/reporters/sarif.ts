import { type JsonRecord, printableJson } from "../../protocol/json/write.ts";
import type { HookNote, TestReport } from "../../test-runner/test-report.ts";
import { NOTE_TEXTS, remarksOn, remarkTexts } from "./remarks.ts";
import type { ReporterContext, TestReporter } from "./test-reporters.ts";
import { allResults, fingerprint, manyLines, oneLine, type TestResult, wellFormed } from "./test-results.ts";

/** SARIF 2.1.0: failures as errors, remarks on hooks as warnings. */
export function sarifReporter({ rootDir }: ReporterContext): TestReporter {
  return { end: (report) => `${printableJson(sarifLog(report, rootDir))}\n` };
}

type SarifFinding = Pick<TestResult, "rule" | "suite" | "name" | "message" | "path" | "line"> & {
  readonly level: "error" | "warning";
  /** Equal for the same failure in every report. */
  readonly subject: string;
  readonly properties: JsonRecord;
};

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

function findingsOf(report: TestReport, rootDir: string): readonly SarifFinding[] {
  const failed = allResults(report, rootDir).filter(({ status }) => status === "failed");
  return [
    ...failed.map((result) => ({
      ...result,
      level: "error" as const,
      subject: result.name,
      properties: propertiesOf(result),
    })),
    ...report.hooks
      .flatMap((hook) => remarksOn(hook, rootDir))
      .map(({ text, subject, ...remark }) => ({
        ...{ ...remark, name: text, message: null, subject },
        ...{ level: "warning" as const, properties: {} },
      })),
  ];
}

function resultJson(finding: SarifFinding, ruleIndex: number): JsonRecord {
  const { rule, suite, name, path, line, level } = finding;
  return {
    ruleId: rule,
    ruleIndex,
    level,
    message: message(`${suite}: ${name}${finding.message === null ? "" : `: ${finding.message}`}`),
    locations: [
      {
        physicalLocation: {
          artifactLocation: artifactOf(path),
          region: { startLine: line ?? 1 },
        },
      },
    ],
    partialFingerprints: { "hookctl/v1": fingerprint([rule, path, suite, finding.subject]) },
    properties: finding.properties,
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
