import { printableJson } from "../../../src/protocol/json/write.ts";
import { findingsOf, type ReportFinding } from "./remarks.ts";
import type { ReporterContext, TestReporter } from "./reporter.ts";
import { fingerprint, oneLine, wellFormed } from "./test-results.ts";

/** GitLab's code quality report: a list of failures, with remarks as minor issues. */
export function gitlabReporter({ rootDir }: ReporterContext): TestReporter {
  return { end: (report) => `${printableJson(findingsOf(report, rootDir).map(violationJson))}\n` };
}

function violationJson({ rule, suite, subject, level, description, path, line }: ReportFinding) {
  const file = wellFormed(path);
  return {
    description: oneLine(description),
    check_name: `hookctl/${rule}`,
    fingerprint: fingerprint([rule, file, suite, subject]),
    severity: level === "error" ? "major" : "minor",
    location: { path: file, lines: { begin: line ?? 1 } },
  };
}
