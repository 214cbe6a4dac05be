import type { RunContext } from "../engine/run-context.ts";
import type { CaseProblem, UsageProblem } from "../protocol/problem.ts";
import { ok, type Result } from "../protocol/result.ts";
import type { TestCaseFile } from "../protocol/test-case.ts";
import { nearest } from "../protocol/text/nearest.ts";
import { readCaseFiles } from "./cases/case-files.ts";
import { casesFor } from "./cases/run-case.ts";
import { checkHook, checksFor } from "./checks/check-hook.ts";
import type { Scratch } from "./scratch/scratch.ts";
import { scratchProjects } from "./scratch/scratch-projects.ts";
import { selectTestHooks, type TestSelection } from "./select/select-hooks.ts";
import type { CheckedHook, TestReport } from "./test-report.ts";

/** Tests do not write to the caches and logs of real calls. */
const NOTHING_STORED = { cacheDir: null, sessionsDir: null, auditFile: null };

/** A report, and the hooks that were looked at for it. */
export interface TestRun {
  readonly report: TestReport;
  readonly found: TestSelection["found"];
}

/** Finds the hooks that the arguments select and runs every check of each, one hook after the other. */
export async function runTests(
  words: readonly string[],
  real: RunContext,
  { scratch, cwd }: { readonly scratch: Scratch; readonly cwd: string },
): Promise<Result<TestRun, UsageProblem>> {
  const startedMs = real.elapsedMs();
  // Without the cache each hook declares its event again, because the declaration is part of the test.
  const context: RunContext = { ...real, env: scratch.env, cwd: scratch.work, ...NOTHING_STORED };
  const lined = await selectTestHooks(words, context, cwd);
  if (!lined.ok) return lined;
  const read = readCaseFiles(lined.value.folders);
  const files = read.flatMap((file) => (file.ok ? [file.value] : []));
  const broken = read.flatMap((file) => (file.ok ? [] : [file.error]));
  const hooks: CheckedHook[] = [];
  const places = scratchProjects(scratch, real.scopes.homeDir);
  for (const subject of lined.value.subjects) {
    if (context.interrupt.raised() !== null) break;
    hooks.push(await checkHook(subject, casesFor(files, subject.name), { context, places }));
  }
  const { skipped, warnings, notices, found } = lined.value;
  const report: TestReport = {
    hooks,
    skipped: skipped.map((one) => ({ ...one, checks: checksFor(one).length + casesFor(files, one.name).length })),
    caseFaults: [...broken, ...casesWithoutHook(files, lined.value)],
    warnings: [...warnings, ...places.warnings()],
    notices,
    durationMs: context.elapsedMs() - startedMs,
  };
  return ok({ report, found });
}

/** A hook that was renamed must not lose its cases unseen. */
function casesWithoutHook(files: readonly TestCaseFile[], { names }: TestSelection): readonly CaseProblem[] {
  const lost = files.filter(({ hook }) => !names.includes(hook));
  return lost.map(({ file, hook }) => ({ code: "CASE_UNKNOWN_HOOK", file, hook, nearest: nearest(hook, names) }));
}
