import { listNames } from "../../protocol/text/text.ts";
import { scratchInvoker } from "../scratch/invoke-in-scratch.ts";
import type { TestWorker } from "../scratch/worker.ts";
import type { ChainSubject, TestSubject } from "../select/test-subject.ts";
import { type CaseResult, resultWithoutRun, runCase, runChainCase } from "./run-case.ts";
import type { TestCase } from "./test-case.ts";

/** Runs a case of a hook, of a built-in guard, or of all hooks together, in the folders of a worker. */
export async function runCaseOf(subject: TestSubject, one: TestCase, worker: TestWorker): Promise<CaseResult> {
  if (subject.kind === "chain") return runCaseOfChain(subject, one, worker);
  if (subject.hook === null) return resultWithoutRun(one, "it is not started");
  const placed = worker.places.place(subject.hook);
  return runCase(one, placed.hook, scratchInvoker(worker.context, placed.projectDir, subject.recheckTrust));
}

/** Hooks that are not approved are left out, and named with each result. */
async function runCaseOfChain(
  { members, guards, notRun }: ChainSubject,
  one: TestCase,
  { context, places }: TestWorker,
): Promise<CaseResult> {
  // The command of a `shell_exec` acts outside of the scratch folders.
  const placed = members.filter(({ hook }) => hook.kind !== "shell_exec").map(({ hook }) => places.place(hook));
  const cwd = placed.find(({ projectDir }) => projectDir !== context.cwd)?.projectDir ?? context.cwd;
  const invoker = scratchInvoker(
    context,
    cwd,
    (hook) => members.find((member) => member.path === hook.path)?.recheckTrust(hook) ?? null,
  );
  const result = await runChainCase(one, [...placed.map(({ hook }) => hook), ...guards], invoker);
  if (notRun.length === 0) return result;
  const note = `not run, because not approved: ${listNames(notRun)}`;
  return { ...result, message: result.message === null ? note : `${result.message}; ${note}` };
}
