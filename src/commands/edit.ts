import { matchesHookArgument } from "../discover/hook-argument.ts";
import { approveReviewed } from "../engine/approve.ts";
import { currentApprovals } from "../engine/current-approvals.ts";
import { findAllCandidates } from "../engine/hooks/find-all.ts";
import type { ReviewedHook } from "../engine/review.ts";
import type { RunContext } from "../engine/run-context.ts";
import type { Approval } from "../protocol/approval.ts";
import { EXIT, signalExitCode } from "../protocol/exit-code.ts";
import type { Candidate } from "../protocol/hook.ts";
import { unknownHook } from "../protocol/nearest.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { clipped, safeText } from "../protocol/text.ts";
import { approvedText } from "../report/approvals-text.ts";
import type { Terminal } from "../terminal.ts";
import { isSameHook } from "../trust/decide/approval-key.ts";
import type { World } from "../world.ts";
import type { RawLine } from "./flag-table.ts";
import { type Flags, readFlags } from "./flags.ts";
import { askChoice } from "./prompt/ask-choice.ts";
import { openInEditor } from "./prompt/pager-and-editor.ts";
import { requirePerson } from "./prompt/require-person.ts";
import { promptForReview } from "./prompt/review-prompt.ts";
import { createRunContext, print, refuse } from "./start.ts";
import { test } from "./test.ts";
import { findPending } from "./trust/pending-approvals.ts";
import { APPROVE_QUESTION, type HookReviewItem, reviewItems } from "./trust/review-items.ts";
import { approvedRow, missingProgramsIn } from "./trust.ts";
import { restoreApprovals } from "./untrust.ts";
import { updateRegistrations } from "./update-registrations.ts";

interface EditCall {
  readonly line: RawLine;
  readonly flags: Flags;
  readonly world: World;
  readonly terminal: Terminal;
}

/** Opens a hook in the editor; what was changed is shown and approved, then checked as `test` does. */
export async function edit(line: RawLine, world: World): Promise<number> {
  const flags = readFlags(line);
  if (!flags.ok) return refuse(flags.error, world);
  const refusal = await requirePerson(world);
  if (refusal !== null) return refuse(refusal, world);
  const terminal = world.isStdinTerminal() ? await world.openTerminal() : null;
  if (terminal === null) {
    const detail = "edit works on a terminal, and there is none.";
    return refuse(
      { code: "USAGE_WRONG_WORDS", detail, tryThis: "edit the file itself, then: hookctl test NAME" },
      world,
    );
  }
  const code = await editRounds({ line, flags: flags.value, world, terminal });
  terminal.close();
  const signal = world.interrupt.raised();
  // An edit may change the event that the hook handles.
  if (signal === null && code === EXIT.goOn) await updateRegistrations({ ...flags.value, trust: false }, world);
  return signal === null ? code : signalExitCode(signal);
}

/** One round is an edit, its approval and the checks; after a failed check the person may want another. */
async function editRounds(call: EditCall): Promise<number> {
  const { world, terminal } = call;
  for (;;) {
    const target = await findTarget(call);
    if (!target.ok) return refuse(target.error, world);
    const { file, hook, context } = target.value;
    const trouble = await openInEditor(file, context, terminal);
    if (trouble !== null) return refuse({ code: "FILE_NOT_WRITTEN", path: file, cause: safeText(trouble) }, world);
    const approved = await approveEdited(file, call);
    if (!approved.ok) return refuse(approved.error, world);
    if (approved.value === "left") {
      world.err(`▲ ${clipped(hook.name, 80)} was edited and not approved: it does not run as it is.\n`);
      return EXIT.notApproved;
    }
    const checked = await checkHook(hook.name, call);
    if (checked.code === EXIT.goOn || world.interrupt.raised() !== null) return printReport(checked, call);
    if (!call.flags.json) await print(checked.report, world);
    const next = await askChoice(terminal, { intro: "", question: "It failed its checks.", choices: AFTER_FAILURE });
    if (next === "edit") continue;
    if (next === "withdraw") await withdraw(approved.value, call);
    return call.flags.json ? printReport(checked, call) : checked.code;
  }
}

const AFTER_FAILURE = {
  edit: "open it again",
  keep: "leave it as it is",
  withdraw: "take the approval back: an earlier one counts again, so that the hook is changed",
} as const;

interface EditTarget {
  readonly hook: Pick<Candidate, "name" | "path">;
  readonly file: string;
  readonly context: RunContext;
}

async function findTarget({ line, flags, world }: EditCall): Promise<Result<EditTarget, Problem>> {
  const started = await createRunContext({ ...flags, trust: false }, world, false);
  if (!started.ok) return started;
  const { context } = started.value;
  const { candidates, skipped } = findAllCandidates(context);
  const [word = ""] = line.words;
  const declared = candidates.find((one) => matchesHookArgument(word, one, context.cwd));
  const hook = declared ?? skipped.find((one) => matchesHookArgument(word, one, context.cwd));
  if (hook === undefined)
    return fail(
      unknownHook(
        word,
        [...candidates, ...skipped].map(({ name }) => name),
      ),
    );
  return ok({ hook, file: declared?.entry?.file ?? hook.path, context });
}

/** What an edit approved, each with the approval that it had before. */
interface EditApproval {
  readonly context: RunContext;
  readonly fresh: readonly Approval[];
  readonly before: readonly Approval[];
}

/** Shows the difference and asks for the yes. A user's own hook waits for none. */
async function approveEdited(file: string, call: EditCall): Promise<Result<EditApproval | "left", Problem>> {
  const { world, terminal } = call;
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
  const ledger = currentApprovals(context);
  const known = ledger.ok ? Object.values(ledger.value.approvals) : [];
  const approved = await approveReviewed(agreed, context);
  if (!approved.ok) return approved;
  world.err(
    approvedText({
      approved: approved.value.map((one) => approvedRow(one, missingProgramsIn(context))),
      denied: [],
      hadToDecide: true,
    }),
  );
  const before = known.filter((one) => approved.value.some((other) => isSameHook(one, other)));
  return ok({ context, fresh: approved.value, before });
}

const { deny: _deny, quit: _quit, ...EDIT_CHOICES } = APPROVE_QUESTION.choices;

/** The items that wait and that stand in this file. */
async function waitingAt(
  file: string,
  { flags, world }: EditCall,
): Promise<Result<{ readonly context: RunContext; readonly items: readonly HookReviewItem[] }, Problem>> {
  const started = await createRunContext({ ...flags, trust: false }, world, false);
  if (!started.ok) return started;
  const pending = findPending(started.value.context, []);
  if (!pending.ok) return pending;
  const hooks = pending.value.waiting.filter(({ candidate }) => (candidate.entry?.file ?? candidate.path) === file);
  const items = reviewItems({ pending: pending.value, hooks });
  return items.ok ? ok({ context: pending.value.context, items: items.value }) : items;
}

async function withdraw({ context, fresh, before }: EditApproval, { world }: EditCall): Promise<void> {
  const withdrawn = await restoreApprovals(fresh, before, context, world);
  if (!withdrawn.ok) await refuse(withdrawn.error, world);
  else for (const { name } of withdrawn.value) world.err(`✔ Withdrew the approval of ${clipped(name, 80)}\n`);
}

interface Checked {
  readonly code: number;
  readonly report: string;
}

/** The checks and test cases of `hookctl test NAME`; its report is printed once it is known which is the last. */
async function checkHook(name: string, { line, world }: EditCall): Promise<Checked> {
  let report = "";
  const out = (text: string): null => {
    report += text;
    return null;
  };
  const code = await test({ ...line, verb: "test", words: [name] }, { ...world, out });
  return { code, report };
}

async function printReport({ code, report }: Checked, { world }: EditCall): Promise<number> {
  const printed = report === "" ? EXIT.goOn : await print(report, world);
  return printed === EXIT.goOn ? code : printed;
}
