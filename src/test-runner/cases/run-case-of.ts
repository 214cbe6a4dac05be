import { type Hook, isFromProject } from "../../protocol/hook.ts";
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
  if (!mayStart(one, subject.hook))
    return resultWithoutRun(one, "a case of a project does not start your own hook: move it to ~/.kodelet/tests");
  const placed = worker.places.place(subject.hook);
  return runCase(one, placed.hook, scratchInvoker(worker.context, placed.projectDir, subject.recheckTrust));
}

/**
 * Nobody approves a file of cases. With the files that it brings, a hook of the user's could be made to run what they
 * name (`git status` runs programs of a repository's settings), so it starts only hooks of others, which are approved.
 */
const mayStart = ({ isFromOthers, isFromPack }: TestCase, hook: Hook): boolean =>
  !isFromOthers || hook.kind === "guard" || isFromProject(hook) || (isFromPack && hook.source === "user-plugin");

/** Hooks that are not approved, and the user's own where the case is not, are left out and named with each result. */
async function runCaseOfChain(
  { members, guards, notRun }: ChainSubject,
  one: TestCase,
  { context, places }: TestWorker,
): Promise<CaseResult> {
  // The command of a `shell_exec` acts outside of the scratch folders.
  const started = members.filter(({ hook }) => hook.kind !== "shell_exec" && mayStart(one, hook));
  const placed = started.map(({ hook }) => places.place(hook));
  const cwd = placed.find(({ projectDir }) => projectDir !== context.cwd)?.projectDir ?? context.cwd;
  const invoker = scratchInvoker(
    context,
    cwd,
    (hook) => members.find((member) => member.path === hook.path)?.recheckTrust(hook) ?? null,
  );
  const result = await runChainCase(one, [...placed.map(({ hook }) => hook), ...guards], invoker);
  const own = members.filter(({ hook }) => !mayStart(one, hook)).map(({ name }) => name);
  const notes = [
    ...(notRun.length === 0 ? [] : [`not run, because not approved: ${listNames(notRun)}`]),
    ...(own.length === 0 ? [] : [`not run, because they are your own and the case is not: ${listNames(own)}`]),
  ];
  const message = [...(result.message === null ? [] : [result.message]), ...notes].join("; ");
  return { ...result, message: message === "" ? null : message };
}
