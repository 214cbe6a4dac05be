import { resolve } from "node:path";
import { type CommandResult, withProblem } from "../../../src/cli/command-result.ts";
import type { CommandLine, CommonOptions, OptionsOf } from "../../../src/cli/command-table.ts";
import { createCheckedContext } from "../../../src/engine/create-run-context.ts";
import type { Host } from "../../../src/engine/host.ts";
import { callDepth, DEPTH_LIMIT, hooksAreOff } from "../../../src/engine/run-context.ts";
import { unusedDigest } from "../../../src/engine/trust-statuses.ts";
import { type ScratchRoot, withScratchRoot } from "../../../src/process/scratch.ts";
import { closeInheritedOnFirstStart } from "../../../src/process/spawn-child.ts";
import type { Approval } from "../../../src/protocol/approval.ts";
import { EXIT, signalExitCode } from "../../../src/protocol/exit-code.ts";
import type { Problem, UsageProblem } from "../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { warningText } from "../../../src/protocol/warning.ts";
import { warningLine } from "../../../src/report/problem-text.ts";
import { PLAIN_STYLE } from "../../../src/report/text-style.ts";
import { isBelowLimit } from "../mutate/survivors.ts";
import { runTests, type TestListener, type TestOptions } from "../run-tests.ts";
import type { TestCaller } from "../select/plan-selection.ts";
import { parseShard } from "../select/shard.ts";
import { hasPassed, type TestReport } from "../test-report.ts";
import { type ReportOptions, type ReportTargets, readReportOptions } from "./report-options.ts";
import { openReports, type TestProgress, type TestReports, testProgress } from "./test-reports.ts";

/** The hooks that a watch tests again. */
export interface TestAgain {
  readonly isIncluded: TestCaller["isIncluded"] | undefined;
  /** Holds for this one test. */
  readonly approvedOnce: readonly Approval[];
}

/** Runs the protocol checks and test cases of hooks in scratch folders and prints results as they arrive. */
export async function testOnce(line: CommandLine<"test">, host: Host, again?: TestAgain): Promise<CommandResult> {
  const { args, options } = line;
  const how = readTestOptions(options);
  if (!how.ok) return how;
  if (hooksAreOff(options, host)) return fail({ code: "NOTHING_TO_TEST", why: "off" });
  const cwd = resolve(host.cwd, options.directory ?? ".");
  return testAndReport({ words: args, options, cwd, host }, async ({ root, openListener }) => {
    const started = await createCheckedContext(options, host, true);
    if (!started.ok) return started;
    const { context: found, loaded } = started.value;
    const context = { ...found, options: { ...found.options, approvedOnce: again?.approvedOnce ?? [] } };
    const listener = await openListener(context.scopes.projectDir);
    const isIncluded = again?.isIncluded === undefined ? {} : { isIncluded: again.isIncluded };
    const { connectedAgents } = await import("../../connect/doctor/agent-checks.ts");
    const agents = connectedAgents(options, host);
    const settingsWarnings = loaded.warnings;
    const caller = { cwd, again: { all: "test -v", one: "test -v" }, ...isIncluded, agents, settingsWarnings };
    const tested = await runTests(args, context, { root, caller, options: how.value, listener });
    if (!tested.ok) return tested;
    const { report } = tested.value;
    return ok({
      report: { ...report, warnings: [...loaded.warnings, ...report.warnings] },
      end: listener.end,
      partial: loaded.partialProblems[0] ?? unusedDigest(tested.value.report.warnings, context, options.isStrict),
    });
  });
}

/** The options of `test` and `check` about how hooks are tested. */
export function readTestOptions(options: OptionsOf<"test" | "check">): Result<TestOptions, UsageProblem> {
  const shard = options.shard === null ? null : parseShard(options.shard);
  if (options.shard !== null && shard === null) {
    const detail = "it is a part and a number of parts, such as 2/5";
    return fail({ code: "USAGE_BAD_VALUE", flag: "--shard", value: options.shard, detail });
  }
  if (options.failUnder !== null && !options.isMutating) {
    const tryThis = `hookctl test --mutate --fail-under ${options.failUnder}`;
    return fail({ code: "USAGE_WRONG_WORDS", detail: "--fail-under needs --mutate.", tryThis });
  }
  const mutate = options.isMutating ? { failUnder: options.failUnder } : null;
  const { jobs, isBailing, isCovered, isUpdating, onlyNamed: only } = options;
  return ok({ jobs, isBailing, shard, only, isCovered, isUpdating, mutate });
}

/** A report, and what its command needs to show it. */
export interface Tested {
  readonly report: TestReport;
  /** Writes the rest of the reports. */
  readonly end: TestReports["end"];
  /** A problem that does not keep other hooks from being tested. */
  readonly partial: Problem | null;
}

export interface TestCall {
  readonly words: readonly string[];
  readonly options: CommonOptions & ReportOptions;
  /** Arguments and report files are relative to it. */
  readonly cwd: string;
  readonly host: Host;
}

/** The folders in which hooks are tested, and the receiver of results. */
export interface TestPlace {
  readonly root: ScratchRoot;
  /** Called once, before the first hook is tested. */
  readonly openListener: (projectDir: string) => Promise<TestListener & Pick<TestReports, "end">>;
}

/** Tests hooks in scratch folders for a command, and prints results as they arrive. */
export async function testAndReport(
  call: TestCall,
  examine: (place: TestPlace) => Promise<Result<Tested, Problem>>,
): Promise<CommandResult> {
  const { options, cwd, host } = call;
  const targets = readReportOptions(options, cwd);
  if (!targets.ok) return targets;
  const depth = callDepth(host.env);
  if (depth >= DEPTH_LIMIT) return fail({ code: "RECURSION", depth });
  closeInheritedOnFirstStart();
  // Without a listener, a signal between two starts would end the process and leave the scratch folders.
  host.interrupt.listen(() => undefined);
  const progress = testProgress(host, options.quiet);
  const examined = await withScratchRoot(host.env, (root) =>
    examine({
      root,
      openListener: (projectDir) => listenerFor({ call, progress, targets: targets.value, projectDir }),
    }),
  );
  progress.end();
  if (!examined.ok) return examined;
  return examined.value.ok ? reportTested(examined.value.value, call) : examined.value;
}

interface ListenerCall {
  readonly call: TestCall;
  readonly progress: TestProgress;
  readonly targets: ReportTargets;
  readonly projectDir: string;
}

async function listenerFor({ call, progress, targets, projectDir }: ListenerCall) {
  const { options } = call;
  const { host } = progress;
  const reports = await openReports(targets, { options, host, projectDir });
  const listener: TestListener = {
    onSelected: progress.onSelected,
    onNotices: (notices) => {
      for (const notice of options.quiet ? [] : notices) host.err(warningLine(warningText(notice), PLAIN_STYLE));
    },
    onHook: (hook) => {
      progress.onHook();
      return reports.hook(hook);
    },
    onMutants: progress.onMutants,
  };
  return { ...listener, end: reports.end };
}

async function reportTested({ report, end, partial }: Tested, { words, host }: TestCall): Promise<CommandResult> {
  const signal = host.interrupt.raised();
  const hasTested = report.hooks.length > 0 || report.otherShards > 0;
  if (signal !== null && !hasTested) return ok(signalExitCode(signal));
  if (!hasTested && partial !== null) return fail(partial);
  const written = await end(report);
  if (signal !== null) return ok(signalExitCode(signal));
  if (!written.ok) return written;
  const isAllFaulty = report.skipped.length === 0 && report.caseFaults.length > 0;
  if (!hasTested && !isAllFaulty) return fail(nothingToTest(report, words));
  const isBelow = report.mutation !== undefined && isBelowLimit(report.mutation);
  const hasAllPassed = report.hooks.every(hasPassed) && report.caseFaults.length === 0 && !isBelow;
  return withProblem(partial, hasAllPassed ? written : ok(EXIT.checkFailed));
}

function nothingToTest({ skipped }: TestReport, words: readonly string[]): Problem {
  if (skipped.length === 0) return { code: "NOTHING_TO_TEST", why: "empty", place: words.join(" ") };
  const unapproved = skipped.filter(({ awaitsApproval }) => awaitsApproval);
  const refused = skipped.filter(({ isRefused }) => isRefused);
  const why = unapproved.length > 0 ? "unapproved" : refused.length > 0 ? "refused" : "skipped";
  const hooks = { unapproved, refused, skipped }[why].map(({ name }) => name);
  return { code: "NOTHING_TO_TEST", why, hooks };
}
