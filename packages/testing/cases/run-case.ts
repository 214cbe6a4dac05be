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
import { type Invocation, type ScratchInvoker, scratchInvoker } from "../scratch/invoke-in-scratch.ts";
import type { TestWorker } from "../scratch/worker.ts";
import type { ChainSubject, TestSubject } from "../select/test-subject.ts";
import { casePayload } from "./case-payload.ts";
import { judgeRun, judgeWithoutRun } from "./judge-case.ts";
import { takeSnapshot } from "./snapshots.ts";
import { type Stage, withStage } from "./stage-case.ts";
import type { CasePayload, CaseResult, CaseRun, TestCase } from "./test-case.ts";

/** Runs a case of a hook, of a built-in guard, or of all hooks together, in the folders of a worker. */
export async function runCaseOf(subject: TestSubject, one: TestCase, worker: TestWorker): Promise<CaseResult> {
  if (subject.kind === "chain") return runCaseOfChain(subject, one, worker);
  const { hook } = subject;
  if (hook === null) return resultWithoutRun(one, "it is not started");
  if (subject.kind === "hook" && !mayStart(one, hook))
    return resultWithoutRun(one, "a project's case does not start your own hook: move it to ~/.kodelet/tests");
  if (one.subject.kind === "rule" && hook.kind !== "rule") return resultWithoutRun(one, `${hook.name} is not a rule`);
  const placed = worker.inScratch(hook);
  const invoker = scratchInvoker(worker.context, placed.projectDir, subject.recheckTrust);
  return runStaged(one, placed.hook, { hooks: [placed.hook], invoker });
}

/** The user's own hooks are in no chain of others' cases; excluded hooks are named with each result. */
async function runCaseOfChain(
  { members, guards }: ChainSubject,
  one: TestCase,
  { context, inScratch }: TestWorker,
): Promise<CaseResult> {
  const allowed = members.filter(({ hook }) => mayStart(one, hook));
  // The command of a `shell_exec` acts outside of the scratch folders, and decides nothing.
  const started = allowed.filter(({ hook }) => hook.kind !== "shell_exec");
  const placed = started.map(({ hook }) => inScratch(hook));
  const cwd = placed.find(({ projectDir }) => projectDir !== context.cwd)?.projectDir ?? context.cwd;
  const memberAt = (path: string) => members.find((member) => member.path === path);
  const invoker = scratchInvoker(context, cwd, (hook) => memberAt(hook.path)?.recheckTrust(hook) ?? null);
  const result = await runStaged(one, null, { hooks: [...placed.map(({ hook }) => hook), ...guards], invoker });
  const notes = [
    notRun("they are your own, but the case is not", members, allowed),
    notRun("a test starts no shell_exec", allowed, started),
  ];
  const message = [result.message, ...notes].filter((text) => text !== null).join("; ");
  return { ...result, message: message === "" ? null : message };
}

type Members = ChainSubject["members"];

function notRun(why: string, all: Members, run: Members): string | null {
  const names = all.filter((member) => !run.includes(member)).map(({ name }) => name);
  return names.length === 0 ? null : `not run, because ${why}: ${listNames(names)}`;
}

/** Runs hooks with the payload of a case, for a chain (`hook` is null) all of its event, and compares the result. */
async function runStaged(one: TestCase, hook: Hook | null, stage: Stage): Promise<CaseResult> {
  const staged = await withStage(one, stage, async ({ hooks, invoker }): Promise<Result<CaseRun, string>> => {
    const payload = await casePayload(one, hook, invoker.cwd);
    return payload.ok ? invokeAll(one, payload.value, { hooks, invoker }) : payload;
  });
  return resultOf(one, staged.ok ? staged.value : staged, stage.invoker.redact);
}

const resultWithoutRun = (one: TestCase, why: string): CaseResult => resultOf(one, fail(why), (text) => text);

function resultOf(one: TestCase, run: Result<CaseRun, string>, redact: Redact): CaseResult {
  const answers = run.ok ? run.value.invocations : [];
  return {
    ...(run.ok ? judgeRun(one, run.value, redact) : judgeWithoutRun(one, run.error)),
    name: one.name,
    caseFile: one.file,
    caseLine: one.line,
    durationMs: answers.reduce((sum, { result }) => sum + result.durationMs, 0),
    printed: answers.flatMap(({ stdout, result }) => printedLines(stdout, result.stderr)),
    wasCutShort: answers.some(wasCutShort),
    run: run.ok ? run.value : null,
  };
}

/** The real chain, also of a single hook, so that its match, a block's effect and a closed failure apply as in a run. */
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

/** Folders whose paths differ from run to run, and their placeholders. The project can be beside the home folder, but not in it. */
const scratchNames = ({ cwd, context: { env } }: ScratchInvoker): readonly (readonly [string, string])[] => [
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
