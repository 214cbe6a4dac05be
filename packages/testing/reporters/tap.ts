import { printableJson } from "../../../src/protocol/json/write.ts";
import { warningText } from "../../../src/protocol/warning.ts";
import type { CheckedHook, TestReport } from "../test-report.ts";
import { mutationSummary } from "./mutation-text.ts";
import { notRunTexts, remarksOn } from "./remarks.ts";
import type { ReporterContext, TestReporter } from "./reporter.ts";
import { hookResults, oneLine, otherResults, type TestResult, wellFormed } from "./test-results.ts";

/** TAP 14, hook by hook; the number of tests is known at the end. */
export function tapReporter({ rootDir }: ReporterContext): TestReporter {
  let [version, count] = ["TAP version 14\n", 0];
  const lines = (results: readonly TestResult[]): string => {
    const text = version + results.map((result) => testPoint(result, ++count)).join("");
    version = "";
    return text;
  };
  return {
    hook: (hook) => lines(hookResults(hook, rootDir)) + remarksOf(hook, rootDir),
    end: (report) => {
      const others = lines(otherResults(report, rootDir));
      const plan = count === 0 ? "1..0 # SKIP nothing to test" : `1..${count}`;
      // Nothing may follow a plan at the end, and an interrupted call has none.
      const [last = plan] = notRunTexts(report).map((text) => `Bail out! ${text}`);
      return `${others}${warningsOf(report)}${last}\n`;
    },
  };
}

/** The hook is last, in brackets: some parsers read a brace at the end of a line as the start of a subtest. */
function testPoint(result: TestResult, number: number): string {
  const { status, suite, name, message } = result;
  const title = `${number} - ${escaped(`${name} [${suite}]`)}`;
  if (status === "skipped") return `ok ${title} # SKIP ${escaped(`${message ?? ""}.`)}\n`;
  return status === "passed" ? `ok ${title}\n` : `not ok ${title}\n${diagnostics(result)}`;
}

/** Each value is JSON on one line, which is YAML too. */
function diagnostics({ message, hint, evidence, rerun, ...result }: TestResult): string {
  const crash = evidence?.crash ?? null;
  const values = Object.entries({
    message,
    rule: result.rule,
    at: { file: wellFormed(result.path), line: result.line ?? undefined },
    duration_ms: Math.round(result.durationMs),
    payload: evidence?.payload,
    response: evidence?.response,
    expected: evidence?.expected,
    found: evidence?.found,
    crash: crash === null ? null : wellFormed(crash.message),
    printed: result.printed.length === 0 ? null : result.printed.join("\n"),
    hint,
    rerun,
  }).flatMap(([key, value]) => {
    if (value === null || value === undefined) return [];
    return `  ${key}: ${printableJson(typeof value === "string" ? wellFormed(value) : value)}\n`;
  });
  return `  ---\n${values.join("")}  ...\n`;
}

const remarksOf = (hook: CheckedHook, rootDir: string): string =>
  remarksOn(hook, rootDir)
    .map(({ suite, text }) => `# note: ${oneLine(`${suite}: ${text}`)}\n`)
    .join("");

const warningsOf = ({ warnings, mutation }: TestReport): string =>
  [...warnings.map(warningText), ...(mutation === undefined ? [] : [mutationSummary(mutation)])]
    .map((text) => `# warning: ${oneLine(text)}\n`)
    .join("");

const escaped = (text: string): string => oneLine(text).replace(/[\\#]/g, "\\$&");
