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
import type { Problem } from "../../../src/protocol/problem.ts";
import { attempt, unwrap } from "../../../src/protocol/result.ts";
import type { ApprovedRow } from "../../../src/report/trust/approvals-text.ts";
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
import type { PackSite } from "./pack-site.ts";

export interface PackApprovals {
  readonly approved: readonly ApprovedRow[];
  /** The names of hooks that were not approved. */
  readonly waiting: readonly string[];
  /** Why it was not approved although the user agreed; null: there is no such hook, or `problem` has the reason. */
  readonly because: string | null;
  readonly problem: Problem | null;
}

export const NO_APPROVALS_NEEDED: PackApprovals = { approved: [], waiting: [], because: null, problem: null };

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
  let waiting: readonly string[] = [];
  const approved = await attempt(async (): Promise<PackApprovals> => {
    const folder = packFolder(site.root.folder, name);
    const context = await freshContext(site);
    const hooks = hooksOfPack(site, folder, context);
    waiting = hooks.map((hook) => hook.name);
    // Approving a hook starts it, to ask for its events.
    if (hooksAreOff(site.options, site.host))
      return { ...NO_APPROVALS_NEEDED, waiting, because: "hooks are switched off" };
    return approveShown(hooks, context, {
      folder,
      files: marksOf(pack.files),
      texts: shownTexts(pack, folder, site.root.folder),
    });
  });
  // The files are written, so a problem is reported with the pack.
  return approved.ok ? approved.value : { ...NO_APPROVALS_NEEDED, waiting, problem: approved.error };
}

/** The current items of a pack: hooks, the settings as one item, and the hooks that these declare. */
function hooksOfPack(site: PackSite, folder: string, context: RunContext): readonly Candidate[] {
  const { candidates } = findCandidates(hookFoldersIn("project", site.root.folder));
  const items = settingsItems(context, NO_APPROVALS).filter((one) => isOfPack(one, folder));
  const declared = items.flatMap((item) => entriesInFile(item, context.plan));
  return [...items, ...candidates.filter((one) => isOfPack(one, folder)), ...declared];
}

/** The content that was shown. */
interface ShownPack {
  readonly folder: string;
  readonly files: FileMarks;
  /** The forms of its settings and of each hook in them. */
  readonly texts: readonly string[];
}

function shownTexts(pack: Pack, folder: string, project: string): readonly string[] {
  const file = settingsFileOf(pack);
  const parsed = file === null ? null : parseSettingsFile(file);
  if (file === null || !parsed?.ok) return [];
  const place = join(folder, file.path);
  const data = packSettings(parsed.value, place, project);
  return data.ok ? [canonicalSettings(data.value, place, project), ...data.value.entries.map(canonicalEntry)] : [];
}

async function approveShown(
  hooks: readonly Candidate[],
  context: RunContext,
  shown: ShownPack,
): Promise<PackApprovals> {
  const whole = unwrap(reviewHooks(hooks, context)).filter((hook) => isShown(hook, shown));
  const stored = context.trustStore.approvals();
  const agreed = whole.filter(({ candidate }) => !(stored.ok && isDenied(candidate, stored.value)));
  closeInheritedOnFirstStart();
  const approved = unwrap(await approveReviewed(agreed, approvalContext(context)));
  const taken = new Set(agreed.map(({ candidate }) => candidate));
  const waiting = hooks.filter((hook) => !taken.has(hook)).map((hook) => hook.name);
  const because = whole.length < hooks.length ? "it can load files that are not in the pack" : "you denied it";
  return {
    approved: approvedRows(approved, agreed, context),
    waiting,
    because: waiting.length === 0 ? null : because,
    problem: null,
  };
}

/** The evidence holds the files of the review and no others: a hook may also name files of the project. */
function isShown({ candidate, evidence }: ReviewedHook, { folder, files, texts }: ShownPack): boolean {
  const hookFile = relative(folder, candidate.path);
  const isText = candidate.entry !== null || candidate.settings !== undefined;
  if (isText && !texts.includes(evidence.sha256 ?? "")) return false;
  const helpers = Object.entries(evidence.helpers)
    .filter(([, hash]) => !isFileList(hash))
    .map(([helper, hash]): [string, string] => [normalize(join(dirname(hookFile), helper)), hash]);
  const named = Object.entries(evidence.files).map(([file, hash]): [string, string] => [
    relative(folder, resolve(candidate.projectDir ?? folder, file)),
    hash,
  ]);
  const all = [...(isText ? [] : [[hookFile, evidence.sha256] as const]), ...helpers, ...named];
  return all.every(([path, hash]) => files.get(path)?.sha256 === hash);
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
