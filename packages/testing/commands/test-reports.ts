import { appendFileSync } from "node:fs";
import { resolve } from "node:path";
import { type CommandResult, reportProblem } from "../../../src/cli/command-result.ts";
import type { CommonOptions } from "../../../src/cli/command-table.ts";
import { stdoutStyle } from "../../../src/cli/stream-style.ts";
import type { Host } from "../../../src/engine/host.ts";
import { isInside } from "../../../src/fs/paths.ts";
import { writeOutputFile } from "../../../src/fs/write-output.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";
import { EXIT } from "../../../src/protocol/exit-code.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { TEST_REPORTER_NAMES, type TestReporterName } from "../../../src/protocol/reporter-names.ts";
import { fail, ok, ProblemError } from "../../../src/protocol/result.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { nearest } from "../../../src/protocol/text/nearest.ts";
import { formatDuration } from "../../../src/protocol/text/units.ts";
import { warningText } from "../../../src/protocol/warning.ts";
import { warningLine } from "../../../src/report/problem-text.ts";
import { PLAIN_STYLE } from "../../../src/report/text-style.ts";
import { progressLine } from "../../screen/progress-line.ts";
import { TEST_REPORTERS } from "../reporters/test-reporters.ts";
import type { TestListener } from "../test-parts.ts";
import type { TestReport } from "../test-report.ts";

/** The options of a command that reports tests. */
export type ReportOptions = CommonOptions & {
  readonly reporter: TestReporterName | null;
  readonly outputs: readonly string[];
};

/** Where the reports of `test` and `check` go. A file has its name as it was typed. */
interface ReportTargets {
  readonly stdout: TestReporterName;
  readonly files: readonly { readonly reporter: TestReporterName; readonly name: string; readonly path: string }[];
}

/** Reads `--reporter`, `--json` and `--output`; files are relative to `cwd`. */
export function readReportOptions({ reporter, outputs, json }: ReportOptions, cwd: string): ReportTargets {
  if (json && reporter !== null && reporter !== "json")
    throw new ProblemError({
      code: "USAGE_WRONG_WORDS",
      detail: `--json and --reporter ${reporter} cannot be combined.`,
      tryThis: `--reporter ${reporter} --output json=FILE`,
    });
  const files = new Map<string, ReportTargets["files"][number]>();
  for (const output of outputs) {
    const [word = "", ...rest] = output.split("=");
    const name = rest.join("=");
    const known = TEST_REPORTER_NAMES.find((one) => one === word);
    if (known === undefined) throw badOutput(output, unknownReporter(word));
    if (name === "") throw badOutput(output, `the file is missing: ${known}=FILE`);
    const path = resolve(cwd, name);
    if (files.has(path)) throw badOutput(output, "two reports for one file");
    files.set(path, { reporter: known, name, path });
  }
  return { stdout: json ? "json" : (reporter ?? "pretty"), files: [...files.values()] };
}

function unknownReporter(word: string): string {
  const near = nearest(word, TEST_REPORTER_NAMES);
  return `it must begin with one of ${TEST_REPORTER_NAMES.join(", ")}${near === null ? "" : `; did you mean ${near}?`}`;
}

const badOutput = (value: string, detail: string): ProblemError =>
  new ProblemError({ code: "USAGE_BAD_VALUE", flag: "--output", value, detail });

/** The reports of one call: on stdout as results come, in files at the end. */
export interface TestReports extends TestListener {
  /** Tries every file; prints an error on stderr for each that could not be written. */
  readonly end: (report: TestReport) => Promise<CommandResult>;
}

export async function openReports(
  targets: ReportTargets,
  { options, projectDir, progress }: { options: CommonOptions; projectDir: string; progress: TestProgress },
): Promise<TestReports> {
  const { host } = progress;
  // GitHub and GitLab name files relative to the folder in which they check the repository out.
  const checkouts = [host.env.GITHUB_WORKSPACE, host.env.CI_PROJECT_DIR];
  const rootDir = checkouts.find((folder = "") => folder !== "" && isInside(folder, projectDir)) ?? projectDir;
  const { quiet: isQuiet } = options;
  const plain = {
    isVerbose: options.verbosity > 0,
    isQuiet,
    projectDir,
    rootDir,
    style: PLAIN_STYLE,
    isWorkflowLog: false,
  };
  const isWorkflowLog = host.env.GITHUB_ACTIONS === "true";
  const style = await stdoutStyle(options, host);
  const stdout = TEST_REPORTERS[targets.stdout].create({ ...plain, style, isWorkflowLog });
  const files = targets.files.map((file) => ({ file, ...TEST_REPORTERS[file.reporter].create(plain), text: "" }));
  let lost: string | null = null;
  const print = (text = ""): void => {
    if (text !== "") lost ??= host.out(text);
  };
  return {
    onSelected: (hooks) => {
      progress.hooks.planned = hooks;
    },
    onNotices: (notices) => {
      for (const notice of isQuiet ? [] : notices) host.err(warningLine(warningText(notice), PLAIN_STYLE));
    },
    onHook: (hook) => {
      progress.hooks.done += 1;
      print(stdout.hook?.(hook));
      for (const file of files) file.text += file.hook?.(hook) ?? "";
      return lost === null;
    },
    onMutants: ({ planned, done }) => {
      progress.respellings.planned += planned;
      progress.respellings.done += done;
    },
    end: async (report) => {
      print(stdout.end(report));
      const failed: Problem[] = [];
      for (const one of files) {
        const cause = writeOutputFile(one.file.path, one.text + one.end(report));
        if (cause !== null) failed.push(notWritten(one.file.name, cause));
      }
      const { stepSummary } = [stdout, ...files].find((one) => one.stepSummary !== undefined) ?? {};
      const summaryFile = host.env.GITHUB_STEP_SUMMARY ?? "";
      if (stepSummary !== undefined && summaryFile !== "") failed.push(...appended(summaryFile, stepSummary(report)));
      for (const problem of failed) await reportProblem(problem, host);
      if (lost !== null) return fail({ code: "OUTPUT_LOST", cause: lost, isDecision: false });
      return ok(failed.length === 0 ? EXIT.ok : EXIT.outputLost);
    },
  };
}

const notWritten = (path: string, cause: string): Problem => {
  return { code: "REPORT_NOT_WRITTEN", path, cause, isOnStdout: true };
};

/** The step summary is GitHub's own file, to which every step of a job appends. */
function appended(path: string, text: string): readonly Problem[] {
  try {
    appendFileSync(path, text);
    return [];
  } catch (error) {
    return [notWritten(path, errnoCode(error) ?? "unknown")];
  }
}

/** The progress line on the terminal while a person waits. */
export interface TestProgress {
  /** The host whose output clears the line first. */
  readonly host: Host;
  readonly hooks: Amount;
  readonly respellings: Amount;
  readonly end: () => void;
}

interface Amount {
  planned: number;
  done: number;
}

export function testProgress(host: Host, isQuiet: boolean): TestProgress {
  const hooks = { planned: 0, done: 0 };
  const respellings = { planned: 0, done: 0 };
  const line = progressLine(host, isQuiet, () => {
    // Before the hooks are known.
    if (hooks.planned === 0) return "Looking for hooks …";
    const { planned, done } = respellings;
    const respelled = planned === 0 ? "" : `, ${done} of ${pluralize(planned, "respelling")}`;
    const tested = `${hooks.done} of ${pluralize(hooks.planned, "hook")} tested`;
    return `${tested}${respelled}, ${formatDuration(host.elapsedMs() - host.beganMs)} …`;
  });
  const afterClear =
    <T>(write: (text: string) => T) =>
    (text: string): T => {
      line.clear();
      return write(text);
    };
  const shown = { ...host, out: afterClear(host.out), err: afterClear(host.err) };
  return { host: shown, hooks, respellings, end: line.end };
}
