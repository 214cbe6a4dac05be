import { fileOfEntry } from "../discover/declared.ts";
import { identify } from "../discover/identify.ts";
import { NO_IDENTITY_CACHE } from "../discover/identity-cache.ts";
import type { Approval, Approvals } from "../protocol/approval.ts";
import type { LocatedEntry } from "../protocol/entry.ts";
import type { Candidate } from "../protocol/hook.ts";
import { type JsonRecord, printableJson } from "../protocol/json/write.ts";
import type { HostProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { sharedFileAt } from "../protocol/settings.ts";
import { byKey, isSameHook, isSettingsApproval } from "../trust/decide/approval-key.ts";
import { changedProblem } from "../trust/decide/decide-trust.ts";
import { approvalFolder, hashNamedFiles } from "../trust/evidence/evidence.ts";
import { changedMeanwhileProblem, unreadableFileProblem } from "../trust/review/approval-problems.ts";
import { saveSnapshots } from "../trust/store/approved-snapshots.ts";
import { changeApprovals } from "../trust/store/change-approvals.ts";
import { hookEnvironments } from "./environment.ts";
import { hasChanged, type ReviewedHook, reviewHooks } from "./review.ts";
import type { RunContext } from "./run-context.ts";

/** Approves project hooks exactly as they lie there now, and remembers what each says it is. */
export async function approve(
  candidates: readonly Candidate[],
  context: RunContext,
): Promise<Result<readonly Approval[], HostProblem>> {
  const reviewed = reviewHooks(candidates, context);
  return reviewed.ok ? approveReviewed(reviewed.value, context) : reviewed;
}

/** Approves what was reviewed; a file that changed since the user saw it is not approved, and neither is any other. */
export async function approveReviewed(
  reviewed: readonly ReviewedHook[],
  context: RunContext,
): Promise<Result<readonly Approval[], HostProblem>> {
  const { trustFile, userId } = context;
  if (trustFile === null) return fail({ code: "TRUST_STORE_MISSING", detail: noStoreCause(context) });
  const moved = reviewed.find((one) => hasChanged(one));
  if (moved !== undefined) return fail(changedMeanwhileProblem(moved.candidate));
  const said = await askIdentities(reviewed, context);
  const approvals = reviewed.map((one, index) => approvalOf(one, said[index] ?? null, context));
  const [unreadable] = approvals.flatMap((one) => unreadableFileProblem(one, one.project) ?? []);
  if (unreadable !== undefined) return fail(unreadable);
  for (const approval of approvals) saveSnapshots(trustFile, approval);
  const kept = await changeApprovals(trustFile, (stored) => addApprovals(stored, approvals), {
    userId,
    nowMs: Date.now,
  });
  return kept.ok ? ok(approvals) : fail({ code: "TRUST_STORE_NOT_WRITTEN", path: trustFile, cause: kept.error });
}

/** A yes to this one hook that holds for one call: nothing is kept, and it is not asked what it is. */
export function approveOnce(reviewed: ReviewedHook, context: RunContext): Result<Approval, HostProblem> {
  return hasChanged(reviewed)
    ? fail(changedMeanwhileProblem(reviewed.candidate))
    : ok(approvalOf(reviewed, null, context));
}

export const noStoreCause = ({ trustFileProblem }: RunContext): string => trustFileProblem?.cause ?? "";

/** What each of them prints when asked `hook`; null for one whose answer is not understood. */
async function askIdentities(reviewed: readonly ReviewedHook[], context: RunContext): Promise<readonly HookAnswer[]> {
  const candidates = reviewed.map(({ candidate }) => candidate);
  const files = candidates.filter(({ entry, settings }) => entry === null && settings === undefined);
  const answers = await identify(files, {
    cache: NO_IDENTITY_CACHE,
    nowMs: context.nowMs,
    cwd: context.cwd,
    environmentOf: hookEnvironments(context),
    recheckTrust: (candidate) => {
      const one = reviewed.find((other) => other.candidate === candidate);
      return one === undefined || hasChanged(one) ? changedProblem(candidate, ["its content"]) : null;
    },
    interrupt: context.interrupt,
  });
  return candidates.map((candidate): HookAnswer => {
    if (candidate.settings !== undefined) return null;
    if (candidate.entry !== null) return { answer: declaredAnswer(candidate.entry), files: [] };
    const asked = answers[files.indexOf(candidate)];
    return asked?.identity.ok && asked.answer !== null
      ? { answer: asked.answer, files: asked.identity.value.files }
      : null;
  });
}

/** What an executable would say that does the same: the guard is missed when its entry is gone. */
function declaredAnswer({ on, fail_open, observe, match, priority }: LocatedEntry): string {
  const said = Object.entries({ fail_open, observe, match, priority }).filter(([, value]) => value !== undefined);
  return printableJson({ event: on, ...(Object.fromEntries(said) as JsonRecord) });
}

const folderOfSettings = ({ path, name }: Candidate): string => path.slice(0, -name.length - 1);

/** The files of an entry are seen before it is approved; a file tells its own with its answer. */
type HookAnswer = { readonly answer: string; readonly files: readonly string[] } | null;

function approvalOf({ candidate, evidence }: ReviewedHook, said: HookAnswer, context: RunContext): Approval {
  const projectDir = approvalFolder(candidate);
  return {
    ...evidence,
    files: { ...evidence.files, ...hashNamedFiles(said?.files ?? [], projectDir) },
    name: candidate.name,
    path: candidate.path,
    source: candidate.source,
    project: candidate.settings === undefined ? projectDir : folderOfSettings(candidate),
    said: said?.answer ?? null,
    approvedAt: new Date(context.nowMs).toISOString(),
  };
}

/** Approved settings are the whole of their file's: an older file, and an entry that no longer stands in them, go. */
function isReplaced(one: Approval, fresh: readonly Approval[]): boolean {
  const isOfSettings = fresh.some(
    (other) => isSettingsApproval(other) && other.project === one.project && sharedFileOf(other) === sharedFileOf(one),
  );
  return (one.source === "config" && isOfSettings) || fresh.some((other) => isSameHook(one, other));
}

/** The shared file that it belongs to; null: the project's own settings file. */
const sharedFileOf = (one: Approval): string | null =>
  sharedFileAt(one.project, isSettingsApproval(one) ? one.path : fileOfEntry(one));

function addApprovals(stored: Approvals, all: readonly Approval[]): Approvals {
  const others = Object.values(stored.approved).filter((one) => !isReplaced(one, all));
  const fresh = all.filter((one) => !(isSettingsApproval(one) && one.sha256 === ""));
  return { ...stored, approved: byKey([...others, ...fresh]) };
}
