import { verdictOf } from "../../chain/advance.ts";
import { runChain } from "../../chain/run-chain.ts";
import { dialectSample, sampleWith } from "../../dialects/dialect-sample.ts";
import { envelopeReader } from "../../dialects/dialects.ts";
import { findEvent } from "../../protocol/event.ts";
import { type Hook, hookForEvent } from "../../protocol/hook.ts";
import type { JsonSpan } from "../../protocol/json/read.ts";
import { jsonText } from "../../protocol/json/write.ts";
import { type Payload, readPayload } from "../../protocol/payload/payload.ts";
import { explain } from "../../protocol/problem-message.ts";
import { fail, type Result } from "../../protocol/result.ts";
import type { TestCase, TestCaseFile } from "../../protocol/test-case.ts";
import { printedLines, wasCutShort } from "../checks/invoke-checks.ts";
import { type Invocation, outputLines } from "../checks/response-checks.ts";
import type { ScratchInvoker } from "../scratch/invoke-in-scratch.ts";
import { type CheckResult, type Finding, failedCheck } from "../test-report.ts";
import { compareVerdict } from "./compare-verdict.ts";

/** One test case of a hook, with its file. */
export interface CaseInFile {
  readonly file: string;
  readonly one: TestCase;
}

/** The cases of one hook, file by file. */
export const casesFor = (files: readonly TestCaseFile[], hook: string): readonly CaseInFile[] =>
  files.filter((file) => file.hook === hook).flatMap(({ file, cases }) => cases.map((one) => ({ file, one })));

export interface CaseResult extends CheckResult {
  readonly wasCutShort: boolean;
}

/** Runs the hook with the payload of a case and compares the result with the expected one. */
export async function runCase({ file, one }: CaseInFile, hook: Hook, invoker: ScratchInvoker): Promise<CaseResult> {
  const payload = payloadOf(one, hook, invoker.cwd);
  const notAsked = (why: string): CaseRun => ({ answer: null, finding: failedCheck(why, "") });
  const invoked = payload.ok ? await invokeForCase(hook, payload.value, one, invoker) : notAsked(payload.error);
  const { answer, finding } = invoked;
  return {
    ...finding,
    hint: finding.passed ? null : "Correct the hook, or the case.",
    name: one.name,
    caseFile: file,
    caseLine: null,
    evidence: null,
    wasCutShort: answer !== null && wasCutShort(answer),
    durationMs: answer?.result.durationMs ?? 0,
    printed: answer === null ? [] : printedLines(answer.stdout, answer.result.stderr),
  };
}

interface CaseRun {
  readonly answer: Invocation | null;
  readonly finding: Finding;
}

/** A chain of this one hook, so that its match, a block's effect and a closed failure count as they do in a run. */
async function invokeForCase(
  hook: Hook,
  payload: Payload,
  { name, expected }: TestCase,
  invoker: ScratchInvoker,
): Promise<CaseRun> {
  const answers: Invocation[] = [];
  const state = await runChain([hookForEvent(hook, payload.event)], payload, {
    invoke: async (asked, sent) => {
      const answer = await invoker.invoke(asked, sent, name);
      answers.push(answer);
      return answer.result;
    },
  });
  const answer = answers[0] ?? null;
  // A hook that failed has decided nothing, also where its failure happens to give what was expected.
  const problem = answer?.result.response.ok === false ? answer.result.response.error : null;
  const printed = answer === null ? [] : outputLines(answer);
  if (problem !== null) return { answer, finding: failedCheck(explain(problem).summary, "", printed) };
  return { answer, finding: compareVerdict(expected, verdictOf(state), printed) };
}

/** The sample of the event under the fields of the case. The folder is ours: nothing real can happen. */
function payloadOf({ event: name, payload }: TestCase, hook: Hook, cwd: string): Result<Payload, string> {
  const named = findEvent(name);
  if (named === null || !hook.events.includes(named.event)) {
    return fail(`it handles ${hook.events.join(", ")}, not ${name}`);
  }
  const { event } = named;
  const own = new Map([...payload, ["event", text(event)] as const, ["cwd", text(cwd)] as const]);
  const read = readPayload(
    event,
    sampleWith(dialectSample({ event, dialect: hookForEvent(hook, event).dialect }, cwd), own, named),
    cwd,
    envelopeReader(named.dialect),
  );
  return read.ok ? read : fail(explain(read.error).summary);
}

const text = (value: string): JsonSpan => ({ kind: "string", raw: jsonText(value) });
