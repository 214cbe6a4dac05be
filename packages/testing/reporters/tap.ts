import { printableJson } from "../../../src/protocol/json/write.ts";
import { warningText } from "../../../src/protocol/warning.ts";
import { hookItems, oneLine, otherItems, type ReportItem, wellFormed } from "./report-items.ts";
import { notRunTexts, type ReporterContext, scoreTexts, type TestReporter } from "./report-texts.ts";

/** TAP 14, hook by hook; the number of tests is known at the end. */
export function tapReporter({ rootDir }: ReporterContext): TestReporter {
  let [version, count] = ["TAP version 14\n", 0];
  const lines = (items: readonly ReportItem[]): string => {
    const text = items.map((item) =>
      item.status === "remark" ? `# note: ${oneLine(`${item.suite}: ${item.text}`)}\n` : testPoint(item, ++count),
    );
    const all = version + text.join("");
    version = "";
    return all;
  };
  return {
    hook: (hook) => lines(hookItems(hook, rootDir)),
    end: (report) => {
      const others = lines(otherItems(report, rootDir));
      const warnings = [...report.warnings.map(warningText), ...scoreTexts(report)];
      const plan = count === 0 ? "1..0 # SKIP nothing to test" : `1..${count}`;
      // Nothing may follow a plan at the end, and an interrupted call has none.
      const [last = plan] = notRunTexts(report).map((text) => `Bail out! ${text}`);
      return `${others}${warnings.map((text) => `# warning: ${oneLine(text)}\n`).join("")}${last}\n`;
    },
  };
}

/** The hook is last, in brackets: some parsers read a brace at the end of a line as the start of a subtest. */
function testPoint(item: ReportItem, number: number): string {
  const { status, suite, name, message } = item;
  const title = `${number} - ${escaped(`${name} [${suite}]`)}`;
  if (status === "skipped") return `ok ${title} # SKIP ${escaped(`${message ?? ""}.`)}\n`;
  return status === "passed" ? `ok ${title}\n` : `not ok ${title}\n${diagnostics(item)}`;
}

/** Each value is JSON on one line, which is YAML too. */
function diagnostics({ message, rule, path, line, hint, rerun, check }: ReportItem): string {
  const { crash, ...evidence } = check?.evidence ?? {};
  const { payload, response, expected, found } = evidence;
  const printed = check === undefined || check.printed.length === 0 ? undefined : check.printed.join("\n");
  const values = Object.entries({
    message,
    rule,
    at: { file: wellFormed(path), line },
    duration_ms: Math.round(check?.durationMs ?? 0),
    ...{ payload, response, expected, found, crash: crash?.message, printed, hint, rerun },
  }).flatMap(([key, value]) => {
    if (value === null || value === undefined) return [];
    return `  ${key}: ${printableJson(typeof value === "string" ? wellFormed(value) : value)}\n`;
  });
  return `  ---\n${values.join("")}  ...\n`;
}

const escaped = (text: string): string => oneLine(text).replace(/[\\#]/g, "\\$&");
