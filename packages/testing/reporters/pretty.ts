import { pluralize } from "../../../src/protocol/text/count.ts";
import { listNames, truncateEscaped } from "../../../src/protocol/text/text.ts";
import { formatDuration } from "../../../src/protocol/text/units.ts";
import { warningText } from "../../../src/protocol/warning.ts";
import { displayPath } from "../../../src/report/display-path.ts";
import { problemText, warningLine } from "../../../src/report/problem-text.ts";
import { column, type Style } from "../../../src/report/text-style.ts";
import { isBelowLimit } from "../mutate/survivors.ts";
import { type CheckedHook, type CheckResult, type HookCoverage, hasPassed, type TestReport } from "../test-report.ts";
import { failureLines } from "./failure-text.ts";
import { withoutCommands } from "./github.ts";
import { mutationSummary, mutationText } from "./mutation-text.ts";
import { countsText, coverageText, isCovered, NOTE_TEXTS, notRunTexts, portabilityOn } from "./remarks.ts";
import type { ReporterContext, TestReporter } from "./reporter.ts";

const NAME_WIDTH = 32;
const COUNTS_WIDTH = 30;
const CHECK_WIDTH = 52;
const TIME_WIDTH = 9;
const MOST_COLUMNS = 78;

/**
 * The report for the terminal: a line for each hook, its failures and remarks in full, then skipped hooks and the
 * counts.
 */
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
      return safe(`${rest}${gap}${summaryText(report, context.style)}`);
    },
  };
}

function hookText(hook: CheckedHook, context: ReporterContext): string {
  const { style, isVerbose, isQuiet } = context;
  const shown = hook.checks.filter((check) => isVerbose || !check.passed || (check.message !== null && !isQuiet));
  if (isQuiet && !isNoteworthy(hook)) return "";
  const path = isVerbose || !hasPassed(hook) ? `   ${style.faint(projectPath(hook.path, context))}\n` : "";
  return [
    titleText(hook, style),
    path,
    ...shown.map((check, index) => headingText(check, shown[index - 1], context) + checkText(check, hook, context)),
    hook.mutation === undefined ? "" : mutationText(hook.mutation, context),
    ...hook.notes.map((note) => `   ${style.warn("▲")} ${NOTE_TEXTS[note]}\n`),
    ...portabilityOn(hook).map((text) => `   ${style.warn("▲")} ${truncateEscaped(text, 400)}\n`),
    coverageLine(hook.coverage, style),
    leftOutText(hook, context),
  ].join("");
}

/** True if the hook failed, or there are remarks on its cases. */
const isNoteworthy = ({ coverage, mutation, notes, ...hook }: CheckedHook): boolean =>
  hook.checks.some(({ passed }) => !passed) ||
  portabilityOn(hook).length > 0 ||
  notes.length > 0 ||
  mutation !== undefined ||
  (coverage !== null && !isCovered(coverage));

/** `✔ guard    16 checks, 3 cases    112 ms`. */
function titleText(hook: CheckedHook, style: Style): string {
  const { name, checks } = hook;
  const mark = hasPassed(hook) ? style.good("✔") : style.bad("✖");
  const cases = checks.filter(({ caseFile }) => caseFile !== null).length;
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
  if (caseFile === null || caseFile === before?.caseFile) return "";
  return context.style.faint(`   test cases in ${projectPath(caseFile, context)}\n`);
}

function checkText(check: CheckResult, hook: CheckedHook, { isVerbose, style }: ReporterContext): string {
  const mark = check.passed ? style.good("✔") : style.bad("✖");
  const time = check.durationMs === 0 ? "" : ` ${timeText(check.durationMs)}`;
  const title = `   ${mark} ${column(truncateEscaped(check.name, 120), CHECK_WIDTH)}${time}`.trimEnd();
  const printed = isVerbose ? check.printed.map((line) => style.faint(truncateEscaped(line, 300))) : [];
  const texts =
    check.sameAs === null
      ? failureLines(check, hook, style)
      : [`the same failure as “${truncateEscaped(check.sameAs, 120)}”`];
  const lines = [...texts, ...(isVerbose ? replayLines(check) : []), ...printed];
  return [title, ...lines.map((line) => `     ${line}`)].map((line) => `${line}\n`).join("");
}

/** The agents as which the case was tried, and those that cannot make its call. */
function replayLines({ replays = [] }: CheckResult): readonly string[] {
  const tried = replays.filter(({ skipped }) => skipped === null).map(({ agent, tool }) => `${agent} (${tool})`);
  const left = replays.flatMap(({ agent, skipped }) => (skipped === null ? [] : [`${agent}: ${skipped}`]));
  const lines = [
    ...(tried.length === 0 ? [] : [`the same as ${tried.join(", ")}`]),
    ...left.map((one) => `not as ${one}`),
  ];
  return lines.map((line) => truncateEscaped(line, 400));
}

function coverageLine(coverage: HookCoverage | null, style: Style): string {
  if (coverage === null) return "";
  return `   ${isCovered(coverage) ? style.good("✔") : style.warn("▲")} ${coverageText(coverage)}\n`;
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

function restText(report: TestReport, style: Style): string {
  const warnings = report.warnings.map((warning) => warningLine(warningText(warning), style)).join("");
  const faults = report.caseFaults.map((problem) => problemText(problem, style)).join("");
  return `${skippedText(report, style)}${faults}${warnings}${notRunTexts(report)
    .map((text) => `• ${text}\n`)
    .join("")}`;
}

function skippedText({ skipped }: TestReport, style: Style): string {
  if (skipped.length === 0) return "";
  const lines = skipped.map(({ name, reason, hint }) => {
    return ` ${style.warn("•")} ${truncateEscaped(name, 60)}: ${truncateEscaped(reason, 300)}\n     ${truncateEscaped(hint, 300)}\n`;
  });
  return `${style.strong("Skipped")}\n${lines.join("")}`;
}

/** The hooks that failed are named again, because their failures may be far above. */
function summaryText(report: TestReport, style: Style): string {
  const { hooks, caseFaults, mutation } = report;
  const failed = hooks.filter((hook) => !hasPassed(hook)).map(({ name }) => truncateEscaped(name, 60));
  const isGreen = failed.length === 0 && caseFaults.length === 0 && !(mutation !== undefined && isBelowLimit(mutation));
  const slowest = slowestOf(hooks);
  const tail =
    slowest === null ? "" : `slowest: ${truncateEscaped(slowest.name, 60)}, ${formatDuration(slowest.durationMs)}`;
  const counts = column(countsText(report), 48);
  const fits = counts.length + tail.length < MOST_COLUMNS;
  const line = (fits ? `${counts} ${tail}` : counts).trimEnd();
  const names = failed.length === 0 || hooks.length === 1 ? "" : `failed: ${listNames(failed)}\n`;
  const sum = !isGreen
    ? style.bad(`✖ ${line}`)
    : `${report.notRun === null ? style.good("✔") : style.warn("▲")} ${line}`;
  return `${scoreText(report, style)}${sum}\n${names}${fits ? "" : `${tail}\n`}`;
}

function scoreText({ mutation }: TestReport, style: Style): string {
  if (mutation === undefined) return "";
  const line = mutationSummary(mutation);
  return `${isBelowLimit(mutation) ? style.bad(`✖ ${line}`) : line}\n`;
}

function slowestOf(hooks: readonly CheckedHook[]): { readonly name: string; readonly durationMs: number } | null {
  const times = hooks.flatMap(({ name, checks }) => checks.map(({ durationMs }) => ({ name, durationMs })));
  return times.reduce<(typeof times)[number] | null>(
    (slowest, one) => (one.durationMs > (slowest?.durationMs ?? 0) ? one : slowest),
    null,
  );
}

const timeText = (ms: number): string => formatDuration(ms).padStart(TIME_WIDTH);

const projectPath = (path: string, { projectDir }: ReporterContext): string =>
  displayPath(path, { cwd: projectDir, homeDir: null });
