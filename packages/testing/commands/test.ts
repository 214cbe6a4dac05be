import { resolve } from "node:path";
import { type CommandResult, withProblem } from "../../../src/cli/command-result.ts";
import type { CommandLine, OptionsOf } from "../../../src/cli/command-table.ts";
import { createCheckedContext } from "../../../src/engine/create-run-context.ts";
import type { Host } from "../../../src/engine/host.ts";
import { callDepth, DEPTH_LIMIT, hooksAreOff } from "../../../src/engine/run-context.ts";
import { unusedDigest } from "../../../src/engine/trust-statuses.ts";
import { type ScratchRoot, withScratchRoot } from "../../../src/process/scratch.ts";
import { closeInheritedOnFirstStart } from "../../../src/process/spawn-child.ts";
import type { Approval } from "../../../src/protocol/approval.ts";
import { EXIT, signalExitCode } from "../../../src/protocol/exit-code.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { fail, ok, ProblemError, unwrap } from "../../../src/protocol/result.ts";
import { isBelowLimit } from "../mutate/survivors.ts";
import { runTests, type TestOptions } from "../run-tests.ts";
import type { TestCaller } from "../select/plan-selection.ts";
import { parseShard } from "../select/shard.ts";
import type { TestListener } from "../test-parts.ts";
import { hasPassed, type TestReport } from "../test-report.ts";
import { openReports, type ReportOptions, readReportOptions, type TestReports, testProgress } from "./test-reports.ts";

/** Tests hooks once, or with `--watch` again whenever a file is saved. */
export async function test(line: CommandLine<"test">, host: Host): Promise<CommandResult> {
  if (!line.options.isWatching) return testOnce(line, host);
  const { watchTests } = await import("./test-watch.ts");
  return watchTests(line, host);
}

/** The hooks that a watch tests again, and approvals for this one test. */
export interface TestAgain {
  readonly isIncluded: TestCaller["isIncluded"];
  readonly approvedOnce: readonly Approval[];
}

/** Runs the protocol checks and test cases of hooks in scratch folders and prints results as they arrive. */
export async function testOnce(line: CommandLine<"test">, host: Host, again?: TestAgain): Promise<CommandResult> {
  const { args, options } = line;
  const how = readTestOptions(options);
  if (hooksAreOff(options, host)) return fail({ code: "NOTHING_TO_TEST", why: "off" });
  if (!options.isWatching && host.isStdinTerminal() && !options.trust)
    await (await import("./approve-saved.ts")).approveBeforeTest(args, options, host);
  const cwd = resolve(host.cwd, options.directory ?? ".");
  return testAndReport({ words: args, options, cwd, host }, async ({ root, openListener }) => {
    const { context: found, loaded } = unwrap(await createCheckedContext(options, host, true));
    const context = { ...found, options: { ...found.options, approvedOnce: again?.approvedOnce ?? [] } };
    const listener = await openListener(context.scopes.projectDir);
    const { connectedAgents } = await import("../../connect/doctor/agent-checks.ts");
    const caller = {
      cwd,
      again: { all: "test -v", one: "test -v" },
      isIncluded: again?.isIncluded,
      agents: connectedAgents(options, host),
      settingsWarnings: loaded.warnings,
    };
    const { report } = await runTests(args, context, { root, caller, options: how, listener });
    return {
      report: { ...report, warnings: [...loaded.warnings, ...report.warnings] },
      partial: loaded.partialProblems[0] ?? unusedDigest(report.warnings, context, options.isStrict),
    };
  });
}

/** The options of `test` and `check` about how hooks are tested. */
export function readTestOptions(options: OptionsOf<"test" | "check">): TestOptions {
  const { jobs, isBailing, isCovered, isUpdating, isMutating, failUnder, onlyNamed: only } = options;
  const shard = options.shard === null ? null : parseShard(options.shard);
  if (options.shard !== null && shard === null) {
    const detail = "it must be a part and a number of parts, such as 2/5";
    throw new ProblemError({ code: "USAGE_BAD_VALUE", flag: "--shard", value: options.shard, detail });
  }
  if (failUnder !== null && !isMutating) {
    const tryThis = `hookctl test --mutate --fail-under ${failUnder}`;
    throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail: "--fail-under needs --mutate.", tryThis });
  }
  return { jobs, isBailing, shard, only, isCovered, isUpdating, mutate: isMutating ? { failUnder } : null };
}

/** A report, and a problem that does not keep other hooks from being tested. */
interface Tested {
  readonly report: TestReport;
  readonly partial: Problem | null;
}

interface TestCall {
  readonly words: readonly string[];
  readonly options: ReportOptions;
  /** Arguments and report files are relative to it. */
  readonly cwd: string;
  readonly host: Host;
}

/** The folders in which hooks are tested, and the receiver of results. */
interface TestPlace {
  readonly root: ScratchRoot;
  /** Called once, before the first hook is tested. */
  readonly openListener: (projectDir: string) => Promise<TestListener>;
}

/** Tests hooks in scratch folders for a command, and prints results as they arrive. */
export async function testAndReport(
  { words, options, cwd, host }: TestCall,
  examine: (place: TestPlace) => Promise<Tested>,
): Promise<CommandResult> {
  const targets = readReportOptions(options, cwd);
  const depth = callDepth(host.env);
  if (depth >= DEPTH_LIMIT) return fail({ code: "RECURSION", depth });
  closeInheritedOnFirstStart();
  // Without a listener, a signal between two starts would end the process and leave the scratch folders.
  host.interrupt.listen(() => undefined);
  const progress = testProgress(host, options.quiet);
  let reports: TestReports | null = null;
  const openListener = async (projectDir: string): Promise<TestListener> => {
    reports = await openReports(targets, { options, projectDir, progress });
    return reports;
  };
  const tested = unwrap(
    await withScratchRoot(host.env, (root) => examine({ root, openListener })).finally(progress.end),
  );
  return reportTested(tested, reports, { words, host });
}

async function reportTested(
  { report, partial }: Tested,
  reports: TestReports | null,
  { words, host }: Pick<TestCall, "words" | "host">,
): Promise<CommandResult> {
  const signal = host.interrupt.raised();
  const hasTested = report.hooks.length > 0 || report.otherShards > 0;
  if (signal !== null && !hasTested) return ok(signalExitCode(signal));
  if (!hasTested && partial !== null) return fail(partial);
  const written = (await reports?.end(report)) ?? ok(EXIT.ok);
  if (signal !== null) return ok(signalExitCode(signal));
  if (!written.ok) return written;
  const isAllFaulty = report.skipped.length === 0 && report.caseFaults.length > 0;
  if (!hasTested && !isAllFaulty) return fail(nothingToTest(report, words));
  const isGreen = report.hooks.every(hasPassed) && report.caseFaults.length === 0 && !isBelowLimit(report.mutation);
  return withProblem(partial, isGreen ? written : ok(EXIT.checkFailed));
}

function nothingToTest({ skipped }: TestReport, words: readonly string[]): Problem {
  if (skipped.length === 0) return { code: "NOTHING_TO_TEST", why: "empty", place: words.join(" ") };
  const why = (["unapproved", "refused"] as const).find((one) => skipped.some((hook) => hook.why === one)) ?? "skipped";
  const hooks = skipped.filter((hook) => why === "skipped" || hook.why === why).map(({ name }) => name);
  return { code: "NOTHING_TO_TEST", why, hooks };
}
