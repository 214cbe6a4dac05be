import type { RunContext } from "../engine/run-context.ts";
import type { CaseProblem, UsageProblem } from "../protocol/problem.ts";
import { ok, type Result } from "../protocol/result.ts";
import { nearest } from "../protocol/text/nearest.ts";
import { casesFor, readCaseFiles } from "./cases/case-files.ts";
import type { TestCase } from "./cases/test-case.ts";
import { checkHook, checksFor } from "./checks/check-hook.ts";
import type { Scratch } from "./scratch/scratch.ts";
import { scratchProjects } from "./scratch/scratch-projects.ts";
import { selectTestHooks, type TestCaller, type TestSelection } from "./select/select-hooks.ts";
import type { CheckedHook, TestReport } from "./test-report.ts";

/** Tests do not write to the caches and logs of real calls, and a paused hook is tested like any other. */
const NOTHING_STORED = { cacheDir: null, sessionsDir: null, auditFile: null, pauses: new Map<string, string>() };

/** A report, and the hooks that were looked at for it. */
export interface TestRun {
  readonly report: TestReport;
  readonly found: TestSelection["found"];
}

/** Finds the hooks that the arguments select and runs every check of each, one hook after the other. */
export async function runTests(
  words: readonly string[],
  real: RunContext,
  { scratch, ...caller }: { readonly scratch: Scratch } & TestCaller,
): Promise<Result<TestRun, UsageProblem>> {
  const startedMs = real.elapsedMs();
  // Without the cache each hook declares its event again, because the declaration is part of the test.
  const context: RunContext = { ...real, env: scratch.env, cwd: scratch.work, ...NOTHING_STORED };
  const lined = await selectTestHooks(words, context, caller);
  if (!lined.ok) return lined;
  const { cases, faults } = readCaseFiles(lined.value.folders);
  const hooks: CheckedHook[] = [];
  const places = scratchProjects(scratch, real.scopes.homeDir);
  for (const subject of lined.value.subjects) {
    if (context.interrupt.raised() !== null) break;
    hooks.push(await checkHook(subject, casesFor(cases, subject.name), { context, places }));
  }
  const { skipped, warnings, notices, found } = lined.value;
  const report: TestReport = {
    hooks,
    skipped: skipped.map((one) => ({ ...one, checks: checksFor(one).length + casesFor(cases, one.name).length })),
    caseFaults: [...faults, ...casesWithoutHook(cases, lined.value)],
    warnings: [...warnings, ...places.warnings()],
    notices,
    durationMs: context.elapsedMs() - startedMs,
  };
  return ok({ report, found });
}

/** A hook that was renamed must not lose its cases unseen. */
function casesWithoutHook(cases: readonly TestCase[], { names }: TestSelection): readonly CaseProblem[] {
  const lost = cases.filter(({ subject }) => !names.includes(subject.name));
  const firstOfFile = new Map(lost.toReversed().map((one) => [JSON.stringify([one.file, one.subject]), one]));
  return [...firstOfFile.values()].toReversed().map(({ file, line, subject: { kind, name } }) => ({
    code: "CASE_UNKNOWN_HOOK",
    ...{ file, line, kind, hook: name, nearest: nearest(name, names) },
  }));
}
