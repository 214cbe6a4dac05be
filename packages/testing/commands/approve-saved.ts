import { askChoice } from "../../../src/cli/prompt/ask-choice.ts";
import { parentAgent } from "../../../src/cli/prompt/require-person.ts";
import type { Host, Terminal } from "../../../src/engine/host.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { trustStatuses } from "../../../src/engine/trust-statuses.ts";
import type { Approval } from "../../../src/protocol/approval.ts";
import { type Candidate, needsApproval } from "../../../src/protocol/hook.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { problemText } from "../../../src/report/problem-text.ts";
import { PLAIN_STYLE } from "../../../src/report/text-style.ts";
import { approveOnce } from "../../../src/trust/review/approve-reviewed.ts";
import { reviewHooks } from "../../../src/trust/review/review.ts";
import type { Affected } from "../watch/watched-files.ts";

/** The project's hooks that were saved during a watch. */
export interface SavedHooks {
  readonly host: Host;
  /** The terminal of the person; null if nobody can be asked. */
  readonly terminal: Pick<Terminal, "ask"> | null;
  /** What the person answered for each, by its path. */
  readonly answers: Map<string, boolean>;
}

export interface SavedApprovals {
  /** For the next test alone; nothing is stored. */
  readonly approvals: readonly Approval[];
  /** Paths of hooks that must not be started. */
  readonly refused: ReadonlySet<string>;
}

/**
 * A hook of the project that was saved needs approval again. Its owner is asked once; after a yes each save is approved
 * until the watch ends. `--trust` does not cover later saves: it approved the files that existed at the start.
 */
export async function approveSaved(
  candidates: readonly Candidate[],
  affected: Affected,
  { context, saved }: { readonly context: RunContext; readonly saved: SavedHooks },
): Promise<SavedApprovals> {
  const own = candidates.filter(needsApproval);
  const options = { ...context.options, isTrustedForOneCall: false };
  const { statusOf } = await trustStatuses(own, { ...context, options });
  const approvals: Approval[] = [];
  const refused = new Set<string>();
  for (const candidate of own) {
    const { path } = candidate;
    const isSaved = affected.paths.has(path) || saved.answers.has(path);
    if (!isSaved || statusOf(candidate).trust === "trusted") continue;
    const isAllowed = saved.answers.get(path) ?? (await mayRun(candidate, saved));
    saved.answers.set(path, isAllowed);
    const approval = isAllowed ? approvalOf(candidate, context, saved.host) : null;
    if (approval === null) refused.add(path);
    else approvals.push(approval);
  }
  return { approvals, refused };
}

/** The names of the saved hooks that nobody approved beyond the watch. */
export async function unapprovedSaved(
  candidates: readonly Candidate[],
  { context, saved }: { readonly context: RunContext; readonly saved: SavedHooks },
): Promise<readonly string[]> {
  const own = candidates.filter(({ path }) => saved.answers.has(path));
  const options = { ...context.options, isTrustedForOneCall: false };
  const { statusOf } = await trustStatuses(own, { ...context, options });
  return own.filter((one) => statusOf(one).trust !== "trusted").map(({ name }) => name);
}

async function mayRun({ name, path, stamp }: Candidate, { host, terminal }: SavedHooks): Promise<boolean> {
  const shown = truncateEscaped(name, 80);
  const isOwn = stamp.owner === host.userId;
  if (!isOwn || terminal === null || (await parentAgent(host)) !== null) {
    host.err(`▲ ${shown} was saved and is not approved: it is not started. hookctl trust ${shown}\n`);
    return false;
  }
  const answer = await askChoice(terminal, {
    intro: `${shown} was saved: ${truncateEscaped(path, 300)}\n`,
    question: "Approve it whenever it is saved, until the watch ends?",
    choices: { yes: "test it now and after each further save", no: "do not start it" },
  });
  return answer === "yes";
}

function approvalOf(candidate: Candidate, context: RunContext, host: Host): Approval | null {
  const reviewed = reviewHooks([candidate], context);
  const [one] = reviewed.ok ? reviewed.value : [];
  const approved = one === undefined ? null : approveOnce(one, context.nowMs);
  const problem = reviewed.ok ? (approved?.ok === false ? approved.error : null) : reviewed.error;
  if (problem !== null) host.err(problemText(problem, PLAIN_STYLE));
  return approved?.ok ? approved.value : null;
}
