import { createRedactor, redactTexts } from "../../audit/redact.ts";
import { eventsMentionedIn } from "../../discover/mentioned-events.ts";
import { readIdentity } from "../../discover/read-identity.ts";
import { missingCommands } from "../../engine/hooks/missing-command.ts";
import { offReason } from "../../engine/hooks/select-hooks.ts";
import { lazy } from "../../engine/memoize.ts";
import type { RunContext } from "../../engine/run-context.ts";
import { entriesInFile } from "../../engine/settings/project-settings.ts";
import type { FileReader } from "../../fs/read-file.ts";
import { AGENT_NAMES } from "../../protocol/agent-names.ts";
import type { Approval, FileContent, ReviewedFile } from "../../protocol/approval.ts";
import { schemeRow } from "../../protocol/entry.ts";
import type { Candidate, Hook } from "../../protocol/hook.ts";
import type { Explanation } from "../../protocol/problem.ts";
import { explain } from "../../protocol/problem-messages/explain.ts";
import { unwrap } from "../../protocol/result.ts";
import { pluralize } from "../../protocol/text/count.ts";
import type { ApprovedRow } from "../../report/trust/approvals-text.ts";
import { programSummary } from "../../report/trust/program-summary.ts";
import type { ReviewView } from "../../report/trust/review-text.ts";
import { isSettingsApproval } from "../../trust/decide/approval-key.ts";
import type { CandidateStatus } from "../../trust/decide/decide-trust.ts";
import { canonicalSettings } from "../../trust/evidence/canonical-settings.ts";
import { approvalFolder } from "../../trust/evidence/evidence.ts";
import { filesOutsideProject, findCommandFiles } from "../../trust/hook-files/command-files.ts";
import type { NewApproval } from "../../trust/review/approve-reviewed.ts";
import { type HookSnapshot, type ReviewedHook, reviewHooks, takeSnapshots } from "../../trust/review/review.ts";
import { reviewedTexts } from "../../trust/review/reviewed-texts.ts";
import { readSettingsSnapshot } from "../../trust/store/approved-snapshots.ts";
import { type ReviewItem, VIEW_CHOICES } from "../prompt/review-loop.ts";
import { isWaiting, type PendingApprovals } from "./pending-approvals.ts";

/** A pending hook or settings file, with the hooks that are approved with it. */
export type HookReviewItem = ReviewItem<readonly ReviewedHook[]>;

const APPROVE_CHOICES = {
  yes: "approve this version, all of it",
  no: "skip it: hookctl asks again",
  ...VIEW_CHOICES,
  deny: "never run it, even after a change",
  quit: "quit, and keep the decisions so far",
} as const;

const NOTES = { no: "not now", deny: "for good" };
export const APPROVE_QUESTION = { question: "Approve it?", choices: APPROVE_CHOICES, notes: NOTES };

/** One snapshot of all that is about to be approved: what is shown of it is what a yes approves. */
export interface Review {
  readonly items: readonly HookReviewItem[];
  readonly reviewed: readonly ReviewedHook[];
}

/** Takes the snapshot first and shows it then. Approving a settings file approves the hooks that it declares. */
export async function reviewPending(hooks: readonly CandidateStatus[], pending: PendingApprovals): Promise<Review> {
  const named = hooks.map(({ candidate }) => candidate);
  const declared = named.flatMap((one) => declaredBy(one, pending.context));
  const paths = new Set(named.map(({ path }) => path));
  const others = new Set(declared.filter(({ path }) => !paths.has(path)));
  const reviewed = unwrap(reviewHooks([...named, ...others], pending.context));
  const byCandidate = new Map(reviewed.map((one) => [one.candidate, one]));
  const items: HookReviewItem[] = [];
  for (const waiting of hooks) {
    const { candidate } = waiting;
    const own = byCandidate.get(candidate);
    if (own === undefined) continue;
    const declared =
      candidate.settings === undefined ? [] : reviewed.filter((one) => one.candidate.entry?.file === candidate.path);
    const file = candidate.entry?.file ?? candidate.path;
    // A declared hook that was named is an item of its own.
    const withItem = declared.filter((one) => others.has(one.candidate));
    const view = await reviewView(waiting, [own, ...declared], pending);
    items.push({ view, reviewed: [own, ...withItem], file });
  }
  return { items, reviewed };
}

/** The same for items that are only looked at: they are also shown if they cannot be approved. */
export async function viewPending(
  hooks: readonly CandidateStatus[],
  pending: PendingApprovals,
): Promise<readonly ReviewView[]> {
  const named = hooks.map(({ candidate }) => candidate);
  const declared = named.map((one) => declaredBy(one, pending.context));
  const snapshots = new Map(takeSnapshots([...named, ...declared.flat()]).map((one) => [one.candidate, one]));
  const snapshotsOf = (candidates: readonly Candidate[]): readonly HookSnapshot[] =>
    candidates.flatMap((candidate) => snapshots.get(candidate) ?? []);
  const views: ReviewView[] = [];
  for (const [index, one] of hooks.entries()) {
    const [own, ...others] = snapshotsOf([one.candidate, ...(declared[index] ?? [])]);
    if (own !== undefined) views.push(await reviewView(one, [own, ...others], pending));
  }
  return views;
}

/** The hooks that are approved with a settings file. */
const declaredBy = (candidate: Candidate, { plan }: RunContext): readonly Candidate[] =>
  candidate.settings === undefined ? [] : entriesInFile(candidate, plan);

/** Shows the snapshot of an item, and of the hooks that are approved with it. Nothing is run. */
export async function reviewView(
  one: CandidateStatus,
  [own, ...declared]: readonly [HookSnapshot, ...(readonly HookSnapshot[])],
  { context, statusOf }: Pick<PendingApprovals, "context" | "statusOf">,
): Promise<ReviewView> {
  const { candidate, status } = one;
  const { problem, trust } = status;
  const { main, files } = reviewedTexts(status, own, context.trustFile);
  const written = await writtenTexts(own, status.approval, context.trustFile);
  const others = declared.flatMap((hook) => reviewedTexts(statusOf(hook.candidate), hook, context.trustFile).files);
  return {
    name: candidate.name,
    path: candidate.path,
    trust,
    waits: isWaiting(one),
    isSettings: candidate.settings !== undefined,
    ...summaryOf(own),
    main: { ...main, ...written },
    files: [...files, ...new Map(others.map((file) => [file.path, file])).values()],
    changes: problem?.code === "HOOK_REFUSED_CHANGED" ? problem.changes : [],
    ...notCoveredIn([own, ...declared], context),
    off: candidate.settings === undefined ? (offReason(candidate, context)?.reason ?? null) : null,
  };
}

/**
 * The texts of a settings file as its author wrote them, now and when it was approved. Empty if one of them has other settings than
 * those that a yes approves, or that were approved: then the settings themselves are shown. Only a settings file loads the parsers.
 */
async function writtenTexts(
  { candidate: { path, settings, projectDir }, read }: HookSnapshot,
  approval: Approval | null,
  trustFile: string | null,
): Promise<Partial<Pick<ReviewedFile, "now" | "approved">>> {
  if (settings === undefined || projectDir === null) return {};
  const { parseOwnSettings } = await import("../../config/parse-and-check.ts");
  const textOf = (content: Buffer | null, form: string): FileContent | null => {
    const text = content?.toString("utf8") ?? "";
    // Approving that the settings are gone approves nothing.
    if (form === "") return { kind: "text", text };
    const data = content === null ? null : parseOwnSettings(text, path);
    return data !== null && canonicalSettings(data, path, projectDir) === form ? { kind: "text", text } : null;
  };
  const found = read(path);
  const now = textOf(found.ok ? found.value : null, settings);
  if (now === null) return {};
  const before = approval?.sha256 ?? null;
  if (before === null || before === settings) return { now };
  const approved = trustFile === null ? null : textOf(readSettingsSnapshot(trustFile, before), before);
  return approved === null ? {} : { now, approved };
}

/** The parts of the commands whose files are unknown or missing; in a settings file with the name of the declared hook. */
function notCoveredIn(
  hooks: readonly HookSnapshot[],
  context: RunContext,
): Pick<ReviewView, "notCovered" | "missing" | "writesOutside"> {
  const missingOf = missingPrograms(context);
  const commands = hooks.flatMap(({ candidate, read }, index) => {
    if (candidate.entry === null) return [];
    const { notCovered } = findCommandFiles(candidate.entry, approvalFolder(candidate), read);
    const missing = missingOf(candidate) ?? [];
    const named = (what: string): string => (index === 0 ? what : `${candidate.name}: ${what}`);
    const outside = filesOutsideProject(candidate);
    return [{ notCovered: notCovered.map(named), missing: [missing].flat().map(named), outside: outside.map(named) }];
  });
  return {
    notCovered: commands.flatMap(({ notCovered }) => notCovered),
    missing: commands.flatMap(({ missing }) => missing),
    writesOutside: commands.flatMap(({ outside }) => outside),
  };
}

/** Returns a function that names the program that a declared hook cannot find; null if nothing is missing. */
function missingPrograms(context: RunContext): (candidate: Candidate) => string | null {
  const missing = lazy(() => missingCommands(context));
  return (candidate) => {
    const problem = candidate.entry === null ? null : missing()(candidate);
    return problem?.code === "HOOK_COMMAND_MISSING" ? problem.cause : null;
  };
}

function summaryOf({ candidate, read }: HookSnapshot): Pick<ReviewView, "look" | "claims"> {
  const { entry, settings, realPath, stamp } = candidate;
  if (settings !== undefined) return { look: "the project settings", claims: [] };
  if (entry !== null) return { look: "declared in the settings", claims: [entry.event] };
  const head = headOf(realPath, read);
  const look = `${programSummary(head)}, ${pluralize(stamp.size, "byte")}`;
  return { look, claims: eventsMentionedIn(head ?? "") };
}

const HEAD_BYTES = 256 * 1024;

/** The first bytes, one character for each; null if the file cannot be read. */
function headOf(path: string, read: FileReader): string | null {
  const content = read(path);
  return content.ok && content.value !== null ? content.value.toString("latin1", 0, HEAD_BYTES) : null;
}

/** One row for each approval, with its events, and with what keeps the hook from running. */
export async function approvedRows(
  approved: readonly NewApproval[],
  reviewed: readonly ReviewedHook[],
  context: RunContext,
): Promise<readonly ApprovedRow[]> {
  const missingOf = missingPrograms(context);
  const rows: ApprovedRow[] = [];
  for (const { approval, undeclared } of approved) {
    const { name, path, sha256, said } = approval;
    const neverRuns = undeclared === null ? null : explain(redactTexts(undeclared, createRedactor(context.env)));
    const row = { name, path, sha256, events: null, missing: null, neverRuns };
    const hook = reviewed.find(({ candidate }) => candidate.path === path);
    const identity = said === null ? null : readIdentity({ name, path }, said);
    if (isSettingsApproval(approval)) rows.push({ ...row, sha256: null, events: [] });
    else if (hook === undefined || !identity?.ok) rows.push(row);
    else {
      const { events } = identity.value;
      const missing = missingOf(hook.candidate);
      rows.push({
        ...row,
        events,
        missing,
        neverRuns: await neverMatches({ name, ...identity.value }, hook.candidate),
      });
    }
  }
  return rows;
}

/** A match that fits no payload, or no tool of an agent. Tools of a reyn agent are not known. */
async function neverMatches(
  hook: Pick<Hook, "name" | "match" | "events" | "dialect" | "dialects">,
  { entry }: Candidate,
): Promise<Explanation | null> {
  if (hook.match === null || (entry !== null && schemeRow(entry.scheme).isReyn)) return null;
  const { knownTools } = await import("../../../packages/agents/match-coverage.ts");
  const { inertMatch } = await import("../../../packages/connect/doctor/project-faults.ts");
  const [inert] = inertMatch(hook, await knownTools(AGENT_NAMES));
  return inert === undefined ? null : { summary: inert[0], hint: inert[1] };
}
