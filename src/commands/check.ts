import { resolve } from "node:path";
import type { CommandResult } from "../cli/command-result.ts";
import type { CommandLine } from "../cli/command-table.ts";
import { hooksAreOff } from "../cli/run-options.ts";
import { checkProject } from "../doctor/project/check-project.ts";
import { createRunContext } from "../engine/run-context.ts";
import type { Host } from "../host.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { shellQuote } from "../protocol/text/shell-quote.ts";
import { runTests, type TestRun } from "../test-runner/run-tests.ts";
import type { Scratch } from "../test-runner/scratch/scratch.ts";
import { type TestCall, type Tested, testAndReport } from "./test.ts";

/** Checks a project as CI does: nothing is approved on the machine, and nothing of the user takes part. */
export function check(line: CommandLine<"check">, host: Host): Promise<CommandResult> {
  const [dir = "."] = line.args;
  const cwd = resolve(host.cwd, line.options.directory ?? ".");
  const options = { ...line.options, directory: projectAt(resolve(cwd, dir)), trust: true };
  const call = { words: [dir], options, cwd, host };
  return testAndReport(call, (scratch) => examineProject(call, scratch));
}

/** The project, where its folder for hooks is named. */
const projectAt = (path: string): string => path.replace(/(?<=[^/])\/\.kodelet(?:\/hooks)?$/, "");

async function examineProject({ words, options, host }: TestCall, scratch: Scratch): Promise<Result<Tested, Problem>> {
  const isOff = hooksAreOff(options, host);
  const started = await createRunContext({ ...options, isOff, emptyHome: scratch.home }, host, !isOff);
  if (!started.ok) return started;
  const { context } = started.value;
  if (!context.scopes.hasProject) return fail({ code: "PROJECT_IS_HOME", path: context.scopes.projectDir });
  const again = `check -v ${words.map(shellQuote).join(" ")}`;
  const caller = { scratch, cwd: context.scopes.projectDir, command: `${again} --hook` };
  const tested = isOff ? ok(NOTHING_TESTED) : await runTests([], context, caller);
  if (!tested.ok) return tested;
  const report = await checkProject({ ...started.value, ...tested.value, options, isOff, again }, host);
  return ok({ report, projectDir: context.scopes.projectDir, sharedProblem: null });
}

const NOTHING_TESTED: TestRun = {
  report: { hooks: [], skipped: [], caseFaults: [], warnings: [], notices: [], durationMs: 0 },
  found: { hooks: [], skipped: [] },
};
