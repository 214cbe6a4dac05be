import { fullHookName, matchesHookArgument } from "../../discover/candidate-names.ts";
import { mentionedEvents } from "../../discover/mentioned-events.ts";
import { findAllCandidates } from "../../engine/hooks/candidates.ts";
import { missingCommands } from "../../engine/hooks/missing-command.ts";
import { offReason } from "../../engine/hooks/paused-hooks.ts";
import type { RunContext } from "../../engine/run-context.ts";
import { currentEntries, entriesInFile, settingsItems } from "../../engine/settings/project-settings.ts";
import { needingApproval, trustStatuses } from "../../engine/trust-statuses.ts";
import { firstBytes } from "../../fs/read-file.ts";
import { type Evidence, NO_APPROVALS } from "../../protocol/approval.ts";
import type { LocatedEntry } from "../../protocol/entry.ts";
import type { Candidate } from "../../protocol/hook.ts";
import type { HookProblem, UsageProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { pluralize } from "../../report/text-style.ts";
import { programSummary } from "../../report/trust/program-summary.ts";
import type { ReviewView } from "../../report/trust/review-text.ts";
import type { CandidateStatus } from "../../trust/decide/decide-trust.ts";
import { approvalFolder } from "../../trust/evidence/evidence.ts";
import { findCommandFiles } from "../../trust/hook-files/command-files.ts";
import { currentEvidence, type ReviewedHook } from "../../trust/review/review.ts";
import { reviewedTexts } from "../../trust/review/reviewed-texts.ts";
import { notYourHook } from "./not-your-hook.ts";

/** The project's hooks as `trust` sees them: only stored approvals count, and not `--trust` or the settings. */
export interface PendingApprovals {
  readonly context: RunContext;
  readonly all: readonly Candidate[];
  /** The hooks that a yes would approve. */
  readonly waiting: readonly CandidateStatus[];
  /** The named hooks, whatever their trust status. */
  readonly named: readonly CandidateStatus[];
  /** The problems of named hooks that are denied and so cannot be approved. */
  readonly refused: readonly HookProblem[];
}

const READ_BYTES = 256 * 1024;

export function findPending(runContext: RunContext, words: readonly string[]): Result<PendingApprovals, UsageProblem> {
  const own = runContext.settings.declared.filter(({ isAsked }) => isAsked === true);
  const declared = [...currentEntries(runContext.plan), ...own].map((entry, position) => ({ ...entry, position }));
  const settings = { ...runContext.settings, declared, projectHooks: "ask" } as const;
  const { HOOKCTL_TRUST: _, ...env } = runContext.env;
  const context = { ...runContext, settings, env };
  const approvals = context.trustStore.approvals();
  const items = settingsItems(context, approvals.ok ? approvals.value : NO_APPROVALS);
  const all = [...items, ...needingApproval(findAllCandidates(context).candidates)];
  const known = all.map(({ name }) => name);
  const names = words.map((word) => fullHookName(word, known));
  const unknown = names.find((name) => !all.some((one) => matchesHookArgument(name, one, context.cwd)));
  if (unknown !== undefined) return fail(notYourHook(unknown, known, runContext));
  const { statusOf } = trustStatuses(all, context, () => approvals);
  const judged = all.map((candidate) => ({ candidate, status: statusOf(candidate) }));
  const named = judged.filter(({ candidate }) =>
    names.some((name) => matchesHookArgument(name, candidate, context.cwd)),
  );
  return ok({
    context,
    all,
    waiting: judged.filter((one) => isWaiting(one) && !isCovered(one, judged)),
    named: named.filter((one) => !isDenied(one)),
    refused: named.filter(isDenied).flatMap(({ status }) => (status.problem === null ? [] : [status.problem])),
  });
}

/** True for an entry of a pending settings file: approving the file approves its entries. */
const isCovered = ({ candidate: { entry } }: CandidateStatus, judged: readonly CandidateStatus[]): boolean =>
  entry !== null &&
  judged.some((one) => one.candidate.settings !== undefined && one.candidate.path === entry.file && isWaiting(one));

const isDenied = ({ status }: CandidateStatus): boolean => status.trust === "denied";

/** A link that leaves the project can never run, so it is not pending. */
const isWaiting = ({ status }: CandidateStatus): boolean =>
  status.trust !== "trusted" && status.trust !== "denied" && status.problem?.code !== "HOOK_REFUSED_LINK";

/** What a yes to these items approves: settings files include the hooks that they declare. */
export const withDeclaredHooks = (
  hooks: readonly CandidateStatus[],
  { plan }: Pick<RunContext, "plan">,
): readonly Candidate[] => {
  const named = hooks.map(({ candidate }) => candidate);
  const declared = named.flatMap((one) => (one.settings === undefined ? [] : entriesInFile(one, plan)));
  return [...named, ...declared.filter(({ path }) => !named.some((one) => one.path === path))];
};

type EvidenceOf = (candidate: Candidate) => Evidence | null;

/** Looks up evidence in a snapshot, so that exactly what is shown is approved. */
export const evidenceIn =
  (snapshot: readonly ReviewedHook[]): EvidenceOf =>
  ({ path }) =>
    snapshot.find((one) => one.candidate.path === path)?.evidence ?? null;

/** Shows one item of a snapshot; without a snapshot as it is now. The files are read, never run. */
export function reviewView(
  one: CandidateStatus,
  context: RunContext,
  evidenceOf: EvidenceOf = currentEvidence,
): ReviewView {
  const { candidate, status } = one;
  const { problem, trust } = status;
  const { main, files } = reviewedTexts(one, evidenceOf(candidate), context);
  const declared = declaredBy(candidate, context);
  return {
    name: candidate.name,
    path: candidate.path,
    trust,
    waits: isWaiting(one),
    isSettings: candidate.settings !== undefined,
    ...summaryOfItem(candidate),
    main,
    files: [...files, ...filesOfDeclared(declared, context, evidenceOf)],
    changes: problem?.code === "HOOK_REFUSED_CHANGED" ? problem.changes : [],
    ...notCoveredIn([candidate, ...declared], context),
    off: candidate.settings === undefined ? (offReason(candidate, context)?.reason ?? null) : null,
  };
}

/** The hooks that are approved with a settings file, including what they start. */
const declaredBy = (candidate: Candidate, { plan }: RunContext): readonly Candidate[] =>
  candidate.settings === undefined ? [] : entriesInFile(candidate, plan);

/** The parts of the commands whose files are unknown or missing; in a settings file with the name of the declared hook. */
function notCoveredIn(
  [item, ...declared]: readonly Candidate[],
  context: RunContext,
): Pick<ReviewView, "notCovered" | "missing"> {
  const missingOf = missingCommands(context);
  const commands = [item, ...declared].flatMap((candidate) => {
    if (candidate?.entry == null) return [];
    const { notCovered } = findCommandFiles(candidate.entry, approvalFolder(candidate));
    const problem = missingOf(candidate);
    const missing = problem?.code === "HOOK_COMMAND_MISSING" ? [problem.cause] : [];
    const named = (what: string): string => (candidate === item ? what : `${candidate.name}: ${what}`);
    return [{ notCovered: notCovered.map(named), missing: missing.map(named) }];
  });
  return {
    notCovered: commands.flatMap(({ notCovered }) => notCovered),
    missing: commands.flatMap(({ missing }) => missing),
  };
}

/** The files of these hooks' evidence, each once. */
function filesOfDeclared(declared: readonly Candidate[], context: RunContext, evidenceOf: EvidenceOf) {
  if (declared.length === 0) return [];
  const { statusOf } = trustStatuses(declared, context);
  const files = declared.flatMap((candidate) => {
    return reviewedTexts({ candidate, status: statusOf(candidate) }, evidenceOf(candidate), context).files;
  });
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

function summaryOfItem(candidate: Candidate) {
  const { entry, settings } = candidate;
  if (settings !== undefined) return { look: "the project settings", claims: [] };
  return entry === null ? summaryOfFile(candidate) : summaryOfEntry(entry);
}

const summaryOfFile = ({ path, stamp }: Candidate) => ({
  look: `${programSummary(firstBytes(path, READ_BYTES))}, ${pluralize(stamp.size, "byte")}`,
  claims: mentionedEvents(path),
});

const summaryOfEntry = (entry: LocatedEntry) => ({ look: "declared in the settings", claims: [entry.event] });
