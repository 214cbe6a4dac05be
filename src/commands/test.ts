import { resolve } from "node:path";
import { callDepth, DEPTH_LIMIT } from "../engine/run-context.ts";
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
import type { World } from "../world.ts";
import type { RawLine } from "./flag-table.ts";
import { type Flags, isSwitchedOff, readFlags } from "./flags.ts";
import { codeBeside, createRunContext, print, refuse } from "./start.ts";
import { styleFor } from "./style-for.ts";

/** Contract checks and test cases for hooks, where nothing real can happen. The report is the answer. */
export async function test(line: RawLine, world: World): Promise<number> {
  const flags = readFlags(line);
  if (!flags.ok) return refuse(flags.error, world);
  if (isSwitchedOff(flags.value, world)) return refuse({ code: "NOTHING_TO_TEST", why: "off" }, world);
  const depth = callDepth(world.env);
  if (depth >= DEPTH_LIMIT) return refuse({ code: "RECURSION", depth }, world);
  const started = await createRunContext(flags.value, world, true);
  if (!started.ok) return refuse(started.error, world);
  const { context, loaded } = started.value;
  const [problem] = loaded.problems;
  if (problem !== undefined) return refuse(problem, world);

  closeInheritedOnFirstStart();
  // Heard from here on, so that a signal between two starts does not leave the scratch folders behind.
  world.interrupt.listen(() => undefined);
  const cwd = resolve(world.cwd, flags.value.directory ?? ".");
  const examined = await withScratch(world.env, (scratch) => checkHooks(line.words, context, { scratch, cwd }));
  const signal = world.interrupt.raised();
  if (signal !== null) return signalExitCode(signal);
  if (!examined.ok) return refuse(examined.error, world);
  if (!examined.value.ok) return refuse(examined.value.error, world);
  const told = { ...examined.value.value, warnings: [...loaded.warnings, ...examined.value.value.warnings] };
  if (told.hooks.length === 0 && loaded.sharedProblem !== null) return refuse(loaded.sharedProblem, world);
  const code = await tell(told, line.words, { flags: flags.value, world, projectDir: context.scopes.projectDir });
  return codeBeside(loaded.sharedProblem, code, world);
}

interface Call {
  readonly flags: Flags;
  readonly world: World;
  readonly projectDir: string;
}

async function tell(told: TestReport, words: readonly string[], { flags, world, projectDir }: Call): Promise<number> {
  for (const notice of told.notices) if (!flags.quiet) world.err(warningLine(warningText(notice), PLAIN_STYLE));
  const text = flags.json
    ? `${testJson(told)}\n`
    : testText({ ...told, isVerbose: flags.verbosity > 0, projectDir }, await styleFor(flags, world));
  const printed = text === "" ? EXIT.goOn : await print(text, world);
  if (printed !== EXIT.goOn) return printed;
  if (told.hooks.length === 0) return refuse(nothingToTest(told, words), world);
  return told.hooks.every(hasPassed) && told.caseFaults.length === 0 ? EXIT.goOn : EXIT.checkFailed;
}

function nothingToTest({ skipped }: TestReport, words: readonly string[]): Problem {
  const [first] = skipped;
  if (first === undefined) return { code: "NOTHING_TO_TEST", why: "empty", place: words.join(" ") };
  const waiting = skipped.find(({ awaitsApproval }) => awaitsApproval);
  if (waiting !== undefined) return { code: "NOTHING_TO_TEST", why: "unapproved", hook: waiting.name };
  const refused = skipped.find(({ isRefused }) => isRefused);
  return { code: "NOTHING_TO_TEST", why: refused === undefined ? "skipped" : "refused", hook: (refused ?? first).name };
}
