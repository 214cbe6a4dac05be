import type { CheckedHook, TestReport } from "../../test-runner/test-report.ts";
import type { Style } from "../text-style.ts";
import { testJson } from "./test-json.ts";
import { prettyReporter } from "./test-text.ts";

/** What a reporter needs beside the results. */
export interface ReporterContext {
  /** Also lists checks that passed without a remark, and what the hooks printed. */
  readonly isVerbose: boolean;
  /** Paths below this folder are shown relative to it. */
  readonly projectDir: string;
  readonly style: Style;
}

/** Writes one report: the text of each hook when its turn comes, then the rest. Other hooks may still be running. */
export interface TestReporter {
  hook?(hook: CheckedHook): string;
  /** The report has every hook, those already written too. */
  end(report: TestReport): string;
}

interface ReporterRow {
  readonly about: string;
  create(context: ReporterContext): TestReporter;
}

/** The formats in which `hookctl test` reports. To add one, write its file and add a row here. */
export const TEST_REPORTERS = {
  pretty: { about: "text for a person", create: prettyReporter },
  json: {
    about: "every result, one JSON object",
    create: () => ({ end: (report) => `${testJson(report)}\n` }),
  },
} as const satisfies Readonly<Record<string, ReporterRow>>;

export type TestReporterName = keyof typeof TEST_REPORTERS;
