import { type CommandResult, print, withProblem } from "../cli/command-result.ts";
import type { CommandLine, CommonOptions } from "../cli/command-table.ts";
import { requirePerson } from "../cli/prompt/require-person.ts";
import { promptForReview } from "../cli/prompt/review-loop.ts";
import { findPending, type PendingApprovals } from "../cli/review/pending-approvals.ts";
import { APPROVE_QUESTION, type HookReviewItem, missingPrograms, reviewPending } from "../cli/review/review-items.ts";
import { projectFilesIn } from "../config/load-settings.ts";
import { readIdentity } from "../discover/read-identity.ts";
import { approvalContext } from "../engine/approve-unseen.ts";
import { type CreatedContext, createRunContext } from "../engine/create-run-context.ts";
import type { RunContext } from "../engine/run-context.ts";
import { unreadableSettings, unusedEntries } from "../engine/settings/effective-settings.ts";
import type { Host } from "../host.ts";
import { updateRegistrations } from "../install/update-registrations.ts";
import type { Approval } from "../protocol/approval.ts";
import { EXIT, signalExitCode } from "../protocol/exit-code.ts";
import type { Candidate } from "../protocol/hook.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { quoteHookName } from "../protocol/text/shell-quote.ts";
import { truncateEscaped } from "../protocol/text/text.ts";
import { type Warning, warningText } from "../protocol/warning.ts";
import { problemText, warningLine } from "../report/problem-text.ts";
import { PLAIN_STYLE } from "../report/text-style.ts";
import {
  type ApprovedRow,
  approvedJson,
  approvedText,
  deniedText,
  type HookRow,
} from "../report/trust/approvals-text.ts";
import { reviewText, SCREEN_ROWS } from "../report/trust/review-text.ts";
import { isSettingsApproval } from "../trust/decide/approval-key.ts";
import { approveReviewed } from "../trust/review/approve-reviewed.ts";
import type { ReviewedHook } from "../trust/review/review.ts";
import { printDigest, type ShowRequest, showPending } from "./trust/show-pending.ts";
import { listApprovals, pruneApprovals } from "./trust/stored-approvals.ts";
import { denyHooks } from "./untrust.ts";

const MODES = ["list", "show", "digest", "prune", "yes"] as const;
/** Modes that change nothing. */
const READ_ONLY: readonly string[] = ["list", "show", "digest"];

interface TrustCall extends ShowRequest {
  readonly host: Host;
  readonly options: CommonOptions;
  /** Finds pending hooks again, settings files included. */
  readonly loadPending: () => Promise<Result<PendingApprovals, Problem>>;
}

/** Shows pending hooks and approves them: by name, all with `--yes`, or one by one on a terminal. */
export async function trust(line: CommandLine<"trust">, host: Host): Promise<CommandResult> {
  const { options } = line;
  const modes = MODES.filter((mode) => options[mode]);
  if (modes.length > 1) {
    const detail = `${modes.map((mode) => `--${mode}`).join(" and ")} cannot be combined.`;
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl trust --help" });
  }
  const isLooking = modes.some((mode) => READ_ONLY.includes(mode));
  const refusal = isLooking ? null : await requirePerson(host);
  if (refusal !== null) return fail(refusal);
  const started = await createRunContext({ ...options, trust: false }, host, false);
  if (!started.ok) return started;
  const { json: isJson } = options;
  if (modes[0] === "list") return listApprovals(started.value.context, isJson, host);
  if (modes[0] === "prune") return pruneApprovals(started.value.context, isJson, host);

  for (const warning of unusableSettings(started.value)) host.err(warningLine(warningText(warning), PLAIN_STYLE));
  const { context, loaded } = started.value;
  const broken = projectFilesIn(context.plan).find(({ problem }) => problem !== null)?.problem ?? null;
  const unfit = broken ?? loaded.partialProblems[0] ?? null;
  const found = await findPending(context, line.args);
  if (!found.ok) return found;
  const pending = found.value;
  const loadPending = async () => {
    const again = await createRunContext({ ...options, trust: false }, host, false);
    return again.ok ? findPending(again.value.context, []) : again;
  };
  const call = {
    host,
    options,
    loadPending,
    isJson,
    pending,
    hooks: line.args.length > 0 ? pending.named : pending.waiting,
  };
  if (line.args.length > 0) return answerMode(modes[0], call, true);
  // "Nothing to approve" would be wrong: the broken file may declare hooks.
  if (unfit !== null && call.hooks.length === 0 && modes[0] !== "digest") return fail(unfit);
  return withProblem(unfit, await answerMode(modes[0], call, false));
}

async function answerMode(mode: (typeof MODES)[number] | undefined, call: TrustCall, isNamed: boolean) {
  const { host } = call;
  if (mode === "digest") return printDigest(call, host);
  if (mode === "show") return showPending(call, host);
  // A person who types a name has read the file; on a terminal it is shown and confirmed all the same.
  const isAsking = mode !== "yes" && (!isNamed || host.isStdinTerminal());
  return isAsking ? askForEach(call) : approveAll(call);
}

/** The warnings of a run about unusable project settings: the approved version of a broken file still applies. */
function unusableSettings({ context, loaded }: CreatedContext): readonly Warning[] {
  const changed = loaded.warnings.filter((one) => one.code === "SETTINGS_CHANGED" && one.problem !== null);
  const isTold = (problem: unknown) => changed.some((one) => "problem" in one && one.problem === problem);
  const { plan } = context;
  const others = [...projectFilesIn(plan), ...plan.ignoredFiles].filter(({ problem }) => !isTold(problem));
  return [...changed, ...unreadableSettings(others), ...unusedEntries(plan.files)];
}

async function approveAll(call: TrustCall): Promise<CommandResult> {
  const { pending, hooks, host } = call;
  const review = reviewPending(hooks, pending);
  if (!review.ok) return review;
  for (const { view } of review.value.items) {
    const { text, hiddenLines } = reviewText(view, PLAIN_STYLE, SCREEN_ROWS);
    const rest = hiddenLines === 0 ? "" : `  The whole text: hookctl trust --show ${quoteHookName(view.name)}\n`;
    host.err(text + rest);
  }
  return saveApprovals(call, review.value.reviewed);
}

async function askForEach(call: TrustCall): Promise<CommandResult> {
  const { host, pending } = call;
  const terminal = host.isStdinTerminal() ? await host.openTerminal() : null;
  if (terminal === null) {
    const detail = "trust needs a terminal to ask you, and there is none.";
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl trust --yes, or: hookctl trust NAME" });
  }
  const review = reviewPending(call.hooks, pending);
  if (!review.ok) {
    terminal.close();
    return review;
  }
  const agreed: ReviewedHook[] = [];
  const denied: Candidate[] = [];
  for (const item of review.value.items) {
    const again = () => itemAgain(item, call);
    const answered = await promptForReview(item, {
      ...APPROVE_QUESTION,
      terminal,
      context: pending.context,
      reload: again,
    });
    if (answered.answer === "gone") host.err(noLongerPendingText(item.view.name, answered.problem));
    else if (answered.answer === "yes") agreed.push(...answered.item.reviewed);
    else if (answered.answer === "deny") denied.push(...item.reviewed.slice(0, 1).map(({ candidate }) => candidate));
    else if (answered.answer !== "no") break;
  }
  terminal.close();
  const signal = host.interrupt.raised();
  if (signal !== null) return ok(signalExitCode(signal));
  const written = await denyHooks(denied, pending.context, host);
  if (!written.ok) return written;
  return saveApprovals(call, agreed, written.value);
}

const noLongerPendingText = (name: string, problem: Problem | null): string =>
  problem === null ? `• ${truncateEscaped(name, 80)} no longer needs approval.\n` : problemText(problem, PLAIN_STYLE);

/** The same item after an edit; null if it is no longer pending. */
async function itemAgain(
  { view }: HookReviewItem,
  { loadPending }: TrustCall,
): Promise<Result<HookReviewItem | null, Problem>> {
  const pending = await loadPending();
  if (!pending.ok) return pending;
  const review = reviewPending(pending.value.waiting, pending.value);
  if (!review.ok) return review;
  return ok(review.value.items.find((item) => item.view.path === view.path && item.view.name === view.name) ?? null);
}

async function saveApprovals(
  { pending, hooks, host, options, isJson }: TrustCall,
  reviewed: readonly ReviewedHook[],
  denied: readonly HookRow[] = [],
): Promise<CommandResult> {
  const approved = await approveReviewed(reviewed, approvalContext(pending.context));
  // The denials of this call are stored all the same.
  if (!approved.ok) {
    host.err(deniedText(denied));
    return fail(approved.error);
  }
  const hadToDecide = hooks.length + pending.refused.length > 0;
  const outcome = { approved: approvedRows(approved.value, reviewed, pending.context), denied, hadToDecide };
  const printed = print(isJson ? `${approvedJson(outcome, pending.refused)}\n` : approvedText(outcome), host);
  if (approved.value.length > 0) await updateRegistrations(pending.context.scopes, { ...options, trust: false }, host);
  for (const problem of pending.refused) host.err(problemText(problem, PLAIN_STYLE));
  return printed.ok && pending.refused.length > 0 ? ok(EXIT.notApproved) : printed;
}

/** One row for each approval, with its events and the program that its declared command cannot find. */
export function approvedRows(
  approvals: readonly Approval[],
  reviewed: readonly ReviewedHook[],
  context: RunContext,
): readonly ApprovedRow[] {
  const missingOf = missingPrograms(context);
  return approvals.map((approval): ApprovedRow => {
    const { name, path, sha256, said } = approval;
    if (isSettingsApproval(approval)) return { name, path, sha256: null, events: [], missing: null };
    const identity = said === null ? null : readIdentity({ name, path }, said);
    const hook = reviewed.find(({ candidate }) => candidate.path === path);
    const missing = hook === undefined ? null : missingOf(hook.candidate);
    return { name, path, sha256, events: identity?.ok ? identity.value.events : null, missing };
  });
}
