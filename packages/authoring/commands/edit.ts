import { type CommandResult, print, reportProblem } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { unsetOptions } from "../../../src/cli/options.ts";
import { askChoice } from "../../../src/cli/prompt/ask-choice.ts";
import { openInEditor } from "../../../src/cli/prompt/pager-and-editor.ts";
import { requirePerson } from "../../../src/cli/prompt/require-person.ts";
import { promptForReview } from "../../../src/cli/prompt/review-loop.ts";
import { findPending, notYourHook } from "../../../src/cli/review/pending-approvals.ts";
import { APPROVE_QUESTION, approvedRows, reviewPending } from "../../../src/cli/review/review-items.ts";
import { contextWithoutTrust, restoreApprovals } from "../../../src/cli/review/stored-decisions.ts";
import { stderrStyle } from "../../../src/cli/stream-style.ts";
import { updateRegistrations } from "../../../src/cli/update-registrations.ts";
import { fullHookName, matchesHookArgument } from "../../../src/discover/candidate-names.ts";
import { approvalContext } from "../../../src/engine/approve-unseen.ts";
import { findAllCandidates, hookFolders } from "../../../src/engine/hooks/candidates.ts";
import type { Host, Terminal } from "../../../src/engine/host.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { callerOf, findCallerScopes } from "../../../src/engine/user-paths.ts";
import type { Approval } from "../../../src/protocol/approval.ts";
import { EXIT, signalExitCode } from "../../../src/protocol/exit-code.ts";
import { isMachine } from "../../../src/protocol/hook.ts";
import { attempt, fail, ok, ProblemError, unwrap } from "../../../src/protocol/result.ts";
import { quoteHookName } from "../../../src/protocol/text/shell-quote.ts";
import { escapeControls, listNames, truncateEscaped } from "../../../src/protocol/text/text.ts";
import { displayPath } from "../../../src/report/display-path.ts";
import { approvedText } from "../../../src/report/trust/approvals-text.ts";
import { isAmongHooks } from "../../../src/trust/decide/approval-key.ts";
import { approveReviewed } from "../../../src/trust/review/approve-reviewed.ts";
import type { ReviewedHook } from "../../../src/trust/review/review.ts";
import { openTrustStore } from "../../../src/trust/store/trust-store.ts";
import { casesFor, readCaseFiles } from "../../testing/cases/case-files.ts";
import { test } from "../../testing/commands/test.ts";
import { TEST_OPTIONS } from "../../testing/commands/testing-commands.ts";

interface EditCall {
  readonly line: CommandLine<"edit">;
  readonly host: Host;
  readonly terminal: Terminal;
}

/**
 * Opens a hook and its test cases in the editor, shows and approves the changes, then checks the hook as `test` does.
 */
export async function edit(line: CommandLine<"edit">, host: Host): Promise<CommandResult> {
  const { options } = line;
  await requirePerson(host);
  const terminal = host.isStdinTerminal() ? await host.openTerminal() : null;
  if (terminal === null) {
    const detail = "edit needs a terminal, but there is none.";
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: "edit the file itself, then: hookctl trust NAME" });
  }
  const ended = await editRounds({ line, host, terminal }).finally(() => terminal.close());
  const signal = host.interrupt.raised();
  const scopes = findCallerScopes(callerOf(host, options.directory));
  // An edit may change the event that the hook handles.
  if (signal === null && ended.ok && ended.value === EXIT.ok && scopes.ok)
    await updateRegistrations(scopes.value, { ...options, trust: false }, host);
  return signal === null ? ended : ok(signalExitCode(signal));
}

/** One round is an edit, its approval and the checks; after a failed check the user may edit again. */
async function editRounds(call: EditCall): Promise<CommandResult> {
  const { host, terminal, line } = call;
  const { json } = line.options;
  for (;;) {
    const { file, hook, context } = await findTarget(call);
    const cases = caseFilesOf(hook.name, context);
    const trouble = await openInEditor([file, ...cases], context, terminal);
    if (trouble !== null) {
      const tryThis = `EDITOR=vi hookctl edit ${quoteHookName(hook.name)}`;
      return fail({ code: "USAGE_WRONG_WORDS", detail: `${escapeControls(trouble)}.`, tryThis });
    }
    const approved = await approveEdited(file, call);
    if (approved === null) {
      host.err(`▲ ${truncateEscaped(hook.name, 80)} was edited, but not approved: it does not run.\n`);
      return ok(EXIT.notApproved);
    }
    const checked = await checkHook(hook.name, call);
    if (checked.code === EXIT.ok || host.interrupt.raised() !== null) return printReport(checked, host);
    if (!json) print(checked.report, host);
    const next = await askChoice(terminal, afterFailure(cases, context));
    if (next === "edit") continue;
    if (next === "withdraw") await withdraw(approved, call);
    return json ? printReport(checked, host) : ok(checked.code);
  }
}

const AFTER_FAILURE = {
  edit: "open the hook and its cases again",
  keep: "keep the new version approved, so that it runs",
  withdraw: "withdraw the approval: your edit stays, and does not run until you approve it",
} as const;

/** Names the cases: a new rule often fails those of the former one. */
function afterFailure(cases: readonly string[], { cwd, scopes: { homeDir } }: RunContext) {
  const shown = cases.map((file) => displayPath(file, { cwd, homeDir }));
  const intro = shown.length === 0 ? "" : `Its cases are in ${listNames(shown)}; edit opens them with it.\n`;
  const notes = { keep: "it runs", withdraw: "it does not run" };
  return { intro, question: "It failed its checks.", choices: AFTER_FAILURE, notes };
}

/** A new rule needs new cases, so both are opened. */
const caseFilesOf = (hook: string, context: RunContext): readonly string[] => [
  ...new Set(casesFor(readCaseFiles(hookFolders(context)).cases, { kind: "hook", name: hook }).map(({ file }) => file)),
];

/** The hook that the argument names, and the file that declares it. */
async function findTarget({ line: { args, options }, host }: EditCall) {
  const { context } = await contextWithoutTrust(options, host);
  const found = findAllCandidates(context);
  const candidates = found.candidates.filter((candidate) => !isMachine(candidate));
  const names = [...candidates, ...found.skipped].map(({ name }) => name);
  const word = fullHookName(args[0] ?? "", names);
  const declared = candidates.find((candidate) => matchesHookArgument(word, candidate, context.cwd));
  const hook = declared ?? found.skipped.find((skipped) => matchesHookArgument(word, skipped, context.cwd));
  if (hook === undefined) throw new ProblemError(notYourHook(word, names, context));
  return { hook, file: declared?.entry?.file ?? hook.path, context };
}

/** The approvals of an edit, and those that they replaced. */
interface EditApproval {
  readonly context: RunContext;
  readonly fresh: readonly Approval[];
  readonly before: readonly Approval[];
}

/** Shows the difference and asks for approval; null if the user did not approve. The user's hooks need no approval. */
async function approveEdited(file: string, call: EditCall): Promise<EditApproval | null> {
  const { host, terminal } = call;
  const { context, items } = await pendingIn(file, call);
  const agreed: ReviewedHook[] = [];
  for (const item of items) {
    const reload = async () =>
      (await pendingIn(file, call)).items.find(({ view }) => view.path === item.view.path) ?? null;
    const style = await stderrStyle(call.line.options, host);
    const question = { ...APPROVE_QUESTION, choices: EDIT_CHOICES, terminal, context, style, reload };
    const answered = await promptForReview(item, question);
    if (answered.answer === "gone" && answered.problem !== null) throw new ProblemError(answered.problem);
    if (answered.answer === "gone") continue;
    if (answered.answer !== "yes") return null;
    agreed.push(...answered.item.reviewed);
  }
  if (agreed.length === 0) return { context, fresh: [], before: [] };
  // Read again: while the person decided, another process may have changed it.
  const approvals = openTrustStore(context).approvals();
  const known = approvals.ok ? Object.values(approvals.value.approved) : [];
  const approved = unwrap(await approveReviewed(agreed, approvalContext(context)));
  const rows = await approvedRows(approved, agreed, context);
  host.err(approvedText({ approved: rows, denied: [], hadToDecide: true }));
  const fresh = approved.map(({ approval }) => approval);
  return { context, fresh, before: known.filter(isAmongHooks(fresh)) };
}

const { deny: _deny, quit: _quit, ...EDIT_CHOICES } = APPROVE_QUESTION.choices;

/** The pending items of one file. */
async function pendingIn(file: string, { line: { options }, host }: EditCall) {
  const pending = await findPending((await contextWithoutTrust(options, host)).context, []);
  const hooks = pending.waiting.filter(({ candidate }) => (candidate.entry?.file ?? candidate.path) === file);
  return { context: pending.context, items: (await reviewPending(hooks, pending)).items };
}

async function withdraw({ context, fresh, before }: EditApproval, { host }: EditCall): Promise<void> {
  const withdrawn = await attempt(() => restoreApprovals(fresh, before, context));
  if (!withdrawn.ok) await reportProblem(withdrawn.error, host);
  else for (const { name } of withdrawn.value) host.err(`✔ Withdrew the approval of ${truncateEscaped(name, 80)}\n`);
}

/** Runs `hookctl test NAME`. Its report is returned, because only that of the last round is printed with `--json`. */
async function checkHook(name: string, { line, host }: EditCall) {
  let report = "";
  const out = (text: string): null => {
    report += text;
    return null;
  };
  const options = { ...unsetOptions(TEST_OPTIONS), ...line.options };
  const attempted = await attempt(() => test({ command: "test", args: [name], options }, { ...host, out }));
  const ended = attempted.ok ? attempted.value : attempted;
  return { code: ended.ok ? ended.value : await reportProblem(ended.error, host), report };
}

function printReport({ code, report }: Awaited<ReturnType<typeof checkHook>>, host: Host): CommandResult {
  const printed = report === "" ? ok(EXIT.ok) : print(report, host);
  return printed.ok ? ok(code) : printed;
}
