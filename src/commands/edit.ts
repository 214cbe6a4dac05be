import { type CommandResult, print, reportProblem } from "../cli/command-result.ts";
import type { CommandLine, CommonOptions } from "../cli/command-table.ts";
import { unsetOptions } from "../cli/options.ts";
import { fullHookName, matchesHookArgument } from "../discover/candidate-names.ts";
import { approvalContext } from "../engine/approve-unseen.ts";
import { createRunContext } from "../engine/create-run-context.ts";
import { findAllCandidates, hookFolders } from "../engine/hooks/candidates.ts";
import type { RunContext } from "../engine/run-context.ts";
import { callerOf, findCallerScopes } from "../engine/user-paths.ts";
import type { Host } from "../host.ts";
import { updateRegistrations } from "../install/update-registrations.ts";
import type { Approval } from "../protocol/approval.ts";
import { EXIT, signalExitCode } from "../protocol/exit-code.ts";
import { type Candidate, isMachine } from "../protocol/hook.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { escapeControls, truncateEscaped } from "../protocol/text/text.ts";
import { approvedText } from "../report/trust/approvals-text.ts";
import type { Terminal } from "../terminal.ts";
import { casesFor, readCaseFiles } from "../test-runner/cases/case-files.ts";
import { isAmongHooks } from "../trust/decide/approval-key.ts";
import { approveReviewed } from "../trust/review/approve-reviewed.ts";
import type { ReviewedHook } from "../trust/review/review.ts";
import { openTrustStore } from "../trust/store/trust-store.ts";
import { askChoice } from "./prompt/ask-choice.ts";
import { openInEditor } from "./prompt/pager-and-editor.ts";
import { requirePerson } from "./prompt/require-person.ts";
import { promptForReview } from "./prompt/review-loop.ts";
import { test } from "./test.ts";
import { TEST_OPTIONS } from "./testing-commands.ts";
import { notYourHook } from "./trust/not-your-hook.ts";
import { findPending } from "./trust/pending-approvals.ts";
import { APPROVE_QUESTION, type HookReviewItem, reviewPending } from "./trust/review-items.ts";
import { approvedRows } from "./trust.ts";
import { restoreApprovals } from "./untrust.ts";

interface EditCall {
  readonly line: CommandLine<"edit">;
  readonly options: CommonOptions;
  readonly host: Host;
  readonly terminal: Terminal;
}

/**
 * Opens a hook and its test cases in the editor, shows and approves the changes, then checks the hook as `test` does.
 */
export async function edit(line: CommandLine<"edit">, host: Host): Promise<CommandResult> {
  const { options } = line;
  const refusal = await requirePerson(host);
  if (refusal !== null) return fail(refusal);
  const terminal = host.isStdinTerminal() ? await host.openTerminal() : null;
  if (terminal === null) {
    const detail = "edit needs a terminal, and there is none.";
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: "edit the file itself, then: hookctl test NAME" });
  }
  const ended = await editRounds({ line, options, host, terminal });
  terminal.close();
  const signal = host.interrupt.raised();
  const scopes = findCallerScopes(callerOf(host, options.directory));
  // An edit may change the event that the hook handles.
  if (signal === null && ended.ok && ended.value === EXIT.ok && scopes.ok)
    await updateRegistrations(scopes.value, { ...options, trust: false }, host);
  return signal === null ? ended : ok(signalExitCode(signal));
}

/** One round is an edit, its approval and the checks; after a failed check the user may edit again. */
async function editRounds(call: EditCall): Promise<CommandResult> {
  const { host, terminal } = call;
  for (;;) {
    const target = await findTarget(call);
    if (!target.ok) return target;
    const { file, hook, context } = target.value;
    const trouble = await openInEditor([file, ...caseFilesOf(hook.name, context)], context, terminal);
    if (trouble !== null) return fail({ code: "FILE_NOT_WRITTEN", path: file, cause: escapeControls(trouble) });
    const approved = await approveEdited(file, call);
    if (!approved.ok) return approved;
    if (approved.value === "left") {
      host.err(`▲ ${truncateEscaped(hook.name, 80)} was edited, but not approved: it does not run.\n`);
      return ok(EXIT.notApproved);
    }
    const checked = await checkHook(hook.name, call);
    if (checked.code === EXIT.ok || host.interrupt.raised() !== null) return printReport(checked, call);
    if (!call.options.json) print(checked.report, host);
    const next = await askChoice(terminal, { intro: "", question: "It failed its checks.", choices: AFTER_FAILURE });
    if (next === "edit") continue;
    if (next === "withdraw") await withdraw(approved.value, call);
    return call.options.json ? printReport(checked, call) : ok(checked.code);
  }
}

const AFTER_FAILURE = {
  edit: "open it again",
  keep: "leave it as it is",
  withdraw: "withdraw the approval: the earlier approval applies again, and the hook counts as changed",
} as const;

/** A new rule needs new cases, so both are opened. */
const caseFilesOf = (hook: string, context: RunContext): readonly string[] => [
  ...new Set(casesFor(readCaseFiles(hookFolders(context)).cases, { kind: "hook", name: hook }).map(({ file }) => file)),
];

interface EditTarget {
  readonly hook: Pick<Candidate, "name" | "path">;
  readonly file: string;
  readonly context: RunContext;
}

async function findTarget({ line, options, host }: EditCall): Promise<Result<EditTarget, Problem>> {
  const started = await createRunContext({ ...options, trust: false }, host, false);
  if (!started.ok) return started;
  const { context } = started.value;
  const found = findAllCandidates(context);
  const candidates = found.candidates.filter((one) => !isMachine(one));
  const names = [...candidates, ...found.skipped].map(({ name }) => name);
  const word = fullHookName(line.args[0] ?? "", names);
  const declared = candidates.find((one) => matchesHookArgument(word, one, context.cwd));
  const hook = declared ?? found.skipped.find((one) => matchesHookArgument(word, one, context.cwd));
  if (hook === undefined) return fail(notYourHook(word, names, context));
  return ok({ hook, file: declared?.entry?.file ?? hook.path, context });
}

/** The approvals of an edit, and those that they replaced. */
interface EditApproval {
  readonly context: RunContext;
  readonly fresh: readonly Approval[];
  readonly before: readonly Approval[];
}

/** Shows the difference and asks for approval. The user's own hooks need none. */
async function approveEdited(file: string, call: EditCall): Promise<Result<EditApproval | "left", Problem>> {
  const { host, terminal } = call;
  const first = await waitingAt(file, call);
  if (!first.ok) return first;
  const { context } = first.value;
  const agreed: ReviewedHook[] = [];
  for (const item of first.value.items) {
    const again = async () => {
      const looked = await waitingAt(file, call);
      return looked.ok ? ok(looked.value.items.find(({ view }) => view.path === item.view.path) ?? null) : looked;
    };
    const answered = await promptForReview(item, {
      ...APPROVE_QUESTION,
      choices: EDIT_CHOICES,
      terminal,
      context,
      reload: again,
    });
    if (answered.answer === "gone" && answered.problem !== null) return fail(answered.problem);
    if (answered.answer === "gone") continue;
    if (answered.answer !== "yes") return ok("left");
    agreed.push(...answered.item.reviewed);
  }
  if (agreed.length === 0) return ok({ context, fresh: [], before: [] });
  // Read again: while the person decided, another process may have changed it.
  const approvals = openTrustStore(context).approvals();
  const known = approvals.ok ? Object.values(approvals.value.approved) : [];
  const approved = await approveReviewed(agreed, approvalContext(context));
  if (!approved.ok) return approved;
  const rows = approvedRows(approved.value, agreed, context);
  host.err(approvedText({ approved: rows, denied: [], hadToDecide: true }));
  const before = known.filter(isAmongHooks(approved.value));
  return ok({ context, fresh: approved.value, before });
}

const { deny: _deny, quit: _quit, ...EDIT_CHOICES } = APPROVE_QUESTION.choices;

/** The pending items of one file. */
async function waitingAt(
  file: string,
  { options, host }: EditCall,
): Promise<Result<{ readonly context: RunContext; readonly items: readonly HookReviewItem[] }, Problem>> {
  const started = await createRunContext({ ...options, trust: false }, host, false);
  if (!started.ok) return started;
  const pending = await findPending(started.value.context, []);
  if (!pending.ok) return pending;
  const hooks = pending.value.waiting.filter(({ candidate }) => (candidate.entry?.file ?? candidate.path) === file);
  const review = reviewPending(hooks, pending.value);
  return review.ok ? ok({ context: pending.value.context, items: review.value.items }) : review;
}

async function withdraw({ context, fresh, before }: EditApproval, { host }: EditCall): Promise<void> {
  const withdrawn = await restoreApprovals(fresh, before, context, host);
  if (!withdrawn.ok) await reportProblem(withdrawn.error, host);
  else for (const { name } of withdrawn.value) host.err(`✔ Withdrew the approval of ${truncateEscaped(name, 80)}\n`);
}

interface Checked {
  readonly code: number;
  readonly report: string;
}

/** Runs `hookctl test NAME`. Its report is returned, because only that of the last round is printed with `--json`. */
async function checkHook(name: string, { line, host }: EditCall): Promise<Checked> {
  let report = "";
  const out = (text: string): null => {
    report += text;
    return null;
  };
  const options = { ...unsetOptions(TEST_OPTIONS), ...line.options };
  const ended = await test({ command: "test", args: [name], options }, { ...host, out });
  const code = ended.ok ? ended.value : await reportProblem(ended.error, host);
  return { code, report };
}

function printReport({ code, report }: Checked, { host }: EditCall): CommandResult {
  const printed = report === "" ? ok(EXIT.ok) : print(report, host);
  return printed.ok ? ok(code) : printed;
}
