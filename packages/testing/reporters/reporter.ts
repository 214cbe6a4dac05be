import type { Style } from "../../../src/report/text-style.ts";
import type { CheckedHook, TestReport } from "../test-report.ts";

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
