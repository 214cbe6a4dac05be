import { fileOfEntry } from "../../discover/candidate-names.ts";
import type { IdentifyResult } from "../../discover/identify.ts";
import type { Approval, Approvals } from "../../protocol/approval.ts";
import type { LocatedEntry } from "../../protocol/entry.ts";
import type { Candidate } from "../../protocol/hook.ts";
import { type JsonRecord, printableJson } from "../../protocol/json/write.ts";
import type { HookProblem, HostProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { settingsSlotAt } from "../../protocol/settings-file.ts";
import { byKey, isAmongHooks, isSettingsApproval } from "../decide/approval-key.ts";
import { changedProblem } from "../decide/decide-trust.ts";
import { approvalFolder, hashNamedFiles } from "../evidence/evidence.ts";
import { saveSnapshots } from "../store/approved-snapshots.ts";
import { changeApprovals, type TrustStorePaths, whyNotStored } from "../store/trust-store.ts";
import {
  changedHooks,
  changedMeanwhileProblem,
  hasChanged,
  type ReviewedHook,
  unreadableFileProblem,
} from "./review.ts";

/** What an approval takes from its call. */
export interface ApprovalContext {
  readonly store: TrustStorePaths;
  readonly nowMs: number;
  /** Asks hooks for their events. `recheck` is called right before each start; its problem prevents the start. */
  readonly identify: (
    files: readonly Candidate[],
    recheck: (candidate: Candidate) => HookProblem | null,
  ) => Promise<readonly IdentifyResult[]>;
}

/** An approval that was stored, with the reason why the hook did not declare its events. */
export interface NewApproval {
  readonly approval: Approval;
  readonly undeclared: HookProblem | null;
}

/** Approves the hooks in the state that was shown. If one has changed since, none of them is approved. */
export async function approveReviewed(
  reviewed: readonly ReviewedHook[],
  { store, nowMs, identify }: ApprovalContext,
): Promise<Result<readonly NewApproval[], HostProblem>> {
  const { trustFile, userId } = store;
  if (trustFile === null) return fail({ code: "TRUST_STORE_MISSING", detail: whyNotStored(store) });
  const answers = await askHooks(reviewed, identify);
  const agreed = reviewed.map((one, index) => {
    const answer = answers[index] ?? null;
    return { ...one, approval: approvalOf(one, answer, nowMs), undeclared: answer?.undeclared ?? null };
  });
  const approvals = agreed.map(({ approval }) => approval);
  const [unreadable] = approvals.flatMap((one) => unreadableFileProblem(one, one.project) ?? []);
  if (unreadable !== undefined) return fail(unreadable);
  const changed: ReviewedHook[] = [];
  // Compared under the lock, after the hooks were asked: also a hook that changes itself when it is asked is refused.
  const addUnlessChanged = (stored: Approvals): Approvals | null => {
    changed.push(...changedHooks(reviewed));
    if (changed.length > 0) return null;
    for (const { approval, read } of agreed) saveSnapshots(trustFile, approval, read);
    return addApprovals(stored, approvals);
  };
  const written = await changeApprovals(trustFile, addUnlessChanged, { userId, nowMs: Date.now });
  const [first] = changed;
  if (first !== undefined) return fail(changedMeanwhileProblem(first.candidate));
  return written.ok
    ? ok(agreed.map(({ approval, undeclared }) => ({ approval, undeclared })))
    : fail({ code: "TRUST_STORE_NOT_WRITTEN", path: trustFile, cause: written.error });
}

/** Approves one hook for this call only: nothing is stored, and the hook is not asked for its events. */
export function approveOnce(reviewed: ReviewedHook, nowMs: number): Result<Approval, HostProblem> {
  return hasChanged(reviewed)
    ? fail(changedMeanwhileProblem(reviewed.candidate))
    : ok(approvalOf(reviewed, null, nowMs));
}

/** What each hook prints when it is asked for its events; null for settings. */
async function askHooks(
  reviewed: readonly ReviewedHook[],
  identify: ApprovalContext["identify"],
): Promise<readonly HookAnswer[]> {
  const candidates = reviewed.map(({ candidate }) => candidate);
  const files = candidates.filter(({ entry, settings }) => entry === null && settings === undefined);
  const byCandidate = new Map(reviewed.map((one) => [one.candidate, one]));
  const answers = await identify(files, (candidate) => {
    const one = byCandidate.get(candidate);
    return one === undefined || hasChanged(one) ? changedProblem(candidate, ["its content"]) : null;
  });
  const answerOf = new Map(files.map((candidate, index) => [candidate, answers[index]]));
  return candidates.map((candidate): HookAnswer => {
    if (candidate.settings !== undefined) return null;
    if (candidate.entry !== null) return { answer: declaredAnswer(candidate.entry), files: [], undeclared: null };
    const identified = answerOf.get(candidate);
    if (identified === undefined) return null;
    const { identity, answer } = identified;
    return identity.ok
      ? { answer, files: identity.value.files, undeclared: null }
      : { answer: null, files: [], undeclared: identity.error };
  });
}

/** The declaration of an executable for the same event: by it hookctl knows later that a removed entry was a guard. */
function declaredAnswer({ on, fail_open, observe, match, priority }: LocatedEntry): string {
  const given = Object.entries({ fail_open, observe, match, priority }).filter(([, value]) => value !== undefined);
  return printableJson({ event: on, ...(Object.fromEntries(given) as JsonRecord) });
}

const folderOfSettings = ({ path, name }: Candidate): string => path.slice(0, -name.length - 1);

/** What a hook printed, and the files that it named. Those of an entry are in its settings. */
type HookAnswer = {
  readonly answer: string | null;
  readonly files: readonly string[];
  readonly undeclared: HookProblem | null;
} | null;

function approvalOf({ candidate, evidence }: ReviewedHook, answer: HookAnswer, nowMs: number): Approval {
  const projectDir = approvalFolder(candidate);
  return {
    ...evidence,
    files: { ...evidence.files, ...hashNamedFiles(answer?.files ?? [], projectDir) },
    name: candidate.name,
    path: candidate.path,
    source: candidate.source,
    project: candidate.settings === undefined ? projectDir : folderOfSettings(candidate),
    said: answer?.answer ?? null,
    approvedAt: new Date(nowMs).toISOString(),
  };
}

/** Approved settings replace all approvals of their file: those of an older file, and of entries that were removed. */
function replacedBy(fresh: readonly Approval[]): (one: Approval) => boolean {
  const isFresh = isAmongHooks(fresh);
  const slots = new Set(fresh.filter(isSettingsApproval).map(slotKey));
  return (one) => isFresh(one) || (one.source === "config" && slots.has(slotKey(one)));
}

const slotKey = (one: Approval): string => JSON.stringify([one.project, slotOf(one)]);

const slotOf = (one: Approval): string | null =>
  settingsSlotAt(one.project, isSettingsApproval(one) ? one.path : fileOfEntry(one));

function addApprovals(stored: Approvals, all: readonly Approval[]): Approvals {
  const isReplaced = replacedBy(all);
  const others = Object.values(stored.approved).filter((one) => !isReplaced(one));
  const fresh = all.filter((one) => !(isSettingsApproval(one) && one.sha256 === ""));
  return { ...stored, approved: byKey([...others, ...fresh]) };
}
