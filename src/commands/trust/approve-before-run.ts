import { askChoice } from "../../cli/prompt/ask-choice.ts";
import { openPersonTerminal } from "../../cli/prompt/require-person.ts";
import { promptForReview, VIEW_CHOICES } from "../../cli/prompt/review-loop.ts";
import { reviewView } from "../../cli/review/review-items.ts";
import { stderrStyle } from "../../cli/stream-style.ts";
import type { FoundCandidates } from "../../discover/find-candidates.ts";
import { mentionedEvents } from "../../discover/mentioned-events.ts";
import { readIdentity } from "../../discover/read-identity.ts";
import { approvalContext } from "../../engine/approve-unseen.ts";
import type { Host } from "../../engine/host.ts";
import type { RunContext } from "../../engine/run-context.ts";
import { needingApproval, trustStatuses } from "../../engine/trust-statuses.ts";
import type { Approval } from "../../protocol/approval.ts";
import type { EventName } from "../../protocol/event.ts";
import { canBeApproved } from "../../protocol/problem.ts";
import { type RunRecord, withRunWarnings } from "../../protocol/run-record.ts";
import { truncateEscaped } from "../../protocol/text/text.ts";
import type { Verdict } from "../../protocol/verdict.ts";
import { type Warning, warningText } from "../../protocol/warning.ts";
import { problemText, warningLine } from "../../report/problem-text.ts";
import { PLAIN_STYLE } from "../../report/text-style.ts";
import type { CandidateStatus } from "../../trust/decide/decide-trust.ts";
import { approveOnce, approveReviewed } from "../../trust/review/approve-reviewed.ts";
import { type ReviewedHook, reviewHooks } from "../../trust/review/review.ts";
import { openTrustStore } from "../../trust/store/trust-store.ts";
import type { RunCommandOptions } from "../run/run-options.ts";

/**
 * `run --ask`, or the user's `on_untrusted: ask`: asks for each hook of this event that is not approved whether to run it
 * always, in this call, or not. Without a terminal there is a warning, but only for `--ask`.
 */
export async function approveBeforeRun(
  found: FoundCandidates,
  { event, ask, color }: Pick<RunCommandOptions, "event" | "ask" | "color">,
  context: RunContext,
  host: Host,
): Promise<RunContext> {
  const all = needingApproval(found.candidates);
  const { statusOf } = await trustStatuses(all, context);
  const waiting = all
    .map((candidate) => ({ candidate, status: statusOf(candidate) }))
    .filter((one) => isUndecided(one) && mayHandle(one, event));
  if (waiting.length === 0) return context;
  const terminal = await openPersonTerminal(host);
  if (terminal === null) {
    if (ask) warn({ code: "NO_TERMINAL" }, host);
    return context;
  }
  const approvedOnce: Approval[] = [];
  for (const one of waiting) {
    // The snapshot comes first, so that a yes approves what was shown.
    const reviewed = reviewHooks([one.candidate], context);
    if (!reviewed.ok) host.err(problemText(reviewed.error, PLAIN_STYLE));
    const [subject] = reviewed.ok ? reviewed.value : [];
    if (subject === undefined) continue;
    const item = {
      view: await reviewView(one, [subject], { context, statusOf }),
      reviewed: subject,
      file: one.candidate.path,
    };
    const style = await stderrStyle({ color }, host);
    const question = { question: "Run it?", choices: CHOICES, terminal, context, style, reload: async () => item };
    const answered = await promptForReview(item, question);
    if (host.interrupt.raised() !== null) break;
    approvedOnce.push(...(await applyAnswer(answered.answer, subject, context, host)));
  }
  terminal.close();
  return { ...context, trustStore: openTrustStore(context), options: { ...context.options, approvedOnce } };
}

const CHOICES = {
  always: "approve it and run it",
  yes: "run it only this time",
  no: "do not run it",
  view: VIEW_CHOICES.view,
} as const;

/** Returns the approvals for this call; those for all calls are stored. */
async function applyAnswer(
  choice: string | null,
  reviewed: ReviewedHook,
  context: RunContext,
  host: Host,
): Promise<readonly Approval[]> {
  if (choice !== "yes" && choice !== "always") return [];
  const once = approveOnce(reviewed, context.nowMs);
  const done = choice === "yes" ? once : await approveReviewed([reviewed], approvalContext(context));
  if (!done.ok) host.err(problemText(done.error, PLAIN_STYLE));
  return once.ok && choice === "yes" ? [once.value] : [];
}

const isUndecided = ({ status }: CandidateStatus): boolean => canBeApproved(status.problem);

/** Decides by the events that it declared when it was approved, else by the events that its text mentions. */
function mayHandle({ candidate, status }: CandidateStatus, event: EventName): boolean {
  if (candidate.entry !== null) return candidate.entry.event === event;
  const { said } = status.approval ?? { said: null };
  const identity = said === null ? null : readIdentity(candidate, said);
  const events = identity?.ok ? identity.value.events : mentionedEvents(candidate.path);
  return events.length === 0 || events.includes(event);
}

/** Asks the person about a hook's `ask`. After a yes the call is allowed, with the changes that the hooks made. */
export async function confirmCall(record: RunRecord, host: Host): Promise<RunRecord> {
  const terminal = await openPersonTerminal(host);
  if (terminal === null) {
    warn({ code: "NO_TERMINAL" }, host);
    return record;
  }
  const asks = `${truncateEscaped(record.verdict.decidedBy ?? "", 80)} asks: ${truncateEscaped(record.verdict.reason ?? "", 400)}`;
  const choices = { yes: "allow the call", no: "block the call" };
  const answer = await askChoice(terminal, { intro: `${asks}\n`, question: "Allow?", choices });
  terminal.close();
  if (answer !== "yes") return record;
  const allowed = warningText({ code: "ALLOWED_BY_USER", hook: record.verdict.decidedBy ?? "" });
  const verdict: Verdict = { ...record.verdict, decision: "continue", reason: null, decidedBy: null };
  return withRunWarnings({ ...record, verdict }, [allowed]);
}

const warn = (warning: Warning, host: Host): void => host.err(warningLine(warningText(warning), PLAIN_STYLE));
