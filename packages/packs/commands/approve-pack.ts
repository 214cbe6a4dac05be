import { dirname, join, normalize, relative, resolve } from "node:path";
import { findPending } from "../../../src/cli/review/pending-approvals.ts";
import { approvedRows } from "../../../src/cli/review/review-items.ts";
import { contextWithoutTrust, forgetApprovals } from "../../../src/cli/review/stored-decisions.ts";
import { packSettings } from "../../../src/config/compile-entries.ts";
import { fileOfEntry } from "../../../src/discover/candidate-names.ts";
import { findCandidates, hookFoldersIn } from "../../../src/discover/find-candidates.ts";
import { approvalContext } from "../../../src/engine/approve-unseen.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { hooksAreOff } from "../../../src/engine/run-context.ts";
import { entriesInFile, settingsItems } from "../../../src/engine/settings/project-settings.ts";
import { isInside } from "../../../src/fs/paths.ts";
import { closeInheritedOnFirstStart } from "../../../src/process/spawn-child.ts";
import { type Approval, NO_APPROVALS } from "../../../src/protocol/approval.ts";
import type { Candidate } from "../../../src/protocol/hook.ts";
import { attempt, unwrap } from "../../../src/protocol/result.ts";
import { isDenied } from "../../../src/trust/decide/approval-key.ts";
import { canonicalEntry } from "../../../src/trust/evidence/canonical-entry.ts";
import { canonicalSettings } from "../../../src/trust/evidence/canonical-settings.ts";
import { isFileList } from "../../../src/trust/hook-files/file-patterns.ts";
import { approveReviewed } from "../../../src/trust/review/approve-reviewed.ts";
import { type ReviewedHook, reviewHooks } from "../../../src/trust/review/review.ts";
import { forgetKnownHooks, readKnownHooks } from "../../../src/trust/store/earlier-calls.ts";
import { type FileMarks, marksOf } from "../lock.ts";
import type { Pack } from "../pack.ts";
import { parseSettingsFile, settingsFileOf } from "../pack-files.ts";
import { packFolder } from "../place-pack.ts";
import type { PackApprovals } from "../report/pack-text.ts";
import type { PackSite } from "./pack-site.ts";

export const NO_APPROVALS_NEEDED: PackApprovals = {
  approved: [],
  waiting: [],
  notApprovedBecause: null,
  problem: null,
};

/** The hooks of a pack in the project whose present content is not approved. */
export async function waitingHooks(site: PackSite, name: string): Promise<readonly Candidate[]> {
  // The user's hooks need no approval.
  if (site.scope === "user") return [];
  const { waiting } = await findPending(await freshContext(site), []);
  const folder = packFolder(site.root.folder, name);
  return waiting.map(({ candidate }) => candidate).filter((candidate) => isOfPack(candidate, folder));
}

/** True for a hook in its hooks folder, for its settings, and for a hook that these declare. */
const isOfPack = ({ path, entry, settings }: Candidate, folder: string): boolean =>
  entry === null && settings === undefined
    ? dirname(path) === join(folder, "hooks")
    : dirname(entry?.file ?? path) === folder;

/** Approves the hooks and settings of a pack in the state that was shown, and nothing else. */
export async function approvePack(site: PackSite, name: string, pack: Pack): Promise<PackApprovals> {
  if (site.scope === "user") return NO_APPROVALS_NEEDED;
  let none = NO_APPROVALS_NEEDED;
  const approval = await attempt(async (): Promise<PackApprovals> => {
    const folder = packFolder(site.root.folder, name);
    const context = await freshContext(site);
    const hooks = hooksOfPack(site, folder, context);
    none = { ...NO_APPROVALS_NEEDED, waiting: hooks.map((hook) => hook.name) };
    // Approving a hook starts it, to ask for its events.
    if (hooksAreOff(site.options, site.host)) return { ...none, notApprovedBecause: "hooks are disabled" };
    const texts = shownTexts(pack, folder, site.root.folder);
    const files = marksOf(pack.files);
    const whole = unwrap(reviewHooks(hooks, context)).filter((hook) => isShown(hook, folder, files, texts));
    const stored = context.trustStore.approvals();
    const agreed = whole.filter(({ candidate }) => !(stored.ok && isDenied(candidate, stored.value)));
    closeInheritedOnFirstStart();
    const approvals = unwrap(await approveReviewed(agreed, approvalContext(context)));
    const waiting = hooks.filter((hook) => !agreed.some(({ candidate }) => candidate === hook));
    const because = whole.length < hooks.length ? "it can load files that are not in the pack" : "you denied it";
    return {
      approved: await approvedRows(approvals, agreed, context),
      waiting: waiting.map((hook) => hook.name),
      notApprovedBecause: waiting.length === 0 ? null : because,
      problem: null,
    };
  });
  // The files are written, so a problem is reported with the pack.
  return approval.ok ? approval.value : { ...none, problem: approval.error };
}

/** The current items of a pack: hooks, the settings as one item, and the hooks that these declare. */
function hooksOfPack(site: PackSite, folder: string, context: RunContext): readonly Candidate[] {
  const { candidates } = findCandidates(hookFoldersIn("project", site.root.folder));
  const items = settingsItems(context, NO_APPROVALS).filter((item) => isOfPack(item, folder));
  const declared = items.flatMap((item) => entriesInFile(item, context.plan));
  return [...items, ...candidates.filter((candidate) => isOfPack(candidate, folder)), ...declared];
}

/** The forms of the pack's settings and of each hook in them. */
function shownTexts(pack: Pack, folder: string, project: string): readonly string[] {
  const file = settingsFileOf(pack);
  const parsed = file === null ? null : parseSettingsFile(file);
  if (file === null || !parsed?.ok) return [];
  const place = join(folder, file.path);
  const data = packSettings(parsed.value, place, project);
  return data.ok ? [canonicalSettings(data.value, place, project), ...data.value.entries.map(canonicalEntry)] : [];
}

/** The evidence holds the files of the review and no others: a hook may also name files of the project. */
function isShown(
  { candidate, evidence }: ReviewedHook,
  folder: string,
  files: FileMarks,
  texts: readonly string[],
): boolean {
  const hookFile = relative(folder, candidate.path);
  const isText = candidate.entry !== null || candidate.settings !== undefined;
  const isSame = (path: string, hash: string | null): boolean => files.get(path)?.sha256 === hash;
  return (
    (isText ? texts.includes(evidence.sha256 ?? "") : isSame(hookFile, evidence.sha256)) &&
    Object.entries(evidence.helpers).every(
      ([helper, hash]) => isFileList(hash) || isSame(normalize(join(dirname(hookFile), helper)), hash),
    ) &&
    Object.entries(evidence.files).every(([file, hash]) =>
      isSame(relative(folder, resolve(candidate.projectDir ?? folder, file)), hash),
    )
  );
}

/** Removes records of the pack's deleted hooks, so that they are not reported as missing. */
export async function forgetHooks(site: PackSite, name: string, isGone: (path: string) => boolean): Promise<void> {
  const context = await freshContext(site);
  const folder = packFolder(site.root.folder, name);
  const isForgotten = (path: string): boolean => isInside(folder, path) && isGone(relative(folder, path));
  // An entry is removed with its file.
  const fileOf = (approval: Approval): string => (approval.source === "config" ? fileOfEntry(approval) : approval.path);
  if (site.scope === "user") {
    forgetKnownHooks([...readKnownHooks(context).keys()].filter(isForgotten), context);
    return;
  }
  const approvals = context.trustStore.approvals();
  const approved = approvals.ok ? Object.values(approvals.value.approved) : [];
  await forgetApprovals(
    approved.filter((approval) => isForgotten(fileOf(approval))),
    context,
  );
}

/** After a change: the project may have had no `.kodelet` before, and the store may have been written. */
const freshContext = async ({ options, host }: PackSite): Promise<RunContext> =>
  (await contextWithoutTrust(options, host)).context;
