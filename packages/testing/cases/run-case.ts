import { type Redact, redactJson } from "../../../src/audit/redact.ts";
import { runChain, verdictOf } from "../../../src/chain/advance.ts";
import { orderHooks } from "../../../src/chain/order.ts";
import { sessionOfPayload } from "../../../src/engine/run/session-effects.ts";
import { appliesTo, type Candidate, type Hook, hookForEvent, isFromProject } from "../../../src/protocol/hook.ts";
import { NO_PATCH } from "../../../src/protocol/hook-response.ts";
import { type JsonObject, type JsonSpan, spanOfRaw } from "../../../src/protocol/json/read.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { listNames } from "../../../src/protocol/text/text.ts";
import { changeState, readState, stateText } from "../../../src/session/state.ts";
import { printedLines, wasCutShort } from "../checks/invoke-checks.ts";
import type { Invocation } from "../checks/response-checks.ts";
import { type ScratchInvoker, scratchInvoker } from "../scratch/invoke-in-scratch.ts";
import type { TestWorker } from "../scratch/worker.ts";
import type { ChainSubject, TestSubject } from "../select/test-subject.ts";
import { type CasePayload, casePayload } from "./case-payload.ts";
import type { CaseResult, CaseRun } from "./case-run.ts";
import { judgeRun, judgeWithoutRun } from "./judge-case.ts";
import { type ScratchName, takeSnapshot } from "./snapshots.ts";
import { type Stage, withStage } from "./stage-case.ts";
import type { TestCase } from "./test-case.ts";

/** Runs a case of a hook, of a built-in guard, or of all hooks together, in the folders of a worker. */
export async function runCaseOf(subject: TestSubject, one: TestCase, worker: TestWorker): Promise<CaseResult> {
  if (subject.kind === "chain") return runCaseOfChain(subject, one, worker);
  if (subject.hook === null) return resultWithoutRun(one, "it is not started");
  if (subject.kind === "hook" && !mayStart(one, subject.hook))
    return resultWithoutRun(one, "a case of a project does not start your own hook: move it to ~/.kodelet/tests");
  const placed = worker.projects.inScratch(subject.hook);
  return runCase(one, placed.hook, scratchInvoker(worker.context, placed.projectDir, subject.recheckTrust));
}

/** The user's own hooks are in no chain of others' cases; excluded hooks are named with each result. */
async function runCaseOfChain(
  { members, guards }: ChainSubject,
  one: TestCase,
  { context, projects }: TestWorker,
): Promise<CaseResult> {
  const allowed = members.filter(({ hook }) => mayStart(one, hook));
  // The command of a `shell_exec` acts outside of the scratch folders, and decides nothing.
  const started = allowed.filter(({ hook }) => hook.kind !== "shell_exec");
  const placed = started.map(({ hook }) => projects.inScratch(hook));
  const cwd = placed.find(({ projectDir }) => projectDir !== context.cwd)?.projectDir ?? context.cwd;
  const invoker = scratchInvoker(
    context,
    cwd,
    (hook) => members.find((member) => member.path === hook.path)?.recheckTrust(hook) ?? null,
  );
  const result = await runChainCase(one, [...placed.map(({ hook }) => hook), ...guards], invoker);
  const notes = [
    notRun(
      members.filter((member) => !allowed.includes(member)),
      "they are your own and the case is not",
    ),
    notRun(
      allowed.filter((member) => !started.includes(member)),
      "a test starts no shell_exec",
    ),
  ];
  const message = [result.message, ...notes].filter((text) => text !== null).join("; ");
  return { ...result, message: message === "" ? null : message };
}

const notRun = (left: ChainSubject["members"], why: string): string | null =>
  left.length === 0 ? null : `not run, because ${why}: ${listNames(left.map(({ name }) => name))}`;

/** Runs the hook with the payload of a case and compares the result with the expected one. */
async function runCase(one: TestCase, hook: Hook, invoker: ScratchInvoker): Promise<CaseResult> {
  if (one.subject.kind === "rule" && hook.kind !== "rule") return resultWithoutRun(one, `${hook.name} is no rule`);
  return resultOf(one, await runStaged(one, hook, { hooks: [hook], invoker }), invoker.redact);
}

/** Runs all of these hooks that handle the event of the case, in the order of a run. */
const runChainCase = async (one: TestCase, hooks: readonly Hook[], invoker: ScratchInvoker): Promise<CaseResult> =>
  resultOf(one, await runStaged(one, null, { hooks, invoker }), invoker.redact);

const resultWithoutRun = (one: TestCase, why: string): CaseResult => resultOf(one, fail(why), (text) => text);

function resultOf(one: TestCase, run: Result<CaseRun, string>, redact: Redact): CaseResult {
  const judged = run.ok ? judgeRun(one, run.value, redact) : judgeWithoutRun(one, run.error);
  const answers = run.ok ? run.value.invocations : [];
  return {
    ...judged,
    name: one.name,
    caseFile: one.file,
    caseLine: one.line,
    sameAs: null,
    durationMs: answers.reduce((sum, { result }) => sum + result.durationMs, 0),
    printed: answers.flatMap(({ stdout, result }) => printedLines(stdout, result.stderr)),
    wasCutShort: answers.some(wasCutShort),
    run: run.ok ? run.value : null,
  };
}

async function runStaged(one: TestCase, hook: Hook | null, stage: Stage): Promise<Result<CaseRun, string>> {
  const staged = await withStage(one, stage, async ({ hooks, invoker }): Promise<Result<CaseRun, string>> => {
    const payload = await casePayload(one, hook, invoker.cwd);
    return payload.ok ? invokeAll(one, payload.value, { hooks, invoker }) : payload;
  });
  return staged.ok ? staged.value : staged;
}

/** The real chain, also of a single hook, so that its match, a block's effect and a closed failure count as they do in a run. */
async function invokeAll(
  one: TestCase,
  { payload, sent }: CasePayload,
  { hooks, invoker }: Stage,
): Promise<Result<CaseRun, string>> {
  const session = sessionOfPayload(payload, invoker.context);
  const lost = await setState(one.state, session.folder);
  if (lost !== null) return fail(`its state cannot be set: ${lost}`);
  const { event } = payload;
  const concerned = hooks.filter((hook) => appliesTo(hook, event)).map((hook) => hookForEvent(hook, event));
  const invocations: Invocation[] = [];
  const chain = await runChain(orderHooks(concerned, event, invoker.context.settings), payload, {
    membersFor: invoker.membersFor,
    invoke: async (asked, given) => {
      const answer = await invoker.invoke(asked, given, one.name);
      invocations.push(answer);
      return answer.result;
    },
  });
  const [verdict, state] = [verdictOf(chain), await stateAfter(session.folder)];
  const { raw } = takeSnapshot(verdict, state, scratchNames(invoker));
  const snapshot = spanOfRaw(redactJson(raw, invoker.redact));
  return ok({ payload, sent, invocations, verdict, state, snapshot });
}

/** The project can be beside the home folder, but not in it. */
const scratchNames = ({ cwd, context: { env } }: ScratchInvoker): readonly ScratchName[] => [
  [cwd, "<project>"],
  ...(env.HOME === undefined ? [] : [[env.HOME, "<home>"] as const]),
  ...(env.TMPDIR === undefined ? [] : [[env.TMPDIR, "<tmp>"] as const]),
];

async function setState(state: JsonObject, folder: string | null): Promise<string | null> {
  if (state.size === 0) return null;
  if (folder === null) return "the payload has no conv_id";
  const set = new Map([...state].map(([key, { raw }]) => [key, raw] as const));
  const changed = await changeState(folder, { ...NO_PATCH, set });
  return changed.ok ? null : changed.error;
}

async function stateAfter(folder: string | null): Promise<JsonSpan> {
  const read = folder === null ? null : await readState(folder);
  return { kind: "object", raw: read?.ok ? stateText(read.value.value) : "{}" };
}

/**
 * Nobody approves case files. The files of a case could make a hook of the user's run programs (`git status` runs those
 * of a repository's settings), so cases start only the approved hooks of others.
 */
export const mayStart = (
  { isFromOthers, isFromPack }: Pick<TestCase, "isFromOthers" | "isFromPack">,
  hook: Pick<Candidate, "source" | "entry">,
): boolean => !isFromOthers || isFromProject(hook) || (isFromPack && hook.source === "user-plugin");
