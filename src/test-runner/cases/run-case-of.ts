import { listNames } from "../../protocol/text/text.ts";
import { scratchInvoker } from "../scratch/invoke-in-scratch.ts";
import type { TestWorker } from "../scratch/worker.ts";
import type { ChainSubject, TestSubject } from "../select/test-subject.ts";
import { mayStart } from "./own-hooks.ts";
import { type CaseResult, resultWithoutRun, runCase, runChainCase } from "./run-case.ts";
import type { TestCase } from "./test-case.ts";

/** Runs a case of a hook, of a built-in guard, or of all hooks together, in the folders of a worker. */
export async function runCaseOf(subject: TestSubject, one: TestCase, worker: TestWorker): Promise<CaseResult> {
  if (subject.kind === "chain") return runCaseOfChain(subject, one, worker);
  if (subject.hook === null) return resultWithoutRun(one, "it is not started");
  if (subject.kind === "hook" && !mayStart(one, subject.hook))
    return resultWithoutRun(one, "a case of a project does not start your own hook: move it to ~/.kodelet/tests");
  const placed = worker.places.place(subject.hook);
  return runCase(one, placed.hook, scratchInvoker(worker.context, placed.projectDir, subject.recheckTrust));
}

/** The user's own hooks belong to no chain of others' cases; what is left out is named with each result. */
async function runCaseOfChain(
  { members, guards }: ChainSubject,
  one: TestCase,
  { context, places }: TestWorker,
): Promise<CaseResult> {
  const meant = members.filter(({ hook }) => mayStart(one, hook));
  // The command of a `shell_exec` acts outside of the scratch folders, and decides nothing.
  const started = meant.filter(({ hook }) => hook.kind !== "shell_exec");
  const placed = started.map(({ hook }) => places.place(hook));
  const cwd = placed.find(({ projectDir }) => projectDir !== context.cwd)?.projectDir ?? context.cwd;
  const invoker = scratchInvoker(
    context,
    cwd,
    (hook) => members.find((member) => member.path === hook.path)?.recheckTrust(hook) ?? null,
  );
  const result = await runChainCase(one, [...placed.map(({ hook }) => hook), ...guards], invoker);
  const notes = [
    notRun(
      members.filter((member) => !meant.includes(member)),
      "they are your own and the case is not",
    ),
    notRun(
      meant.filter((member) => !started.includes(member)),
      "a test starts no shell_exec",
    ),
  ];
  const message = [result.message, ...notes].filter((text) => text !== null).join("; ");
  return { ...result, message: message === "" ? null : message };
}

const notRun = (left: ChainSubject["members"], why: string): string | null =>
  left.length === 0 ? null : `not run, because ${why}: ${listNames(left.map(({ name }) => name))}`;
