import { resolve } from "node:path";
import type { CommonOptions } from "../../../src/cli/command-table.ts";
import { askChoice } from "../../../src/cli/prompt/ask-choice.ts";
import { openPersonTerminal, parentAgent, requirePerson } from "../../../src/cli/prompt/require-person.ts";
import { promptForReview } from "../../../src/cli/prompt/review-loop.ts";
import { findPending, type PendingApprovals } from "../../../src/cli/review/pending-approvals.ts";
import { APPROVE_QUESTION, approvedRows, reviewPending } from "../../../src/cli/review/review-items.ts";
import { contextWithoutTrust } from "../../../src/cli/review/stored-decisions.ts";
import { stderrStyle } from "../../../src/cli/stream-style.ts";
import { updateRegistrations } from "../../../src/cli/update-registrations.ts";
import { approvalContext } from "../../../src/engine/approve-unseen.ts";
import type { Host, Terminal } from "../../../src/engine/host.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { trustStatuses } from "../../../src/engine/trust-statuses.ts";
import type { Approval } from "../../../src/protocol/approval.ts";
import { type Candidate, needsApproval } from "../../../src/protocol/hook.ts";
import { attempt, unwrap } from "../../../src/protocol/result.ts";
import { quoteHookName } from "../../../src/protocol/text/shell-quote.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { problemText } from "../../../src/report/problem-text.ts";
import { PLAIN_STYLE } from "../../../src/report/text-style.ts";
import { approvedText } from "../../../src/report/trust/approvals-text.ts";
import type { CandidateStatus } from "../../../src/trust/decide/decide-trust.ts";
import { approveOnce, approveReviewed } from "../../../src/trust/review/approve-reviewed.ts";
import { reviewHooks } from "../../../src/trust/review/review.ts";
import type { Affected, WatchedProject } from "../watch/watched-files.ts";

/** The project's hooks that were saved during a watch. */
export interface SavedHooks {
  readonly host: Host;
  /** The terminal of the person; null if nobody can be asked. */
  readonly terminal: Pick<Terminal, "ask"> | null;
  /** What the person answered for each, by its path. */
  readonly answers: Map<string, boolean>;
}

/**
 * A hook of the project that was saved needs approval again. Its owner is asked once; after a yes each save is tested
 * until the watch ends. Returns approvals for the next test alone, of which nothing is stored, and the paths of hooks that
 * must not be started.
 */
export async function approveSaved(
  affected: Affected,
  { context, files }: WatchedProject,
  saved: SavedHooks,
): Promise<{ readonly approvals: readonly Approval[]; readonly refused: ReadonlySet<string> }> {
  const approvals: Approval[] = [];
  const refused = new Set<string>();
  const isSaved = ({ path }: Candidate): boolean =>
    (affected !== "all" && affected.has(path)) || saved.answers.has(path);
  const open = await unapproved(files.candidates.filter(needsApproval), context);
  for (const candidate of open.filter(isSaved)) {
    const { path } = candidate;
    const isAllowed = saved.answers.get(path) ?? (await mayRun(candidate, saved));
    saved.answers.set(path, isAllowed);
    const approval = isAllowed ? await approvalOf(candidate, context, saved.host) : null;
    if (approval === null) refused.add(path);
    else approvals.push(approval);
  }
  return { approvals, refused };
}

/** The hooks and settings files of the project that need approval; null if its settings are invalid. */
export async function pendingNow(options: CommonOptions, host: Host): Promise<PendingApprovals | null> {
  const found = await attempt(async () => findPending((await contextWithoutTrust(options, host)).context, []));
  return found.ok ? found.value : null;
}

const { yes, no, view } = APPROVE_QUESTION.choices;

/** Shows the difference of a hook that a watch tested, and asks for its approval. False if it stays unapproved. */
export async function approveTested(
  tested: CandidateStatus,
  pending: PendingApprovals,
  { terminal, options, host }: { readonly terminal: Terminal; readonly options: CommonOptions; readonly host: Host },
): Promise<boolean> {
  const { context } = pending;
  const [first] = (await reviewPending([tested], pending)).items;
  if (first === undefined) return false;
  const style = await stderrStyle(options, host);
  const question = { ...APPROVE_QUESTION, choices: { yes, no, view }, terminal, context, style };
  const answered = await promptForReview(first, { ...question, reload: async () => null });
  if (answered.answer !== "yes") return false;
  await requirePerson(host);
  const approved = unwrap(await approveReviewed(answered.item.reviewed, approvalContext(context)));
  const rows = await approvedRows(approved, answered.item.reviewed, context);
  host.err(approvedText({ approved: rows, denied: [], hadToDecide: true }));
  await updateRegistrations(context.scopes, { ...options, trust: false }, host);
  return true;
}

/** Shows the person at the terminal each hook of a test that needs approval. One that stays unapproved is not started. */
export async function approveBeforeTest(words: readonly string[], options: CommonOptions, host: Host): Promise<void> {
  const pending = await pendingNow(options, host);
  const isNamed = ({ candidate: { name, path } }: CandidateStatus): boolean =>
    words.length === 0 || words.includes(name) || words.some((word) => resolve(host.cwd, word) === path);
  const waiting = pending?.waiting.filter(isNamed) ?? [];
  const terminal = pending === null || waiting.length === 0 ? null : await openPersonTerminal(host);
  if (pending === null || terminal === null) return;
  for (const one of waiting) await approveTested(one, pending, { terminal, options, host });
  terminal.close();
}

/** What a call finds until the hook is approved. */
export function effectOf({ candidate, status }: CandidateStatus): string {
  if (candidate.settings !== undefined) return "what you saved has no effect";
  return status.trust === "changed" ? "it blocks every call of its events" : "it does not run";
}

/** `--trust` does not cover later saves: it approved the files that existed at the start. */
async function unapproved(candidates: readonly Candidate[], context: RunContext): Promise<readonly Candidate[]> {
  const options = { ...context.options, isTrustedForOneCall: false };
  const { statusOf } = await trustStatuses(candidates, { ...context, options });
  return candidates.filter((candidate) => statusOf(candidate).trust !== "trusted");
}

async function mayRun({ name, path, stamp }: Candidate, { host, terminal }: SavedHooks): Promise<boolean> {
  const shown = truncateEscaped(name, 80);
  if (stamp.owner !== host.userId || terminal === null || (await parentAgent(host)) !== null) {
    host.err(`▲ ${shown} was saved but is not approved, so it is not started. hookctl trust ${shown}\n`);
    return false;
  }
  const answer = await askChoice(terminal, {
    intro: `${shown} was saved: ${truncateEscaped(path, 300)}\nAgents still need: hookctl trust ${quoteHookName(name)}\n`,
    question: "Run it for its tests whenever it is saved?",
    choices: { yes: "test it now and after each further save; nothing is approved", no: "do not start it" },
  });
  return answer === "yes";
}

async function approvalOf(candidate: Candidate, context: RunContext, host: Host): Promise<Approval | null> {
  const approved = await attempt(() => {
    const [reviewed] = unwrap(reviewHooks([candidate], context));
    return reviewed === undefined ? null : unwrap(approveOnce(reviewed, context.nowMs));
  });
  if (approved.ok) return approved.value;
  host.err(problemText(approved.error, PLAIN_STYLE));
  return null;
}
