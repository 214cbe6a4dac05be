import { appendFileSync } from "node:fs";
import { type CommandResult, reportProblem } from "../../../src/cli/command-result.ts";
import type { CommonOptions } from "../../../src/cli/command-table.ts";
import { progressLine } from "../../../src/cli/progress-line.ts";
import { stdoutStyle } from "../../../src/cli/stream-style.ts";
import type { Host } from "../../../src/engine/host.ts";
import { isInside } from "../../../src/fs/paths.ts";
import { writeOutputFile } from "../../../src/fs/write-output.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";
import { EXIT } from "../../../src/protocol/exit-code.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import type { TestReporterName } from "../../../src/protocol/reporter-names.ts";
import { fail, ok } from "../../../src/protocol/result.ts";
import { PLAIN_STYLE } from "../../../src/report/text-style.ts";
import { progressText } from "../reporters/remarks.ts";
import type { ReporterContext, TestReporter } from "../reporters/reporter.ts";
import { TEST_REPORTERS } from "../reporters/test-reporters.ts";
import type { TestListener } from "../run-tests.ts";
import type { CheckedHook, TestReport } from "../test-report.ts";
import type { ReportTargets } from "./report-options.ts";

/** The reports of one call: on stdout as results come, in files at the end. */
export interface TestReports {
  /** Called for each hook in order, as soon as it is tested. Returns false if the reader of stdout has closed it. */
  hook(hook: CheckedHook): boolean;
  /** Tries every file; prints an error on stderr for each that could not be written. */
  end(report: TestReport): Promise<CommandResult>;
}

interface ReportCall {
  readonly options: CommonOptions;
  readonly host: Host;
  readonly projectDir: string;
}

export async function openReports(targets: ReportTargets, call: ReportCall): Promise<TestReports> {
  const { options, host } = call;
  const plain = reporterContext(call);
  const stdout = openReport(targets.stdout, {
    ...plain,
    style: await stdoutStyle(options, host),
    isWorkflowLog: host.env.GITHUB_ACTIONS === "true",
  });
  const files = targets.files.map((file) => ({ ...file, ...openReport(file.reporter, plain), text: "" }));
  let lost: string | null = null;
  const print = (text: string): void => {
    if (text !== "") lost ??= host.out(text);
  };
  return {
    hook: (hook) => {
      print(stdout.hook(hook));
      for (const file of files) file.text += file.hook(hook);
      return lost === null;
    },
    end: async (report) => {
      print(stdout.end(report));
      for (const file of files) file.text += file.end(report);
      const failed = [...files.flatMap(fileProblem), ...summaryProblem([stdout, ...files], report, host)];
      for (const problem of failed) await reportProblem(problem, host);
      if (lost !== null) return fail({ code: "OUTPUT_LOST", cause: lost, isDecision: false });
      return ok(failed.length === 0 ? EXIT.ok : EXIT.outputLost);
    },
  };
}

function openReport(
  name: TestReporterName,
  context: ReporterContext,
): TestReporter & Required<Pick<TestReporter, "hook">> {
  return { hook: () => "", ...TEST_REPORTERS[name].create(context) };
}

/** The folders in which GitHub and GitLab check a repository out, by which they name its files. */
function reporterContext({ options, host, projectDir }: ReportCall): ReporterContext {
  const checkouts = [host.env.GITHUB_WORKSPACE, host.env.CI_PROJECT_DIR];
  const rootDir = checkouts.find((folder) => (folder ?? "") !== "" && isInside(folder ?? "", projectDir)) ?? projectDir;
  return {
    isVerbose: options.verbosity > 0,
    isQuiet: options.quiet,
    projectDir,
    rootDir,
    style: PLAIN_STYLE,
    isWorkflowLog: false,
  };
}

function fileProblem(file: Readonly<Record<"name" | "path" | "text", string>>): readonly Problem[] {
  const cause = writeOutputFile(file.path, file.text);
  return cause === null ? [] : [{ code: "REPORT_NOT_WRITTEN", path: file.name, cause, isOnStdout: true }];
}

/** The step summary is GitHub's own file, to which every step of a job appends. */
function summaryProblem(reports: readonly TestReporter[], report: TestReport, { env }: Host): readonly Problem[] {
  const path = env.GITHUB_STEP_SUMMARY ?? "";
  const stepSummary = reports.find((one) => one.stepSummary !== undefined)?.stepSummary;
  if (path === "" || stepSummary === undefined) return [];
  try {
    appendFileSync(path, stepSummary(report));
    return [];
  } catch (error) {
    return [{ code: "REPORT_NOT_WRITTEN", path, cause: errnoCode(error) ?? "unknown", isOnStdout: true }];
  }
}

/** The progress line on the terminal while a person waits. */
export interface TestProgress {
  /** The host whose output clears the line first. */
  readonly host: Host;
  readonly onSelected: (hooks: number) => void;
  readonly onHook: () => void;
  readonly onMutants: TestListener["onMutants"];
  readonly end: () => void;
}

export function testProgress(host: Host, isQuiet: boolean): TestProgress {
  const counts = { hooks: { planned: 0, done: 0 }, mutants: { planned: 0, done: 0 } };
  const line = progressLine(host, isQuiet, () => progressText(counts, host.elapsedMs() - host.beganMs));
  const afterClear =
    <T>(write: (text: string) => T) =>
    (text: string): T => {
      line.clear();
      return write(text);
    };
  return {
    host: { ...host, out: afterClear(host.out), err: afterClear(host.err) },
    onSelected: (hooks) => {
      counts.hooks.planned = hooks;
    },
    onHook: () => {
      counts.hooks.done += 1;
    },
    onMutants: ({ planned, done }) => {
      counts.mutants.planned += planned;
      counts.mutants.done += done;
    },
    end: line.end,
  };
}
