import type { TestReporterName } from "../../../src/protocol/reporter-names.ts";
import { githubReporter } from "./github.ts";
import { junitReporter } from "./junit.ts";
import { prettyReporter } from "./pretty.ts";
import type { ReporterContext, TestReporter } from "./report-texts.ts";
import { gitlabReporter, sarifReporter } from "./sarif.ts";
import { tapReporter } from "./tap.ts";
import { testJson } from "./test-json.ts";

interface ReporterRow {
  readonly about: string;
  create(context: ReporterContext): TestReporter;
}

/** The formats in which `hookctl test` reports. To add one, write its file and add its name and a row. */
export const TEST_REPORTERS: Readonly<Record<TestReporterName, ReporterRow>> = {
  pretty: { about: "for a person: a line for each hook, failures in full, the counts last", create: prettyReporter },
  json: {
    about: "everything, as one JSON object (`hookctl.test/1`)",
    create: () => ({ end: (report) => `${testJson(report)}\n` }),
  },
  junit: {
    about: "JUnit XML: Jenkins, GitLab's test report, Azure DevOps, CircleCI and others",
    create: junitReporter,
  },
  tap: { about: "TAP 14, with a YAML block for each failure", create: tapReporter },
  github: {
    about: "GitHub Actions: at most 10 annotations, and a step summary in `$GITHUB_STEP_SUMMARY`",
    create: githubReporter,
  },
  gitlab: { about: "GitLab's code quality report (JSON)", create: gitlabReporter },
  sarif: { about: "SARIF 2.1.0: code scanning of GitHub, and editors", create: sarifReporter },
};
