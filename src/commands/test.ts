import { resolve } from "node:path";
import { type CommandResult, withProblem } from "../cli/command-result.ts";
import type { CommandLine, CommonOptions } from "../cli/command-table.ts";
import { type ReportOptions, readReportOptions } from "../cli/report-options.ts";
import { hooksAreOff } from "../cli/run-options.ts";
import { callDepth, createRunContext, DEPTH_LIMIT } from "../engine/run-context.ts";
import type { Host } from "../host.ts";
import { closeInheritedOnFirstStart } from "../process/descriptors.ts";
import { EXIT, signalExitCode } from "../protocol/exit-code.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { warningText } from "../protocol/warning.ts";
import { warningLine } from "../report/problem-text.ts";
import { PLAIN_STYLE } from "../report/text-style.ts";
import { runTests } from "../test-runner/run-tests.ts";
import { type Scratch, withScratch } from "../test-runner/scratch/scratch.ts";
import { hasPassed, type TestReport } from "../test-runner/test-report.ts";
import { openReports, type TestReports } from "./test-reports.ts";

/** Runs the protocol checks and test cases of hooks in a scratch folder and prints the report. */
export async function test(line: CommandLine<"test">, host: Host): Promise<CommandResult> {
  const { args, options } = line;
  if (hooksAreOff(options, host)) return fail({ code: "NOTHING_TO_TEST", why: "off" });
  const cwd = resolve(host.cwd, options.directory ?? ".");
  return testAndReport({ words: args, options, cwd, host }, async (scratch) => {
    const started = await createRunContext(options, host, true);
    if (!started.ok) return started;
    const { context, loaded } = started.value;
    const [problem] = loaded.problems;
    if (problem !== undefined) return fail(problem);
    const tested = await runTests(args, context, { scratch, cwd, command: "test -v" });
    if (!tested.ok) return tested;
    const { report } = tested.value;
    return ok({
      report: { ...report, warnings: [...loaded.warnings, ...report.warnings] },
      projectDir: context.scopes.projectDir,
      sharedProblem: loaded.sharedProblem,
    });
  });
}

/** A report, and what its command needs to show it. */
export interface Tested {
  readonly report: TestReport;
  readonly projectDir: string;
  /** The fault of a settings file that other programs read too, which does not keep hooks from being tested. */
  readonly sharedProblem: Problem | null;
}

export interface TestCall {
  readonly words: readonly string[];
  readonly options: CommonOptions & ReportOptions;
  /** Words and the files of reports are relative to it. */
  readonly cwd: string;
  readonly host: Host;
}

/** Lets a command test hooks in a scratch folder, and prints the report. */
export async function testAndReport(
  call: TestCall,
  examine: (scratch: Scratch) => Promise<Result<Tested, Problem>>,
): Promise<CommandResult> {
  const { options, cwd, host } = call;
  const targets = readReportOptions(options, cwd);
  if (!targets.ok) return targets;
  const depth = callDepth(host.env);
  if (depth >= DEPTH_LIMIT) return fail({ code: "RECURSION", depth });
  closeInheritedOnFirstStart();
  // Without a listener, a signal between two starts would end the process and leave the scratch folders.
  host.interrupt.listen(() => undefined);
  const examined = await withScratch(host.env, examine);
  const signal = host.interrupt.raised();
  if (signal !== null) return ok(signalExitCode(signal));
  if (!examined.ok) return examined;
  if (!examined.value.ok) return examined.value;
  const { report, sharedProblem, projectDir } = examined.value.value;
  if (report.hooks.length === 0 && sharedProblem !== null) return fail(sharedProblem);
  const reports = await openReports(targets.value, { options, host, projectDir });
  return withProblem(sharedProblem, await reportTests(report, call, reports));
}

async function reportTests(
  testReport: TestReport,
  { words, options, host }: TestCall,
  reports: TestReports,
): Promise<CommandResult> {
  for (const notice of testReport.notices) if (!options.quiet) host.err(warningLine(warningText(notice), PLAIN_STYLE));
  for (const hook of testReport.hooks) reports.hook(hook);
  const written = await reports.end(testReport);
  if (!written.ok) return written;
  if (testReport.hooks.length === 0) return fail(nothingToTest(testReport, words));
  const hasAllPassed = testReport.hooks.every(hasPassed) && testReport.caseFaults.length === 0;
  return hasAllPassed ? written : ok(EXIT.checkFailed);
}

function nothingToTest({ skipped }: TestReport, words: readonly string[]): Problem {
  if (skipped.length === 0) return { code: "NOTHING_TO_TEST", why: "empty", place: words.join(" ") };
  const unapproved = skipped.filter(({ awaitsApproval }) => awaitsApproval);
  const refused = skipped.filter(({ isRefused }) => isRefused);
  const why = unapproved.length > 0 ? "unapproved" : refused.length > 0 ? "refused" : "skipped";
  const hooks = { unapproved, refused, skipped }[why].map(({ name }) => name);
  return { code: "NOTHING_TO_TEST", why, hooks };
}
