import { truncateEscaped } from "../../protocol/text/text.ts";
import { formatDuration } from "../../protocol/text/units.ts";
import { warningText } from "../../protocol/warning.ts";
import { type CheckedHook, type CheckResult, countChecks, type TestReport } from "../../test-runner/test-report.ts";
import { displayPath } from "../display-path.ts";
import { problemText, warningLine } from "../problem-text.ts";
import { column, pluralize, type Style } from "../text-style.ts";
import type { ReporterContext, TestReporter } from "./test-reporters.ts";

const NAME_WIDTH = 40;
const NAMED_BY_V = "(-v lists them)";

/** The report for a person: the checks of each hook with faults and hints, then what was skipped, and the counts. */
export function prettyReporter(context: ReporterContext): TestReporter {
  return {
    hook: (hook) => hookText(hook, context),
    end: (report) => endText(report, context.style),
  };
}

function endText(report: TestReport, style: Style): string {
  const warnings = report.warnings.map((warning) => warningLine(warningText(warning), style)).join("");
  const faults = report.caseFaults.map((problem) => problemText(problem, style)).join("");
  return `${skippedText(report, style)}${faults}${warnings}${report.hooks.length === 0 ? "" : summary(report, style)}`;
}

function hookText(hook: CheckedHook, context: ReporterContext): string {
  const { style } = context;
  const title = ` ${style.strong(column(truncateEscaped(hook.name, 60), NAME_WIDTH + 3))} ${style.faint(projectPath(hook.path, context))}\n`;
  const shownChecks = hook.checks.filter((check) => context.isVerbose || !isQuiet(check));
  const text = (check: CheckResult): string => checkText(check, hook, context);
  const contract = shownChecks.filter(({ caseFile }) => caseFile === null).map(text);
  const cases = shownChecks.filter(({ caseFile }) => caseFile !== null);
  const caseTexts = cases.map((check, index) => {
    const isFirstOfFile = check.caseFile !== cases[index - 1]?.caseFile;
    const heading = isFirstOfFile
      ? style.faint(`   test cases in ${projectPath(check.caseFile ?? "", context)}\n`)
      : "";
    return heading + text(check);
  });
  const quiet = quietText(hook.checks.length - shownChecks.length, style);
  return [title, ...contract, quiet, ...caseTexts, leftOutText(hook, context)].join("");
}

/** Passed, with nothing to read: such a check started no process of its own. */
const isQuiet = ({ passed, message, durationMs, caseFile }: CheckResult): boolean =>
  passed && message === null && durationMs === 0 && caseFile === null;

const quietText = (count: number, style: Style): string =>
  count === 0
    ? ""
    : `   ${style.good("✔")} ${pluralize(count, "more check")} of the file and its responses ${style.faint(NAMED_BY_V)}\n`;

function checkText(check: CheckResult, { again }: CheckedHook, { isVerbose, style }: ReporterContext): string {
  const mark = check.passed ? style.good("✔") : style.bad("✖");
  const time = check.durationMs === 0 ? "" : `${Math.round(check.durationMs)} ms`.padStart(8);
  const title = `   ${mark} ${column(truncateEscaped(check.name, 120), NAME_WIDTH)}${time}`.trimEnd();
  const lines = [
    ...(check.message === null
      ? []
      : [`${check.passed ? `${style.warn("▲")} ` : ""}${truncateEscaped(check.message, 600)}`]),
    ...check.excerpt.map((line) => `  ${truncateEscaped(line, 160)}`),
    ...(check.hint === null ? [] : [`Hint: ${truncateEscaped(check.hint, 300)}`]),
    ...(check.passed ? [] : [`Run again: hookctl test -v ${again}`]),
    ...(isVerbose ? check.printed.map((line) => style.faint(truncateEscaped(line, 300))) : []),
  ];
  return [title, ...lines.map((line) => `     ${line}`)].map((line) => `${line}\n`).join("");
}

/** The reason once, since they have it in common; each by its name for who wants to see it all. */
function leftOutText({ skippedChecks }: CheckedHook, { isVerbose, style }: ReporterContext): string {
  const [first] = skippedChecks;
  if (first === undefined) return "";
  const why = `   • ${pluralize(skippedChecks.length, "check")} skipped: ${truncateEscaped(first.reason, 200)}`;
  if (!isVerbose) return style.faint(`${why} ${NAMED_BY_V}\n`);
  return [why, ...skippedChecks.map(({ name }) => `     ${truncateEscaped(name, 120)}`)]
    .map((line) => style.faint(`${line}\n`))
    .join("");
}

function skippedText({ skipped }: TestReport, style: Style): string {
  if (skipped.length === 0) return "";
  const lines = skipped.map(({ name, reason, hint }) => {
    return ` ${style.warn("•")} ${truncateEscaped(name, 60)}: ${truncateEscaped(reason, 300)}\n     ${truncateEscaped(hint, 300)}\n`;
  });
  return `${style.strong("Skipped")}\n${lines.join("")}`;
}

function summary(examination: TestReport, style: Style): string {
  const { hooks, durationMs } = examination;
  const { passed, failed, skipped } = countChecks(examination);
  const counts = [
    ...(failed === 0 ? [] : [`${failed} failed`]),
    `${passed} passed`,
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
    pluralize(hooks.length, "hook"),
    formatDuration(durationMs),
  ].join(", ");
  const slowest = slowestOf(hooks);
  const tail =
    slowest === null ? "" : `slowest: ${truncateEscaped(slowest.name, 60)}, ${formatDuration(slowest.durationMs)}`;
  const line = `${column(counts, 48)} ${tail}`.trimEnd();
  return `\n${failed === 0 ? line : style.bad(line)}\n`;
}

function slowestOf(hooks: readonly CheckedHook[]): { readonly name: string; readonly durationMs: number } | null {
  const times = hooks.flatMap(({ name, checks }) => checks.map(({ durationMs }) => ({ name, durationMs })));
  return times.reduce<(typeof times)[number] | null>(
    (slowest, one) => (one.durationMs > (slowest?.durationMs ?? 0) ? one : slowest),
    null,
  );
}

const projectPath = (path: string, { projectDir }: ReporterContext): string =>
  displayPath(path, { cwd: projectDir, homeDir: null });
