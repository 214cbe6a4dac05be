import type { Host } from "../../../src/engine/host.ts";
import { unwrap } from "../../../src/protocol/result.ts";
import { AGENTS } from "../../agents/agents.ts";
import { otherHookFiles } from "./adopt/hookctl-settings.ts";
import { revertEntries } from "./adopt/undo-adoption.ts";
import { cageFile, withoutCageKeys } from "./cage-keys.ts";
import { companionFiles, formerTarget, type InstallTarget } from "./install-target.ts";
import { isBareObject } from "./settings-file/edit-json.ts";
import {
  deleteBackup,
  presentText,
  type RemoveOurs,
  readBackup,
  type SettingsUndo,
  textBeforeWrite,
  undoSettingsWrites,
  withSettingsLock,
} from "./settings-file/write-settings-files.ts";
import { withoutInstall } from "./write-registrations.ts";

interface WrittenFile {
  readonly file: string;
  readonly shown: string;
  /** Removes what each command has written, for a file that was edited since; the last command first. */
  readonly removals: readonly RemoveOurs[];
}

/**
 * The undo of everything that hookctl has written for an agent in a scope: registrations, adopted hooks and the keys of the
 * cage. A file that only hookctl has edited since its first write comes back byte for byte.
 */
export function agentUndos(target: InstallTarget, host: Host): readonly SettingsUndo[] {
  const { agent, file, scope, homeDir } = target;
  const asInstalled =
    (one: InstallTarget): RemoveOurs =>
    (text) =>
      textBeforeWrite(text, readBackup(one.file, host, "install"), (rest, backup) => withoutInstall(rest, one, backup));
  const companions = companionFiles(target).map((path) => {
    const asWritten: RemoveOurs = (text) =>
      textBeforeWrite(text, readBackup(path.file, host, "install"), (rest) => rest);
    return { ...path, removals: [asWritten] };
  });
  const former = formerTarget(target);
  const { cage } = AGENTS[agent.name];
  const caged = cage === undefined || scope !== "user" ? null : cageFile(agent.name, cage, homeDir ?? "", host.env);
  const withoutCage: RemoveOurs = (text) =>
    cage === undefined || caged === null ? text : withoutCageKeys(caged.file, text, cage);
  const isShared = caged?.file === file;
  const others = otherHookFiles(target)
    .filter((source) => readBackup(source.file, host, "adopt") !== null)
    .map((source) => ({ ...source, removals: [adopted(source.file, target, host)] }));
  const files: readonly WrittenFile[] = [
    ...(former === null ? [] : [{ ...former, removals: [asInstalled(former)] }]),
    ...(caged === null || isShared ? [] : [{ ...caged, removals: [withoutCage] }]),
    ...companions,
    ...others,
    // The settings file comes last: the folders that were created for all files are removed with it.
    { ...target, removals: [...(isShared ? [withoutCage] : []), adopted(file, target, host), asInstalled(target)] },
  ];
  return files.map((one) => undoOf(one, target, host));
}

/** The undo of hookctl's own settings in a scope. Without a note of all writes only adopted hooks are removed. */
export const settingsUndo = (
  settings: { readonly file: string; readonly shown: string },
  target: InstallTarget,
  host: Host,
): SettingsUndo => undoOf({ ...settings, removals: [adopted(settings.file, target, host)] }, target, host);

const adopted = (file: string, target: InstallTarget, host: Host): RemoveOurs => {
  const backup = readBackup(file, host, "adopt");
  return (text) => (backup === null ? text : textBeforeWrite(text, backup, revertEntries(file, target, host)));
};

function undoOf({ file, shown, removals }: WrittenFile, { root }: InstallTarget, host: Host): SettingsUndo {
  const before = unwrap(presentText(file, shown));
  const backups = (["all", "install", "adopt"] as const).map((owner) => readBackup(file, host, owner));
  const [first = null] = backups;
  // A file that came with entries of hookctl, or was written by an earlier version, has them in the text of the note, too.
  const text = textBeforeWrite(before, first, (present) => present);
  // A file in which nothing is ours may have any form.
  const mayHaveOurs = backups.some((backup) => backup !== null) || /hookctl|\/bridge\//.test(before ?? "");
  const rest = (mayHaveOurs ? removals : []).reduce<string | null>(
    (left, remove) => (left === null ? null : remove(left, first)),
    text,
  );
  const isEmpty = rest !== text && rest !== null && (rest.trim() === "" || isBareObject(rest));
  const after = isEmpty && first?.before === null ? null : rest;
  const folders = [...new Set(backups.flatMap((backup) => backup?.folders ?? []))];
  // Without a note nobody knows whether the file was edited.
  const whole = first === null ? {} : { isWhole: first.after === before && after === first.before };
  return { file, shown, root, before, after, ...whole, backup: { before: after, after: before ?? "", folders } };
}

/** Restores the files, and forgets what was written to them. */
export async function undoAll(undos: readonly SettingsUndo[], host: Host): Promise<void> {
  await withSettingsLock(host, () => {
    undoSettingsWrites(undos, "install", host);
    for (const { file } of undos) for (const owner of ["all", "adopt"] as const) deleteBackup(file, host, owner);
  });
}
