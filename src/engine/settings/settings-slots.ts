import type { CompiledFile, CompiledSettings } from "../../config/load-settings.ts";
import { fileOfEntry } from "../../discover/candidate-names.ts";
import type { Approval, Approvals } from "../../protocol/approval.ts";
import { SHARED_FILES, settingsSlotAt } from "../../protocol/settings-file.ts";

/** What a project folder may have settings in, each approved by itself. */
export interface Slot {
  readonly folder: string;
  /** One of the shared files, or the folder of a pack; null: the folder's own settings file. */
  readonly part: string | null;
}

/** The slots of a folder: also those of packs of which only an approval is left. */
export function slotsOf(
  folder: string,
  { files, ignoredFiles }: CompiledSettings,
  approvals: Approvals,
): readonly Slot[] {
  const present = [...files, ...ignoredFiles].flatMap((one) => (one.folder === folder ? (one.file ?? []) : []));
  const approved = Object.values(approvals.approved).filter(
    ({ project, source }) => project === folder && source === "config",
  );
  const paths = [...present, ...approved.flatMap((one) => [one.path, fileOfEntry(one)])];
  const parts = paths.map((path) => settingsSlotAt(folder, path)).sort();
  return [...new Set([null, ...SHARED_FILES, ...parts])].map((part) => ({ folder, part }));
}

const isIn =
  ({ folder, part }: Slot) =>
  (one: CompiledFile): boolean =>
    one.scope === "project" && one.folder === folder && settingsSlotAt(folder, one.file ?? "") === part;

/** True for an approval of this slot, whose settings file is `file`. */
export const isInSlot = ({ project, source }: Approval, { folder, part }: Slot, file: string): boolean =>
  project === folder && source === "config" && settingsSlotAt(folder, file) === part;

/** The user's last approval of the settings in a slot, whatever the name of the file was. */
export const approvalIn = (slot: Slot, ofSettings: readonly Approval[]): Approval | null =>
  ofSettings.findLast((one) => isInSlot(one, slot, one.path)) ?? null;

export const slotPlan = ({ files }: CompiledSettings, slot: Slot): CompiledFile | null =>
  files.find(isIn(slot)) ?? null;
