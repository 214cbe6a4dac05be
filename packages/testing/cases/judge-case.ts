import type { Redact } from "../../../src/audit/redact.ts";
import { objectOf } from "../../../src/protocol/json/read.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { findCrash } from "../../../src/protocol/text/crash.ts";
import { truncate } from "../../../src/protocol/text/text.ts";
import { type Invocation, outputLines } from "../checks/response-checks.ts";
import { type CheckResult, type Finding, failedCheck, passedCheck } from "../test-report.ts";
import type { CaseRun } from "./case-run.ts";
import { isSameJson, type Mismatch, mismatches } from "./compare-verdict.ts";
import type { TestCase } from "./test-case.ts";

type Judged = Finding & Pick<CheckResult, "evidence" | "snapshot">;

const HINT = "Correct the hook, or the case.";

/** A case whose hook could not be invoked. */
export const judgeWithoutRun = (one: TestCase, why: string): Judged => ({
  ...failedCheck(why, HINT),
  evidence: evidenceOf(one, [], null),
});

/** Compares the result of a case with its expectation. */
export function judgeRun(one: TestCase, run: CaseRun, redact: Redact): Judged {
  const { expected, subject } = one;
  const isEmptyChain = subject.kind === "chain" && run.verdict.steps.length === 0;
  if (isEmptyChain) return judgeWithoutRun(one, `no hook or guard handles ${run.verdict.event}`);
  const note = skipNote(one, run);
  // A failed hook has decided nothing, even if its failure produces the expected verdict.
  const failure = subject.kind === "chain" ? null : failureIn(run.invocations, expected?.values.exit_code);
  if (expected === null && failure === null) return judgeSnapshot(one, run);
  const [mismatch = null] = expected === null ? [] : mismatches(expected, run).map((one) => redacted(one, redact));
  if (failure === null && mismatch === null) return { ...passedCheck(note), evidence: null };
  const message = failure ?? `expected ${mismatch?.what} ${cut(mismatch?.expected)}, got ${cut(mismatch?.found)}`;
  const [answer] = run.invocations;
  return {
    ...failedCheck(
      note === null ? message : `${message}; ${note}`,
      HINT,
      answer === undefined ? [] : outputLines(answer),
    ),
    evidence: evidenceOf(one, run.invocations, failure === null ? mismatch : null),
  };
}

/** With `--update` the snapshot is replaced by the result; otherwise they are compared. */
function judgeSnapshot(one: TestCase, run: CaseRun): Judged {
  const { stored, updatedIn } = one.snapshot;
  const { snapshot } = run;
  const isSame = stored !== null && isSameJson(stored, snapshot);
  if (isSame) return { ...passedCheck(), evidence: null, snapshot };
  if (updatedIn !== null)
    return { ...passedCheck(`snapshot ${stored === null ? "written" : "changed"}`), evidence: null, snapshot };
  if (stored === null)
    return {
      ...failedCheck("it expects nothing, and has no snapshot", "Write it: hookctl test --update"),
      evidence: evidenceOf(one, run.invocations, null),
    };
  const mismatch = { what: "the snapshot", expected: stored.raw, found: snapshot.raw };
  return {
    ...failedCheck(
      `expected the snapshot ${cut(stored.raw)}, got ${cut(snapshot.raw)}`,
      "Correct the hook, or accept the change: hookctl test --update",
    ),
    evidence: evidenceOf(one, run.invocations, mismatch),
  };
}

/** A hook's change may contain secrets. */
const redacted = (mismatch: Mismatch, redact: Redact): Mismatch => ({ ...mismatch, found: redact(mismatch.found) });

/** Why a hook was not started: a case without expectations must not pass silently. */
function skipNote({ subject }: TestCase, { verdict }: CaseRun): string | null {
  if (subject.kind === "chain") return null;
  const skipped = verdict.steps.find(({ why }) => why !== null);
  return skipped === undefined ? null : `it was not started: ${skipped.why}`;
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

const evidenceOf = (
  one: TestCase,
  answers: readonly Invocation[],
  mismatch: Mismatch | null,
): CheckResult["evidence"] => ({
  payload: objectOf(one.payload).raw,
  response: answers.at(-1)?.stdout ?? null,
  expected: mismatch?.expected ?? null,
  found: mismatch?.found ?? null,
  crash: findCrash(answers.at(-1)?.result.stderr ?? ""),
});
