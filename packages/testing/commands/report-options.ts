import { resolve } from "node:path";
import type { UsageProblem } from "../../../src/protocol/problem.ts";
import { TEST_REPORTER_NAMES, type TestReporterName } from "../../../src/protocol/reporter-names.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { nearest } from "../../../src/protocol/text/nearest.ts";

/** Where the reports of `test` and `check` go. */
export interface ReportTargets {
  readonly stdout: TestReporterName;
  readonly files: readonly ReportFile[];
}

export interface ReportFile {
  readonly reporter: TestReporterName;
  /** As it was typed. */
  readonly name: string;
  readonly path: string;
}

/** The options of a command that reports tests. */
export interface ReportOptions {
  readonly reporter: TestReporterName | null;
  readonly outputs: readonly string[];
}

/** Reads `--reporter`, `--json` and `--output`; files are relative to `cwd`. */
export function readReportOptions(
  { reporter, outputs, json }: ReportOptions & { readonly json: boolean },
  cwd: string,
): Result<ReportTargets, UsageProblem> {
  if (json && reporter !== null && reporter !== "json") return fail(contradiction(reporter));
  const files: ReportFile[] = [];
  for (const output of outputs) {
    const file = readOutput(output, cwd);
    if (!file.ok) return file;
    if (files.some(({ path }) => path === file.value.path)) return fail(badOutput(output, "two reports for one file"));
    files.push(file.value);
  }
  return ok({ stdout: json ? "json" : (reporter ?? "pretty"), files });
}

function readOutput(output: string, cwd: string): Result<ReportFile, UsageProblem> {
  const equals = output.indexOf("=");
  const [word, name] = equals < 0 ? [output, ""] : [output.slice(0, equals), output.slice(equals + 1)];
  const reporter = TEST_REPORTER_NAMES.find((one) => one === word);
  if (reporter === undefined) return fail(badOutput(output, unknownReporter(word)));
  if (name === "") return fail(badOutput(output, `the file is missing: ${reporter}=FILE`));
  return ok({ reporter, name, path: resolve(cwd, name) });
}

function unknownReporter(word: string): string {
  const near = nearest(word, TEST_REPORTER_NAMES);
  return `it begins with one of ${TEST_REPORTER_NAMES.join(", ")}${near === null ? "" : `; did you mean ${near}?`}`;
}

const badOutput = (value: string, detail: string): UsageProblem => ({
  code: "USAGE_BAD_VALUE",
  flag: "--output",
  value,
  detail,
});

const contradiction = (reporter: string): UsageProblem => ({
  code: "USAGE_WRONG_WORDS",
  detail: `--json and --reporter ${reporter} contradict each other.`,
  tryThis: `--reporter ${reporter} --output json=FILE`,
});
