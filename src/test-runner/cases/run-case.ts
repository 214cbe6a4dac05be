import { verdictOf } from "../../chain/advance.ts";
import { runChain } from "../../chain/run-chain.ts";
import { type Hook, hookForEvent } from "../../protocol/hook.ts";
import { objectOf } from "../../protocol/json/read.ts";
import type { Payload } from "../../protocol/payload/payload.ts";
import { explain } from "../../protocol/problem-message.ts";
import { findCrash } from "../../protocol/text/crash.ts";
import type { Verdict } from "../../protocol/verdict.ts";
import { printedLines, wasCutShort } from "../checks/invoke-checks.ts";
import { type Invocation, outputLines } from "../checks/response-checks.ts";
import type { ScratchInvoker } from "../scratch/invoke-in-scratch.ts";
import { type CheckResult, type Evidence, type Finding, failedCheck, passedCheck } from "../test-report.ts";
import { casePayload } from "./case-payload.ts";
import { type Mismatch, mismatches } from "./compare-verdict.ts";
import type { Expectation, TestCase } from "./test-case.ts";

export interface CaseResult extends CheckResult {
  readonly wasCutShort: boolean;
  /** Null: the case has no valid payload. */
  readonly run: CaseRun | null;
}

/** What was sent, what each hook answered, and the verdict. */
export interface CaseRun {
  readonly payload: Payload;
  readonly invocations: readonly Invocation[];
  readonly verdict: Verdict;
}

/** Runs the hook with the payload of a case and compares the result with the expected one. */
export async function runCase(one: TestCase, hook: Hook, invoker: ScratchInvoker): Promise<CaseResult> {
  const payload = casePayload(one, hook, invoker.cwd);
  const run = payload.ok ? await invokeForCase(hook, payload.value, one, invoker) : null;
  const judged =
    run === null || !payload.ok ? withoutPayload(payload.ok ? "" : payload.error) : judge(one.expected, run);
  const answers = run?.invocations ?? [];
  return {
    ...judged.finding,
    hint: judged.finding.passed ? null : "Correct the hook, or the case.",
    name: one.name,
    caseFile: one.file,
    caseLine: one.line,
    evidence: judged.finding.passed ? null : evidenceOf(one, answers, judged.mismatch),
    sameAs: null,
    durationMs: answers.reduce((sum, { result }) => sum + result.durationMs, 0),
    printed: answers.flatMap(({ stdout, result }) => printedLines(stdout, result.stderr)),
    wasCutShort: answers.some(wasCutShort),
    run,
  };
}

interface Judged {
  readonly finding: Finding;
  readonly mismatch: Mismatch | null;
}

const withoutPayload = (why: string): Judged => ({ finding: failedCheck(why, ""), mismatch: null });

/** A chain of this one hook, so that its match, a block's effect and a closed failure count as they do in a run. */
async function invokeForCase(
  hook: Hook,
  payload: Payload,
  { name }: TestCase,
  invoker: ScratchInvoker,
): Promise<CaseRun> {
  const invocations: Invocation[] = [];
  const state = await runChain([hookForEvent(hook, payload.event)], payload, {
    membersFor: invoker.membersFor,
    invoke: async (asked, sent) => {
      const answer = await invoker.invoke(asked, sent, name);
      invocations.push(answer);
      return answer.result;
    },
  });
  return { payload, invocations, verdict: verdictOf(state) };
}

function judge(expected: Expectation, run: CaseRun): Judged {
  const [answer] = run.invocations;
  const printed = answer === undefined ? [] : outputLines(answer);
  // A hook that failed has decided nothing, also where its failure happens to give what was expected.
  const failure = run.invocations.find((one) => !one.result.response.ok && !isExpectedFailure(expected, one));
  if (failure !== undefined && !failure.result.response.ok)
    return { finding: failedCheck(explain(failure.result.response.error).summary, "", printed), mismatch: null };
  const skipped = run.verdict.steps.find(({ why }) => why !== null);
  const note = skipped === undefined ? null : `it was not started: ${skipped.why}`;
  const [mismatch] = mismatches(expected, run);
  if (mismatch === undefined) return { finding: passedCheck(note), mismatch: null };
  const said = `expected ${mismatch.what} ${cut(mismatch.expected)}, got ${cut(mismatch.found)}`;
  return { finding: failedCheck(note === null ? said : `${said}; ${note}`, "", printed), mismatch };
}

/** A case that names the exit code of a failure is about that failure. */
const isExpectedFailure = ({ exitCode }: Expectation, { result }: Invocation): boolean =>
  exitCode !== undefined && exitCode !== 0 && result.exitCode === exitCode;

const SHOWN = 200;
const cut = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);

const evidenceOf = (one: TestCase, answers: readonly Invocation[], mismatch: Mismatch | null): Evidence => ({
  payload: objectOf(one.payload).raw,
  response: answers.at(-1)?.stdout ?? null,
  expected: mismatch?.expected ?? null,
  found: mismatch?.found ?? null,
  crash: findCrash(answers.at(-1)?.result.stderr ?? ""),
});
