import { resolve } from "node:path";
import { type CommonOptions, hooksAreOff, readCommonOptions } from "../cli/common-options.ts";
import type { CommandLine } from "../cli/option-table.ts";
import { exitCodeWithProblem, print, refuse } from "../cli/output.ts";
import { stdoutStyle } from "../cli/style.ts";
import { callDepth, createRunContext, DEPTH_LIMIT } from "../engine/run-context.ts";
import type { Host } from "../host.ts";
import { closeInheritedOnFirstStart } from "../process/descriptors.ts";
import { EXIT, signalExitCode } from "../protocol/exit-code.ts";
import type { Problem } from "../protocol/problem.ts";
import { warningText } from "../protocol/warning.ts";
import { warningLine } from "../report/problem-text.ts";
import { PLAIN_STYLE } from "../report/style.ts";
import { testJson } from "../report/test-json.ts";
import { testText } from "../report/test-text.ts";
import { checkHooks } from "../test-runner/check-hooks.ts";
import { withScratch } from "../test-runner/scratch.ts";
import { hasPassed, type TestReport } from "../test-runner/test-report.ts";

/** Contract checks and test cases for hooks, where nothing real can happen. The report is the answer. */
export async function test(line: CommandLine, host: Host): Promise<number> {
  const options = readCommonOptions(line);
  if (!options.ok) return refuse(options.error, host);
  if (hooksAreOff(options.value, host)) return refuse({ code: "NOTHING_TO_TEST", why: "off" }, host);
  const depth = callDepth(host.env);
  if (depth >= DEPTH_LIMIT) return refuse({ code: "RECURSION", depth }, host);
  const started = await createRunContext(options.value, host, true);
  if (!started.ok) return refuse(started.error, host);
  const { context, loaded } = started.value;
  const [problem] = loaded.problems;
  if (problem !== undefined) return refuse(problem, host);

  closeInheritedOnFirstStart();
  // Heard from here on, so that a signal between two starts does not leave the scratch folders behind.
  host.interrupt.listen(() => undefined);
  const cwd = resolve(host.cwd, options.value.directory ?? ".");
  const examined = await withScratch(host.env, (scratch) => checkHooks(line.args, context, { scratch, cwd }));
  const signal = host.interrupt.raised();
  if (signal !== null) return signalExitCode(signal);
  if (!examined.ok) return refuse(examined.error, host);
  if (!examined.value.ok) return refuse(examined.value.error, host);
  const told = { ...examined.value.value, warnings: [...loaded.warnings, ...examined.value.value.warnings] };
  if (told.hooks.length === 0 && loaded.sharedProblem !== null) return refuse(loaded.sharedProblem, host);
  const code = await tell(told, line.args, { options: options.value, host, projectDir: context.scopes.projectDir });
  return exitCodeWithProblem(loaded.sharedProblem, code, host);
}

interface Call {
  readonly options: CommonOptions;
  readonly host: Host;
  readonly projectDir: string;
}

async function tell(told: TestReport, words: readonly string[], { options, host, projectDir }: Call): Promise<number> {
  for (const notice of told.notices) if (!options.quiet) host.err(warningLine(warningText(notice), PLAIN_STYLE));
  const text = options.json
    ? `${testJson(told)}\n`
    : testText({ ...told, isVerbose: options.verbosity > 0, projectDir }, await stdoutStyle(options, host));
  const printed = text === "" ? EXIT.ok : await print(text, host);
  if (printed !== EXIT.ok) return printed;
  if (told.hooks.length === 0) return refuse(nothingToTest(told, words), host);
  return told.hooks.every(hasPassed) && told.caseFaults.length === 0 ? EXIT.ok : EXIT.checkFailed;
}

function nothingToTest({ skipped }: TestReport, words: readonly string[]): Problem {
  const [first] = skipped;
  if (first === undefined) return { code: "NOTHING_TO_TEST", why: "empty", place: words.join(" ") };
  const waiting = skipped.find(({ awaitsApproval }) => awaitsApproval);
  if (waiting !== undefined) return { code: "NOTHING_TO_TEST", why: "unapproved", hook: waiting.name };
  const refused = skipped.find(({ isRefused }) => isRefused);
  return { code: "NOTHING_TO_TEST", why: refused === undefined ? "skipped" : "refused", hook: (refused ?? first).name };
}
