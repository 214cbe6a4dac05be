import { dirname, join, normalize, relative, resolve } from "node:path";
import { hooksAreOff } from "../../cli/run-options.ts";
import { findCandidates, hookFoldersIn } from "../../discover/find-candidates.ts";
import { approvalContext } from "../../engine/approve-unseen.ts";
import { createRunContext, type RunContext } from "../../engine/run-context.ts";
import { isInside } from "../../fs/paths.ts";
import type { FileMarks } from "../../packs/lock.ts";
import { packFolder } from "../../packs/placed-pack.ts";
import { closeInheritedOnFirstStart } from "../../process/descriptors.ts";
import type { Candidate } from "../../protocol/hook.ts";
import type { Problem } from "../../protocol/problem.ts";
import { ok, type Result } from "../../protocol/result.ts";
import type { ApprovedRow } from "../../report/trust/approvals-text.ts";
import { isDenied } from "../../trust/decide/approval-key.ts";
import { isFileList } from "../../trust/hook-files/file-patterns.ts";
import { approveReviewed } from "../../trust/review/approve-reviewed.ts";
import { type ReviewedHook, reviewHooks } from "../../trust/review/review.ts";
import { forgetKnownHooks, readKnownHooks } from "../../trust/store/known-hooks.ts";
import { findPending } from "../trust/pending-approvals.ts";
import { approvedRow, missingProgramsIn } from "../trust.ts";
import { forget } from "../untrust.ts";
import type { PackSite } from "./pack-site.ts";

export interface PackApprovals {
  readonly approved: readonly ApprovedRow[];
  /** The names of hooks that were not approved. */
  readonly waiting: readonly string[];
  /** Why not, although a person said yes; null: there is no such hook, or `problem` says it. */
  readonly because: string | null;
  readonly problem: Problem | null;
}

export const NO_APPROVALS_NEEDED: PackApprovals = { approved: [], waiting: [], because: null, problem: null };

/** The hooks of a pack in the project that are not approved as they are. */
export async function waitingHooks(site: PackSite, name: string): Promise<Result<readonly Candidate[], Problem>> {
  // The user's own hooks need no approval.
  if (site.scope === "user") return ok([]);
  const context = await freshContext(site);
  if (!context.ok) return context;
  const pending = findPending(context.value, []);
  if (!pending.ok) return pending;
  const folder = hooksFolder(site, name);
  return ok(pending.value.waiting.map(({ candidate }) => candidate).filter(({ path }) => dirname(path) === folder));
}

/** Approves the hooks of a pack in the state that was shown: that of `files`, and nothing beside the pack. */
export async function approvePack(site: PackSite, name: string, files: FileMarks): Promise<PackApprovals> {
  if (site.scope === "user") return NO_APPROVALS_NEEDED;
  const folder = packFolder(site.root.folder, name);
  const { candidates } = findCandidates(hookFoldersIn("project", site.root.folder));
  const hooks = candidates.filter(({ path }) => dirname(path) === join(folder, "hooks"));
  const waiting = hooks.map((hook) => hook.name);
  // Approving a hook starts it, to ask for its events.
  if (hooksAreOff(site.options, site.host))
    return { ...NO_APPROVALS_NEEDED, waiting, because: "hooks are switched off" };
  const approved = await approveShown(hooks, site, (one) => isShown(one, folder, files));
  return approved.ok ? approved.value : { ...NO_APPROVALS_NEEDED, waiting, problem: approved.error };
}

async function approveShown(
  hooks: readonly Candidate[],
  site: PackSite,
  isShownWhole: (hook: ReviewedHook) => boolean,
): Promise<Result<PackApprovals, Problem>> {
  const started = await freshContext(site);
  if (!started.ok) return started;
  const context = started.value;
  const reviewed = reviewHooks(hooks, context);
  if (!reviewed.ok) return reviewed;
  const stored = context.trustStore.approvals();
  const whole = reviewed.value.filter(isShownWhole);
  const agreed = whole.filter(({ candidate }) => !(stored.ok && isDenied(candidate, stored.value)));
  closeInheritedOnFirstStart();
  const approved = await approveReviewed(agreed, approvalContext(context));
  if (!approved.ok) return approved;
  const missing = missingProgramsIn(context);
  const waiting = hooks.filter((hook) => !agreed.some(({ candidate }) => candidate === hook)).map((hook) => hook.name);
  const because = whole.length < hooks.length ? "it can load files that are not in the pack" : "you denied it";
  return ok({
    approved: approved.value.map((one) => approvedRow(one, missing)),
    waiting,
    because: waiting.length === 0 ? null : because,
    problem: null,
  });
}

/** The evidence holds the files of the review and no others: a hook may also name files of the project. */
function isShown({ candidate, evidence }: ReviewedHook, folder: string, files: FileMarks): boolean {
  const hookFile = relative(folder, candidate.path);
  const helpers = Object.entries(evidence.helpers)
    .filter(([, hash]) => !isFileList(hash))
    .map(([helper, hash]): [string, string] => [normalize(join(dirname(hookFile), helper)), hash]);
  const named = Object.entries(evidence.files).map(([file, hash]): [string, string] => [
    relative(folder, resolve(candidate.projectDir ?? folder, file)),
    hash,
  ]);
  const all = [[hookFile, evidence.sha256] as const, ...helpers, ...named];
  return all.every(([path, hash]) => files.get(path)?.sha256 === hash);
}

/** Forgets what is known of hooks of the pack that are gone, so that they are not reported as lost. */
export async function forgetHooks(
  site: PackSite,
  name: string,
  isGone: (path: string) => boolean,
): Promise<Result<null, Problem>> {
  const started = await freshContext(site);
  if (!started.ok) return started;
  const context = started.value;
  const folder = packFolder(site.root.folder, name);
  const isForgotten = (path: string): boolean => isInside(folder, path) && isGone(relative(folder, path));
  if (site.scope === "user") {
    forgetKnownHooks([...readKnownHooks(context).keys()].filter(isForgotten), context);
    return ok(null);
  }
  const approvals = context.trustStore.approvals();
  const gone = approvals.ok ? Object.values(approvals.value.approved).filter(({ path }) => isForgotten(path)) : [];
  const forgotten = await forget(gone, context, site.host);
  return forgotten.ok ? ok(null) : forgotten;
}

const hooksFolder = ({ root }: PackSite, name: string): string => join(packFolder(root.folder, name), "hooks");

/** After a change: the project may have had no `.kodelet` before, and the store may have been written. */
async function freshContext({ options, host }: PackSite): Promise<Result<RunContext, Problem>> {
  const started = await createRunContext({ ...options, trust: false }, host, false);
  return started.ok ? ok(started.value.context) : started;
}
