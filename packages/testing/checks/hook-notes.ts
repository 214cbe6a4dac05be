import { startChain, verdictOf } from "../../../src/chain/advance.ts";
import { mayBlock } from "../../../src/engine/hooks/hook-texts.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import { objectOf } from "../../../src/protocol/json/read.ts";
import type { CaseResult } from "../cases/case-run.ts";
import { judgeRun } from "../cases/judge-case.ts";
import { takeSnapshot } from "../cases/snapshots.ts";
import type { TestCase } from "../cases/test-case.ts";
import type { HookNote } from "../test-report.ts";

type Ran = Pick<CaseResult, "passed" | "run">;

/** Gaps of a hook's cases: none makes it block, or all pass without it. `results` are in the order of the cases. */
export function hookNotes(hook: Hook, cases: readonly TestCase[], results: readonly Ran[]): readonly HookNote[] {
  if (mayBlock(hook) && !results.some(hasBlocked)) return ["never-blocks"];
  const isIdle = results.every((result, index) => passesWithoutHook(cases[index], result));
  return cases.length > 0 && isIdle ? ["passes-without-it"] : [];
}

const hasBlocked = ({ run }: Ran): boolean => run !== null && ["block", "halt", "ask"].includes(run.verdict.decision);

/** True if the case also passes with the hook removed: nothing is started and the chain ends as it began. */
function passesWithoutHook(one: TestCase | undefined, { passed, run }: Ran): boolean {
  if (one === undefined || !passed || run === null) return false;
  const verdict = verdictOf(startChain(run.payload));
  const state = objectOf(one.state);
  const without = { ...run, invocations: [], verdict, state, snapshot: takeSnapshot(verdict, state, []) };
  const same = { ...one, snapshot: { stored: run.snapshot, updatedIn: null } };
  return judgeRun(same, without, (text) => text).passed;
}
