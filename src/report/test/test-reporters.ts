import type { TestReport } from "../../test-runner/test-report.ts";
import type { Style } from "../text-style.ts";
import { testJson } from "./test-json.ts";
import { testText } from "./test-text.ts";

export interface TestReporterInput extends TestReport {
  /** Also lists checks that passed without a remark, and what the hooks printed. */
  readonly isVerbose: boolean;
  /** Paths below this folder are shown relative to it. */
  readonly projectDir: string;
}

type TestReporter = (report: TestReporterInput, style: Style) => string;

/** The formats in which `hookctl test` reports. To add one, write its file and add a row here. */
export const TEST_REPORTERS = {
  text: testText,
  json: (report) => `${testJson(report)}\n`,
} as const satisfies Readonly<Record<string, TestReporter>>;

export type TestReporterName = keyof typeof TEST_REPORTERS;
