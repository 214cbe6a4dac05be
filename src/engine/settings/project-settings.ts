import { join, relative } from "node:path";
import { type CompiledFile, type CompiledSettings, projectFilesIn } from "../../config/load-settings.ts";
import type { EffectiveProject } from "../../config/merge-settings.ts";
import { mergeOverrides } from "../../config/overrides.ts";
import { declaredCandidates, fileOfEntry } from "../../discover/candidate-names.ts";
import { findCandidates, hookFoldersIn, stampOfFile } from "../../discover/find-candidates.ts";
import type { Scopes } from "../../discover/scopes.ts";
import { mainCheckoutOf } from "../../fs/git.ts";
import { realPathOrSame } from "../../fs/paths.ts";
import { type Approval, type Approvals, NO_APPROVALS } from "../../protocol/approval.ts";
import type { LocatedEntry, ResolvedEntry } from "../../protocol/entry.ts";
import { type Candidate, DELETED_FILE_STAMP, RANK } from "../../protocol/hook.ts";
import { NO_SETTINGS, type ScopeSettings } from "../../protocol/settings-file.ts";
import type { Warning } from "../../protocol/warning.ts";
import { approvalFor, isDenied, settingsApprovals } from "../../trust/decide/approval-key.ts";
import { canonicalEntry } from "../../trust/evidence/canonical-entry.ts";
import {
  type ApprovedSettings,
  canonicalSettings,
  isEmptySettings,
  parseCanonicalSettings,
  projectDigest,
} from "../../trust/evidence/canonical-settings.ts";
import { readUsedSettings, recordUsedSettings, type UsedSettings } from "../../trust/store/earlier-calls.ts";
import { guardsIn } from "../../trust/store/last-known-guards.ts";
import type { TrustStore } from "../../trust/store/trust-store.ts";
import type { RunContext } from "../run-context.ts";
import { approvalIn, isInSlot, type Slot, slotPlan, slotsOf } from "./settings-slots.ts";

/** The settings of one project folder as they apply to this call. */
export interface ProjectSettings extends EffectiveProject {
  /** Its settings file; without one, the folder. */
  readonly file: string;
  readonly entries: readonly LocatedEntry[];
  readonly warnings: readonly Warning[];
}

type FileSettings = Omit<ProjectSettings, "folder" | "file">;

interface KnownStore {
  readonly trustStore: TrustStore;
  readonly trustFile: string | null;
  readonly userId: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `--trust`, or `project_hooks: allow`. */
  readonly isTrusted: boolean;
  /** True if no real call is judged. */
  readonly isRehearsal: boolean;
}

/** The settings of each project folder as they apply to this call, outermost first. */
export function effectiveProjectSettings(
  plan: CompiledSettings,
  { projectDirs }: Pick<Scopes, "projectDirs">,
  { trustStore, env, isTrusted, isRehearsal, trustFile, userId }: KnownStore,
): readonly ProjectSettings[] {
  const read = trustStore.approvals();
  const approvals = read.ok ? read.value : NO_APPROVALS;
  const isRecorded = isTrusted && !isRehearsal;
  const usedBefore = isRecorded ? readUsedSettings({ trustFile, userId }) : new Map<string, UsedSettings>();
  if (isRecorded) {
    const now = usedNow(plan, usedBefore);
    recordUsedSettings(now, { folders: projectDirs, before: usedBefore, trustFile });
  }
  const known: Known = {
    approvals,
    ofSettings: settingsApprovals(approvals),
    isTrustedForOneCall: isTrusted || isDigest(env.HOOKCTL_TRUST, plan, projectDirs),
    isRehearsal,
    usedBefore,
  };
  return projectDirs.map((folder) => {
    const files = slotsOf(folder, plan, approvals).map((slot) => ({ ...slot, ...fileSettings(slot, plan, known) }));
    // The folder's own settings go before those of a shared file, and its overrides before those of a pack.
    const settings = Object.assign({}, ...files.map(({ data }) => data.settings).reverse());
    const rules = files.flatMap(({ part, data: { guard_rules = [] } }) =>
      guard_rules.map((one) => (part === null ? one : { ...one, file: join(folder, part) })),
    );
    const overrides = mergeOverrides(files.map(({ data }) => data.overrides).reverse());
    return {
      folder,
      file: slotPlan(plan, { folder, part: null })?.file ?? folder,
      data: {
        ...(files[0]?.data ?? NO_SETTINGS),
        ...{ settings, overrides },
        ...(rules.length > 0 && { guard_rules: rules }),
      },
      entries: files.flatMap(({ entries }) => entries),
      warnings: files.flatMap(({ warnings }) => warnings),
    };
  });
}

/** True if this is the digest of the project's current hooks and settings. */
function isDigest(expected: string | undefined, plan: CompiledSettings, projectDirs: readonly string[]): boolean {
  if (expected === undefined || expected === "") return false;
  const { candidates } = findCandidates(projectDirs.flatMap((folder) => hookFoldersIn("project", folder)));
  const items = projectFilesIn(plan).flatMap((one) => settingsItem(one) ?? []);
  return (
    projectDigest([...candidates, ...declaredCandidates(currentEntries(plan)), ...items], projectDirs) === expected
  );
}

interface Known {
  readonly approvals: Approvals;
  /** What `--trust` and `project_hooks` approved before: it applies where the file cannot be read any more. */
  readonly usedBefore: ReadonlyMap<string, UsedSettings>;
  readonly isRehearsal: boolean;
  /** The approvals of settings files, the oldest first. */
  readonly ofSettings: readonly Approval[];
  /** True for `--trust` and its equivalents: the settings apply as they are. */
  readonly isTrustedForOneCall: boolean;
}

/**
 * A project's settings are code: they apply only when they are approved, and then as approved. After a change the
 * approved version still applies, so that nobody can take a guard away by editing, breaking or deleting the file.
 */
function fileSettings(slot: Slot, all: CompiledSettings, known: Known): FileSettings {
  const { folder } = slot;
  const { approvals, ofSettings, usedBefore, isTrustedForOneCall, isRehearsal } = known;
  const plan = slotPlan(all, slot);
  const current = currentOf(plan);
  const item = plan === null ? null : settingsItem(plan);
  const isRefused = item !== null && isDenied(item, approvals);
  const approval = isRefused ? null : (approvalIn(slot, ofSettings) ?? twinOf(item, slot, known));
  if (current !== null && approval !== null && item?.settings === approval.sha256) return applied(folder, current);
  if (current !== null && isTrustedForOneCall)
    return applied(folder, isRehearsal ? current : withoutAllowRules(current));
  const used = plan?.problem && plan.file !== null && !isRefused ? usedBefore.get(plan.file) : undefined;
  const last = used === undefined ? approval : { path: plan?.file ?? "", sha256: used.text };
  return lastApproved(slot, { plan, current, approval: last, approvals });
}

/** The files with guards as they are used now; those that cannot be read as they were. */
function usedNow(plan: CompiledSettings, before: ReadonlyMap<string, UsedSettings>): ReadonlyMap<string, UsedSettings> {
  return new Map(
    projectFilesIn(plan).flatMap((one): [string, UsedSettings][] => {
      const { file, folder } = one;
      const current = currentOf(one);
      if (file === null) return [];
      const known = before.get(file);
      if (current === null) return known === undefined ? [] : [[file, known]];
      const { data } = withoutAllowRules(current);
      return guardsIn(data).length === 0 ? [] : [[file, { folder, text: canonicalSettings(data, file, folder) }]];
    }),
  );
}

type ApprovedText = Pick<Approval, "path" | "sha256">;

interface Current {
  readonly file: string;
  readonly data: ScopeSettings;
}

const currentOf = (plan: CompiledFile | null): Current | null =>
  plan === null || plan.problem !== null || plan.file === null ? null : { file: plan.file, data: plan.data };

/** Settings that nobody reviewed may make guards stricter, never looser. */
function withoutAllowRules({ file, data }: Current): Current {
  const guards = Object.entries(data.guards).map(([name, { allow, ...others }]) => [name, others]);
  const rules = Object.entries(data.rules ?? {}).map(([subject, { allow, ...others }]) => [subject, others]);
  return {
    file,
    data: { ...data, guards: Object.fromEntries(guards), ...(data.rules && { rules: Object.fromEntries(rules) }) },
  };
}

const applied = (folder: string, { file, data }: Current): FileSettings => ({
  data,
  entries: placed(data.entries, { folder, file }),
  warnings: [],
});

interface Changed {
  readonly plan: CompiledFile | null;
  readonly current: Current | null;
  /** Null if the settings were never approved, though entries of them may have been. */
  readonly approval: ApprovedText | null;
  readonly approvals: Approvals;
}

/** The approved settings, followed by the entries that are not approved yet. */
function lastApproved(slot: Slot, changed: Changed): FileSettings {
  const { folder } = slot;
  const { plan, current, approval, approvals } = changed;
  const approved = approval === null ? approvedEntries(slot, approvals) : parseCanonicalSettings(approval.sha256 ?? "");
  const file = approval?.path ?? approved.file ?? current?.file ?? "";
  const was = candidatesOf(withSecretsOf(current, approved), { folder, file });
  const is = current === null ? [] : candidatesOf(current.data.entries, { folder, file: current.file });
  const isOwnApproved = ({ path, entry, source }: Candidate): boolean =>
    entry !== null && approvalFor({ path, source }, approvals)?.sha256 === canonicalEntry(entry);
  const unchanged = new Map(
    is
      .filter(isOwnApproved)
      .toReversed()
      .map((one) => [one.path, one]),
  );
  const kept = was.map((one) => unchanged.get(one.path) ?? one);
  const before = new Set(was.map(({ path }) => path));
  const fresh = is.filter(({ path }) => !before.has(path));
  const isChanged = approval !== null || was.some(({ path }) => !unchanged.has(path));
  return {
    data: approval === null ? NO_SETTINGS : approved,
    entries: [...kept, ...fresh].flatMap(({ entry }) => entry ?? []),
    warnings: [...(isChanged ? [changeOf(plan, file)] : unapproved(plan, current))],
  };
}

function changeOf(plan: CompiledFile | null, file: string): Warning {
  const how = plan === null ? "deleted" : plan.problem === null ? "changed" : "broken";
  return { code: "SETTINGS_CHANGED", path: plan?.file ?? file, how, problem: plan?.problem ?? null };
}

/** Settings that are not approved have no effect. Their hooks are candidates that need approval, like any other. */
function unapproved(plan: CompiledFile | null, current: Current | null): readonly Warning[] {
  const isSilent = current === null || isEmptySettings({ ...current.data, entries: [] });
  const waiting: readonly Warning[] = isSilent ? [] : [{ code: "SETTINGS_NOT_APPROVED", path: current.file }];
  const broken: readonly Warning[] = plan?.problem
    ? [{ code: "SETTINGS_NOT_READ", scope: "project", problem: plan.problem }]
    : [];
  return [...waiting, ...broken];
}

/** Entries that were approved by themselves: of a project whose settings as a whole were not. */
function approvedEntries(slot: Slot, { approved }: Approvals): ApprovedSettings {
  const own = Object.values(approved).filter((one) => isInSlot(one, slot, fileOfEntry(one)));
  const forms = own.flatMap(({ sha256 }) => sha256 ?? []);
  const [first] = own;
  const entries = forms.map((form): ResolvedEntry => JSON.parse(form));
  return { ...NO_SETTINGS, entries, forms, ...(first === undefined ? {} : { file: fileOfEntry(first) }) };
}

/** Most projects declare no hooks. */
const candidatesOf = (entries: readonly ResolvedEntry[], place: Pick<LocatedEntry, "folder" | "file">) =>
  entries.length === 0 ? [] : declaredCandidates(placed(entries, place));

const placed = (
  entries: readonly ResolvedEntry[],
  place: Pick<LocatedEntry, "folder" | "file">,
): readonly LocatedEntry[] => entries.map((entry, position) => ({ ...entry, ...place, scope: "project", position }));

/** An approved text has hashes in place of secrets; the same server of the file as it is now still has them. */
function withSecretsOf(current: Current | null, { entries, forms }: ApprovedSettings): readonly ResolvedEntry[] {
  const now = new Map((current?.data.entries ?? []).toReversed().map((one) => [canonicalEntry(one), one]));
  return entries.map((entry, index) => now.get(forms[index] ?? "") ?? entry);
}

/** The approval of the same settings in the main checkout, when this is a linked worktree of it. */
function twinOf(item: Candidate | null, { folder, part }: Slot, { ofSettings }: Known): Approval | null {
  const mainDir = item === null || ofSettings.length === 0 ? null : mainCheckoutOf(folder);
  const approval = mainDir === null ? null : approvalIn({ folder: mainDir, part }, ofSettings);
  return approval?.sha256 === item?.settings ? approval : null;
}

/** A project's settings file as one item to approve; null: it cannot be read, or there is nothing to approve in it. */
export function settingsItem(plan: CompiledFile): Candidate | null {
  const current = currentOf(plan);
  if (current === null || isEmptySettings(current.data)) return null;
  const { file, data } = current;
  const text = canonicalSettings(data, file, plan.folder);
  return itemAt(file, plan.folder, text);
}

/** The settings of the projects as items to approve: the current files, and approved files that were deleted. */
export function settingsItems(
  { plan, scopes }: Pick<RunContext, "plan" | "scopes">,
  approvals: Approvals,
): readonly Candidate[] {
  const { projectDirs, folders } = scopes;
  const ofSettings = settingsApprovals(approvals);
  const isKnown = (folder: string): boolean => ofSettings.some(({ project }) => project === folder);
  const known = folders.filter((folder) => projectDirs.includes(folder) || isKnown(folder));
  const all = [...new Set([...projectDirs, ...known.reverse()])];
  const slots = all.flatMap((folder) => slotsOf(folder, plan, approvals));
  return (scopes.hasProject ? slots : []).flatMap((slot): readonly Candidate[] => {
    const own = slotPlan(plan, slot);
    const item = own === null ? null : settingsItem(own);
    const approval = approvalIn(slot, ofSettings);
    if (item !== null) return [item];
    return approval === null || own?.problem ? [] : [removedItem(approval)];
  });
}

/** The hooks that a settings file declares now, whether they are approved or not. */
export const entriesInFile = ({ path }: Pick<Candidate, "path">, plan: CompiledSettings): readonly Candidate[] =>
  declaredCandidates(currentEntries(plan).filter(({ file }) => file === path));

/** The hooks that the projects' settings declare now. */
export const currentEntries = (plan: CompiledSettings): readonly LocatedEntry[] =>
  projectFilesIn(plan).flatMap((one) =>
    one.file === null ? [] : placed(one.data.entries, { folder: one.folder, file: one.file }),
  );

/** The item of a deleted settings file: approving it removes the old approval. */
function removedItem({ path, name, project }: Approval): Candidate {
  return {
    name,
    path,
    realPath: path,
    source: "config",
    rank: RANK.folder,
    projectDir: project,
    stamp: DELETED_FILE_STAMP,
    entry: null,
    settings: "",
  };
}

function itemAt(path: string, folder: string, settings: string): Candidate {
  const name = relative(folder, path);
  const place = {
    name,
    path,
    realPath: realPathOrSame(path),
    source: "config",
    projectDir: folder,
    rank: RANK.folder,
  } as const;
  return { ...place, stamp: stampOfFile(path), entry: null, settings };
}
