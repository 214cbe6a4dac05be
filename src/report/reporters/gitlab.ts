import { printableJson } from "../../protocol/json/write.ts";
import type { TestReport } from "../../test-runner/test-report.ts";
import { remarksOn } from "./remarks.ts";
import type { ReporterContext, TestReporter } from "./test-reporters.ts";
import { allResults, fingerprint, oneLine, wellFormed } from "./test-results.ts";

/** GitLab's code quality report: a list of failures, with remarks as minor issues. */
export function gitlabReporter({ rootDir }: ReporterContext): TestReporter {
  return { end: (report) => `${printableJson(violationsOf(report, rootDir).map(violationJson))}\n` };
}

interface Violation {
  readonly rule: string;
  readonly severity: "major" | "minor";
  readonly description: string;
  readonly path: string;
  readonly line: number | null;
  /** Equal for the same failure in every report. */
  readonly identity: readonly string[];
}

function violationsOf(report: TestReport, rootDir: string): readonly Violation[] {
  const failed = allResults(report, rootDir).filter(({ status }) => status === "failed");
  return [
    ...failed.map(({ rule, suite, name, message, path, line }) => ({
      rule,
      severity: "major" as const,
      description: `${suite}: ${name}${message === null ? "" : `: ${message}`}`,
      path,
      line,
      identity: [suite, name],
    })),
    ...report.hooks
      .flatMap((hook) => remarksOn(hook, rootDir))
      .map(({ rule, suite, text, path, line, subject }) => ({
        rule,
        severity: "minor" as const,
        description: `${suite}: ${text}`,
        path,
        line,
        identity: [suite, subject],
      })),
  ];
}

function violationJson({ rule, severity, description, path, line, identity }: Violation) {
  const file = wellFormed(path);
  return {
    description: oneLine(description),
    check_name: `hookctl/${rule}`,
    fingerprint: fingerprint([rule, file, ...identity]),
    severity,
    location: { path: file, lines: { begin: line ?? 1 } },
  };
}
