import type { Redact } from "../../../src/audit/redact.ts";
import { startChain, verdictOf } from "../../../src/chain/advance.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import { objectOf } from "../../../src/protocol/json/read.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { findCrash } from "../../../src/protocol/text/crash.ts";
import { truncate } from "../../../src/protocol/text/text.ts";
import { mayBlock } from "../checks/hook-texts.ts";
import { outputLines } from "../checks/response-checks.ts";
import type { Invocation } from "../scratch/invoke-in-scratch.ts";
import {
  type CheckResult,
  type Evidence,
  type Finding,
  failedCheck,
  type HookNote,
  passedCheck,
} from "../test-report.ts";
import { firstMismatch, isSameJson, type Mismatch } from "./compare-verdict.ts";
import { takeSnapshot } from "./snapshots.ts";
import type { CaseResult, CaseRun, TestCase } from "./test-case.ts";

type Judged = Finding & Pick<CheckResult, "evidence" | "snapshot">;

const HINT = "Correct the hook, or the case.";

/** A case whose hook could not be invoked. */
export const judgeWithoutRun = (one: TestCase, why: string): Judged => ({
  ...failedCheck(why, HINT),
  evidence: evidenceOf(one, []),
});

/** Compares the result of a case with its expectation. */
export function judgeRun(one: TestCase, run: CaseRun, redact: Redact): Judged {
  const { expected, subject } = one;
  const { verdict, invocations } = run;
  const isOfChain = subject.kind === "chain";
  if (isOfChain && verdict.steps.length === 0) return judgeWithoutRun(one, `no hook or guard handles ${verdict.event}`);
  // A failed hook has decided nothing, even if its failure produces the expected verdict.
  const failure = isOfChain ? null : failureIn(invocations, expected?.values.exit_code);
  if (expected === null && failure === null) return judgeSnapshot(one, run);
  // A case must not pass silently if its hook was not started.
  const skipped = isOfChain ? undefined : verdict.steps.find(({ why }) => why !== null);
  const note = skipped === undefined ? null : `it was not started: ${skipped.why}`;
  const first = expected === null ? undefined : firstMismatch(expected, run);
  if (failure === null && first === undefined) return passedCheck(note);
  // A hook's change may contain secrets.
  const mismatch = first && { ...first, found: redact(first.found) };
  const message = failure ?? `expected ${mismatch?.what} ${cut(mismatch?.expected)}, got ${cut(mismatch?.found)}`;
  const [answer] = invocations;
  const excerpt = answer === undefined ? [] : outputLines(answer);
  return {
    ...failedCheck(note === null ? message : `${message}; ${note}`, HINT, excerpt),
    evidence: evidenceOf(one, invocations, failure === null ? mismatch : undefined),
  };
}

/** With `--update` the snapshot is replaced by the result; otherwise they are compared. */
function judgeSnapshot(one: TestCase, { snapshot, invocations }: CaseRun): Judged {
  const { stored, updatedIn } = one.snapshot;
  const isSame = stored !== null && isSameJson(stored, snapshot);
  if (isSame || updatedIn !== null)
    return { ...passedCheck(isSame ? null : `snapshot ${stored === null ? "written" : "changed"}`), snapshot };
  if (stored === null)
    return {
      ...failedCheck("it has neither `expect` nor a snapshot", "Write it: hookctl test --update"),
      evidence: evidenceOf(one, invocations),
    };
  const message = `expected the snapshot ${cut(stored.raw)}, got ${cut(snapshot.raw)}`;
  return {
    ...failedCheck(message, "Correct the hook, or accept the change: hookctl test --update"),
    evidence: evidenceOf(one, invocations, { expected: stored.raw, found: snapshot.raw }),
  };
}

function failureIn(invocations: readonly Invocation[], exitCode: number | undefined): string | null {
  for (const { result } of invocations) {
    // A case that names the exit code of a failure is about that failure.
    const isExpected = exitCode !== undefined && exitCode !== 0 && result.exitCode === exitCode;
    if (!result.response.ok && !isExpected) return explain(result.response.error).summary;
  }
  return null;
}

const SHOWN = 200;
const cut = (text = ""): string => truncate(text, SHOWN);

function evidenceOf(
  one: TestCase,
  answers: readonly Invocation[],
  mismatch?: Pick<Mismatch, "expected" | "found">,
): Evidence {
  const last = answers.at(-1);
  const payload = objectOf(one.payload).raw;
  const crash = findCrash(last?.result.stderr ?? "") ?? undefined;
  return { payload, response: last?.stdout, expected: mismatch?.expected, found: mismatch?.found, crash };
}

type Ran = Pick<CaseResult, "passed" | "run">;

/** Gaps of a hook's cases: none makes it block, or all pass without it. `results` are in the order of the cases. */
export function hookNotes(hook: Hook, cases: readonly TestCase[], results: readonly Ran[]): readonly HookNote[] {
  if (mayBlock(hook) && !results.some((one) => hasBlocked(one) || hasAdded(one))) return ["never-blocks"];
  const isIdle = results.every((result, index) => passesWithoutHook(cases[index], result));
  return cases.length > 0 && isIdle ? ["passes-without-it"] : [];
}

/** Such a hook may be no guard at all. */
const hasAdded = ({ run }: Ran): boolean =>
  run !== null && (run.verdict.change !== null || run.verdict.context.length + run.verdict.followUps.length > 0);

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
