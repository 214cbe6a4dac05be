import type { TestReporterName } from "../../protocol/reporter-names.ts";
import type { CheckedHook, TestReport } from "../../test-runner/test-report.ts";
import type { Style } from "../text-style.ts";
import { githubReporter } from "./github.ts";
import { gitlabReporter } from "./gitlab.ts";
import { junitReporter } from "./junit.ts";
import { prettyReporter } from "./pretty.ts";
import { sarifReporter } from "./sarif.ts";
import { tapReporter } from "./tap.ts";
import { testJson } from "./test-json.ts";

/** Options of a reporter. */
export interface ReporterContext {
  /** Lists every check, and what the hooks printed. */
  readonly isVerbose: boolean;
  /** Omits passed checks, but not the counts. */
  readonly isQuiet: boolean;
  /** Paths below this folder are shown relative to it, in text for people. */
  readonly projectDir: string;
  /** Paths below the checkout are relative to it, in formats for CI systems. */
  readonly rootDir: string;
  readonly style: Style;
  /** GitHub's runner reads the text, and carries out the commands in it. */
  readonly isWorkflowLog: boolean;
}

/** Writes one report: the text of each hook in order, then the rest. Other hooks may still be running. */
export interface TestReporter {
  hook?(hook: CheckedHook): string;
  /** The report has every hook, those already written too. */
  end(report: TestReport): string;
  /** Markdown for the file that `$GITHUB_STEP_SUMMARY` names. */
  stepSummary?(report: TestReport): string;
}

interface ReporterRow {
  readonly about: string;
  create(context: ReporterContext): TestReporter;
}

/** The formats in which `hookctl test` reports. To add one, write its file and add its name and a row. */
export const TEST_REPORTERS: Readonly<Record<TestReporterName, ReporterRow>> = {
  pretty: {
    about: "for a person: a line for each hook, failures in full, the counts last",
    create: prettyReporter,
  },
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
