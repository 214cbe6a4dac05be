import type { Examination, ExaminedHook } from "../contract/examined.ts";
import type { UsageProblem } from "../contract/problem.ts";
import { ok, type Result } from "../contract/result.ts";
import type { Ground } from "../runtime/ground.ts";
import { CHECKS, examineHook } from "./examine-hook.ts";
import { lineUp } from "./line-up.ts";
import type { Scratch } from "./scratch.ts";

/** What `test` does: finds the hooks that the words mean and makes every check of each, one hook after the other. */
export async function examine(
  words: readonly string[],
  real: Ground,
  { scratch, cwd }: { readonly scratch: Scratch; readonly cwd: string },
): Promise<Result<Examination, UsageProblem>> {
  const startedMs = real.elapsedMs();
  // Also the first question for its event is asked here, and nothing is remembered: to look again is the point.
  const ground: Ground = { ...real, env: scratch.env, cwd: scratch.work, cacheDir: null, sessionsDir: null };
  const lined = await lineUp(words, ground, cwd);
  if (!lined.ok) return lined;
  const hooks: ExaminedHook[] = [];
  for (const subject of lined.value.subjects) {
    if (ground.interrupt.raised() !== null) break;
    hooks.push(await examineHook(subject, ground));
  }
  const { skipped, warnings, notices } = lined.value;
  return ok({
    hooks,
    skipped,
    warnings,
    notices,
    checksEach: CHECKS.length,
    durationMs: ground.elapsedMs() - startedMs,
  });
}
