import { pluralize } from "../../../src/protocol/text/count.ts";
import { listNames, truncateEscaped } from "../../../src/protocol/text/text.ts";
import { formatDuration } from "../../../src/protocol/text/units.ts";
import { warningText } from "../../../src/protocol/warning.ts";
import { displayPath } from "../../../src/report/display-path.ts";
import { problemText, warningLine } from "../../../src/report/problem-text.ts";
import { column, type Style } from "../../../src/report/text-style.ts";
import { isBelowLimit } from "../mutate/survivors.ts";
import { type CheckedHook, type CheckResult, hasPassed, type TestReport } from "../test-report.ts";
import { failureLines } from "./failure-text.ts";
import { withoutCommands } from "./github.ts";
import { mutationSummary, mutationText } from "./mutation-text.ts";
import {
  countsText,
  coverageText,
  isCovered,
  NOTE_TEXTS,
  notRunTexts,
  portabilityOn,
  type ReporterContext,
  type TestReporter,
} from "./report-texts.ts";

const NAME_WIDTH = 32;
const COUNTS_WIDTH = 30;
const CHECK_WIDTH = 52;
const TIME_WIDTH = 9;

/** The report for the terminal: a line for each hook, its failures and remarks in full, then skipped hooks and the counts. */
export function prettyReporter(context: ReporterContext): TestReporter {
  let isEmpty = true;
  const safe = context.isWorkflowLog ? withoutCommands : (text: string): string => text;
  return {
    hook: (hook) => {
      const text = hookText(hook, context);
      isEmpty &&= text === "";
      return safe(text);
    },
    end: (report) => {
      const rest = restText(report, context.style);
      if (report.hooks.length === 0 && report.otherShards === 0) return safe(rest);
      const gap = isEmpty && rest === "" ? "" : "\n";
      return safe(`${rest}${gap}${summaryText(report, context)}`);
    },
  };
}

function hookText(hook: CheckedHook, context: ReporterContext): string {
  const { style, isVerbose, isQuiet } = context;
  const { coverage, mutation, notes } = hook;
  const remarks = [...notes.map((note) => NOTE_TEXTS[note]), ...portabilityOn(hook)];
  const isNoteworthy = !hasPassed(hook) || remarks.length > 0 || mutation !== undefined || !isCovered(coverage);
  if (isQuiet && !isNoteworthy) return "";
  const shown = hook.checks.filter((check) => isVerbose || !check.passed || (check.message !== null && !isQuiet));
  const path = isVerbose || !hasPassed(hook) ? `   ${style.faint(projectPath(hook.path, context))}\n` : "";
  return [
    titleText(hook, style),
    path,
    ...shown.map((check, index) => headingText(check, shown[index - 1], context) + checkText(check, hook, context)),
    mutation === undefined ? "" : mutationText(mutation, context),
    ...remarks.map((text) => `   ${style.warn("▲")} ${truncateEscaped(text, 400)}\n`),
    coverage === undefined
      ? ""
      : `   ${isCovered(coverage) ? style.good("✔") : style.warn("▲")} ${coverageText(coverage)}\n`,
    leftOutText(hook, context),
  ].join("");
}

/** `✔ guard    16 checks, 3 cases    112 ms`. */
function titleText(hook: CheckedHook, style: Style): string {
  const { name, checks } = hook;
  const mark = hasPassed(hook) ? style.good("✔") : style.bad("✖");
  const cases = checks.filter(({ caseFile }) => caseFile !== undefined).length;
  const failed = checks.filter(({ passed }) => !passed).length;
  const counts = [
    ...(cases > 0 && cases === checks.length ? [] : [pluralize(checks.length - cases, "check")]),
    ...(cases === 0 ? [] : [pluralize(cases, "case")]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
  ].join(", ");
  const time = timeText(checks.reduce((sum, { durationMs }) => sum + durationMs, 0));
  return ` ${mark} ${style.strong(column(truncateEscaped(name, 60), NAME_WIDTH))} ${column(counts, COUNTS_WIDTH)} ${time}\n`;
}

/** The file of the cases, above the first that is shown. */
function headingText({ caseFile }: CheckResult, before: CheckResult | undefined, context: ReporterContext): string {
  if (caseFile === undefined || caseFile === before?.caseFile) return "";
  return context.style.faint(`   test cases in ${projectPath(caseFile, context)}\n`);
}

function checkText(check: CheckResult, hook: CheckedHook, { isVerbose, style }: ReporterContext): string {
  const mark = check.passed ? style.good("✔") : style.bad("✖");
  const time = check.durationMs === 0 ? "" : ` ${timeText(check.durationMs)}`;
  const title = `   ${mark} ${column(truncateEscaped(check.name, 120), CHECK_WIDTH)}${time}`.trimEnd();
  const printed = check.printed.map((line) => style.faint(truncateEscaped(line, 300)));
  const texts =
    check.sameAs === undefined
      ? failureLines(check, hook, style)
      : [`the same failure as “${truncateEscaped(check.sameAs, 120)}”`];
  const lines = [...texts, ...(isVerbose ? [...replayLines(check), ...printed] : [])];
  return [title, ...lines.map((line) => `     ${line}`)].map((line) => `${line}\n`).join("");
}

/** The agents as which the case was tried, and those that cannot make its call. */
function replayLines({ replays = [] }: CheckResult): readonly string[] {
  const tried = replays.flatMap(({ agent, tool, skipped }) => (skipped === undefined ? [`${agent} (${tool})`] : []));
  const left = replays.flatMap(({ agent, skipped }) => (skipped === undefined ? [] : [`not as ${agent}: ${skipped}`]));
  const lines = [...(tried.length === 0 ? [] : [`the same as ${tried.join(", ")}`]), ...left];
  return lines.map((line) => truncateEscaped(line, 400));
}

/** Prints a reason once for all skipped checks that share it. */
function leftOutText({ skippedChecks }: CheckedHook, { isVerbose, style }: ReporterContext): string {
  const reasons = [...new Set(skippedChecks.map(({ reason }) => reason))];
  const lines = reasons.flatMap((reason) => {
    const names = skippedChecks.filter((one) => one.reason === reason).map(({ name }) => name);
    const why = `   • ${pluralize(names.length, "check")} skipped: ${truncateEscaped(reason, 200)}`;
    return isVerbose ? [why, ...names.map((name) => `     ${truncateEscaped(name, 120)}`)] : [`${why} (-v lists them)`];
  });
  return lines.map((line) => style.faint(`${line}\n`)).join("");
}

/** Skipped hooks, invalid case files, warnings, and what was not run. */
function restText(report: TestReport, style: Style): string {
  const skipped = report.skipped.map(({ name, reason, hint }) => {
    const title = ` ${style.warn("•")} ${truncateEscaped(name, 60)}: ${truncateEscaped(reason, 300)}`;
    return `${title}\n     ${truncateEscaped(hint, 300)}\n`;
  });
  return [
    ...(skipped.length === 0 ? [] : [`${style.strong("Skipped")}\n`, ...skipped]),
    ...report.caseFaults.map((problem) => problemText(problem, style)),
    ...report.warnings.map((warning) => warningLine(warningText(warning), style)),
    ...notRunTexts(report).map((text) => `• ${text}\n`),
  ].join("");
}

/** The hooks that failed are named again, because their failures may be far above. */
function summaryText(report: TestReport, { style, isQuiet }: ReporterContext): string {
  const { hooks, caseFaults, mutation, notRun } = report;
  const failed = hooks.filter((hook) => !hasPassed(hook)).map(({ name }) => truncateEscaped(name, 60));
  const isBelow = isBelowLimit(mutation);
  const isGreen = failed.length === 0 && caseFaults.length === 0 && !isBelow;
  const score = mutation === undefined ? "" : mutationSummary(mutation);
  const times = hooks.flatMap(({ name, checks }) => checks.map(({ durationMs }) => ({ name, durationMs })));
  const [slowest] = times.filter(({ durationMs }) => durationMs > 0).toSorted((a, b) => b.durationMs - a.durationMs);
  const line = countsText(report);
  const mark = notRun === undefined ? style.good("✔") : style.warn("▲");
  return [
    ...(score === "" ? [] : [isBelow ? style.bad(`✖ ${score}`) : score]),
    isGreen ? `${mark} ${line}` : style.bad(`✖ ${line}`),
    ...(failed.length === 0 || hooks.length === 1 ? [] : [`failed: ${listNames([...new Set(failed)])}`]),
    ...(slowest === undefined || hooks.length === 1 || isQuiet
      ? []
      : [`slowest: ${truncateEscaped(slowest.name, 60)}, ${formatDuration(slowest.durationMs)}`]),
  ]
    .map((text) => `${text}\n`)
    .join("");
}

const timeText = (ms: number): string => formatDuration(ms).padStart(TIME_WIDTH);

const projectPath = (path: string, { projectDir }: ReporterContext): string =>
  displayPath(path, { cwd: projectDir, homeDir: null });
