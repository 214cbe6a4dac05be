import { join } from "node:path";
import { type CommandResult, print, withProblem } from "../cli/command-result.ts";
import type { CommandLine, CommonOptions } from "../cli/command-table.ts";
import { requirePerson } from "../cli/prompt/require-person.ts";
import { promptForReview } from "../cli/prompt/review-loop.ts";
import { findPending, type PendingApprovals } from "../cli/review/pending-approvals.ts";
import {
  APPROVE_QUESTION,
  approvedRows,
  type HookReviewItem,
  reviewPending,
  viewPending,
} from "../cli/review/review-items.ts";
import { contextWithoutTrust, denyHooks } from "../cli/review/stored-decisions.ts";
import { stderrStyle, stdoutStyle } from "../cli/stream-style.ts";
import { updateRegistrations } from "../cli/update-registrations.ts";
import { projectFilesIn } from "../config/load-settings.ts";
import { approvalContext } from "../engine/approve-unseen.ts";
import type { CreatedContext } from "../engine/create-run-context.ts";
import type { Host } from "../engine/host.ts";
import { unreadableSettings, unusedEntries } from "../engine/settings/effective-settings.ts";
import { EXIT, signalExitCode } from "../protocol/exit-code.ts";
import { type Candidate, isFromProject } from "../protocol/hook.ts";
import { printableJson } from "../protocol/json/write.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok } from "../protocol/result.ts";
import { quoteHookName, quoteHookNames, shellQuote } from "../protocol/text/shell-quote.ts";
import { truncateEscaped } from "../protocol/text/text.ts";
import { type Warning, warningText } from "../protocol/warning.ts";
import { problemText, warningLine } from "../report/problem-text.ts";
import { PLAIN_STYLE } from "../report/text-style.ts";
import {
  approvedJson,
  approvedText,
  deniedText,
  type HookRow,
  NOTHING_PENDING,
  undoLine,
} from "../report/trust/approvals-text.ts";
import { reviewJson, reviewText, SCREEN_ROWS } from "../report/trust/review-text.ts";
import type { CandidateStatus } from "../trust/decide/decide-trust.ts";
import { projectDigest } from "../trust/evidence/canonical-settings.ts";
import { approveReviewed } from "../trust/review/approve-reviewed.ts";
import type { ReviewedHook } from "../trust/review/review.ts";
import { listApprovals, pruneApprovals } from "./trust/stored-approvals.ts";

const MODES = ["list", "show", "digest", "prune", "yes"] as const;
/** Modes that change nothing. */
const READ_ONLY: readonly string[] = ["list", "show", "digest"];

interface TrustCall {
  readonly host: Host;
  readonly options: CommonOptions;
  readonly isJson: boolean;
  readonly pending: PendingApprovals;
  /** The named hooks, or all pending ones. */
  readonly hooks: readonly CandidateStatus[];
}

/** Shows pending hooks and approves them: by name, all with `--yes`, or one by one on a terminal. */
export async function trust(line: CommandLine<"trust">, host: Host): Promise<CommandResult> {
  const { options } = line;
  const given = MODES.filter((mode) => options[mode]);
  // Of `--yes` too, a dry run shows what would be approved.
  const isShown = options.dryRun && given.every((mode) => mode === "yes");
  const modes = isShown ? (["show"] as const) : given;
  if (modes.length > 1 || (options.dryRun && !isShown)) {
    const all = options.dryRun ? ["dry-run", ...given] : given;
    const detail = `${all.map((mode) => `--${mode}`).join(" and ")} cannot be combined.`;
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl trust --help" });
  }
  if (!modes.some((mode) => READ_ONLY.includes(mode))) await requirePerson(host);
  const started = await contextWithoutTrust(options, host);
  const { json: isJson } = options;
  if (modes[0] === "list") return listApprovals(started.context, options, host);
  if (modes[0] === "prune") return pruneApprovals(started.context, isJson, host);

  for (const warning of unusableSettings(started)) host.err(warningLine(warningText(warning), PLAIN_STYLE));
  const { context, loaded } = started;
  const broken = projectFilesIn(context.plan).find(({ problem }) => problem !== null)?.problem ?? null;
  const unfit = broken ?? loaded.partialProblems[0] ?? null;
  const pending = await findPending(context, line.args);
  const call = { host, options, isJson, pending, hooks: line.args.length > 0 ? pending.named : pending.waiting };
  if (line.args.length > 0) return answerMode(modes[0], call, true);
  // "Nothing to approve" would be wrong: the broken file may declare hooks.
  if (unfit !== null && call.hooks.length === 0 && modes[0] !== "digest") return fail(unfit);
  return withProblem(unfit, await answerMode(modes[0], call, false));
}

async function answerMode(mode: (typeof MODES)[number] | undefined, call: TrustCall, isNamed: boolean) {
  if (mode === "digest") return printDigest(call);
  if (mode === "show") return showPending(call);
  // A person who types a name has read the file; on a terminal it is shown and confirmed all the same.
  const isAsking = mode !== "yes" && (!isNamed || call.host.isStdinTerminal());
  return isAsking ? askForEach(call) : approveAll(call);
}

/** The warnings of a run about unusable project settings: the approved version of a broken file still applies. */
function unusableSettings({ context, loaded }: CreatedContext): readonly Warning[] {
  const changed = loaded.warnings.filter((warning) => warning.code === "SETTINGS_CHANGED" && warning.problem !== null);
  const reported = changed.map((warning): unknown => ("problem" in warning ? warning.problem : null));
  const { plan } = context;
  const others = [...projectFilesIn(plan), ...plan.ignoredFiles].filter(({ problem }) => !reported.includes(problem));
  return [...changed, ...unreadableSettings(others), ...unusedEntries(plan.files)];
}

/** `trust --show`: shows what a yes would approve, and approves nothing. */
async function showPending({ pending, hooks, isJson, host, options }: TrustCall): Promise<CommandResult> {
  const views = await viewPending(hooks, pending);
  if (isJson) return print(`${reviewJson(views)}\n`, host);
  if (views.length === 0) return print(NOTHING_PENDING, host);
  const names = views.filter(({ waits }) => waits).map(({ name }) => name);
  const next = names.length === 0 ? "" : `\nTo approve what you have read: hookctl trust ${quoteHookNames(names)}\n`;
  const style = await stdoutStyle(options, host);
  return print(views.map((view) => reviewText(view, style).text).join("\n") + next, host);
}

/** `trust --digest`: prints one hash of all project hooks. */
function printDigest({ pending, isJson, host }: TrustCall): CommandResult {
  const { projectDir, projectDirs } = pending.context.scopes;
  const digest = projectDigest(pending.all.filter(isFromProject), projectDirs);
  if (digest !== null)
    return print(`${isJson ? printableJson({ schema: "hookctl.trust/1", digest }) : digest}\n`, host);
  const cause = "has no digest: too many files next to its hooks, or some cannot be read";
  const fix = `Remove files that no hook needs: ls -laR ${shellQuote(join(projectDir, ".kodelet"))}`;
  return fail({ code: "TRUST_UNSAFE_PLACE", place: projectDir, cause, fix });
}

async function approveAll(call: TrustCall): Promise<CommandResult> {
  const { pending, hooks, host } = call;
  const review = await reviewPending(hooks, pending);
  const style = await stderrStyle(call.options, host);
  for (const { view } of review.items) {
    const { text, hiddenLines } = reviewText(view, style, SCREEN_ROWS);
    const rest = hiddenLines === 0 ? "" : `  The whole text: hookctl trust --show ${quoteHookName(view.name)}\n`;
    host.err(text + rest);
  }
  return saveApprovals(call, review.reviewed);
}

async function askForEach(call: TrustCall): Promise<CommandResult> {
  const { host, pending } = call;
  const terminal = host.isStdinTerminal() ? await host.openTerminal() : null;
  if (terminal === null) {
    const detail = "trust needs a terminal to ask you, but there is none.";
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl trust --yes, or: hookctl trust NAME" });
  }
  const agreed: ReviewedHook[] = [];
  const denied: Candidate[] = [];
  try {
    for (const item of (await reviewPending(call.hooks, pending)).items) {
      const question = {
        ...APPROVE_QUESTION,
        terminal,
        context: pending.context,
        style: await stderrStyle(call.options, host),
        reload: () => reloadItem(item, call),
      };
      const answered = await promptForReview(item, question);
      if (answered.answer === "gone") host.err(noLongerPendingText(item.view.name, answered.problem));
      else if (answered.answer === "yes") agreed.push(...answered.item.reviewed);
      else if (answered.answer === "deny") denied.push(...item.reviewed.slice(0, 1).map(({ candidate }) => candidate));
      else if (answered.answer !== "no") break;
    }
  } finally {
    terminal.close();
  }
  const signal = host.interrupt.raised();
  if (signal !== null) return ok(signalExitCode(signal));
  return saveApprovals(call, agreed, await denyHooks(denied, pending.context));
}

const noLongerPendingText = (name: string, problem: Problem | null): string =>
  problem === null ? `• ${truncateEscaped(name, 80)} no longer needs approval.\n` : problemText(problem, PLAIN_STYLE);

/** The same item after an edit, with the settings read again; null if it is no longer pending. */
async function reloadItem({ view }: HookReviewItem, { options, host }: TrustCall): Promise<HookReviewItem | null> {
  const pending = await findPending((await contextWithoutTrust(options, host)).context, []);
  const { items } = await reviewPending(pending.waiting, pending);
  return items.find((item) => item.view.path === view.path && item.view.name === view.name) ?? null;
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
  const outcome = { approved: await approvedRows(approved.value, reviewed, pending.context), denied, hadToDecide };
  const text = isJson ? `${approvedJson(outcome, pending.refused)}\n` : approvedText(outcome) + undoLine(outcome);
  const printed = print(text, host, false, pending.refused.length > 0 ? EXIT.notApproved : EXIT.ok);
  if (approved.value.length > 0) await updateRegistrations(pending.context.scopes, { ...options, trust: false }, host);
  for (const problem of pending.refused) host.err(problemText(problem, PLAIN_STYLE));
  return printed;
}
