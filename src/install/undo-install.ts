import type { Host } from "../host.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import type { FileChange } from "../report/install-text.ts";
import { companionFiles, formerTarget, type InstallTarget } from "./install-target.ts";
import { removeRegistration } from "./remove-registration.ts";
import { presentText } from "./settings-file/read-settings-file.ts";
import { readBackup, textBeforeWrite } from "./settings-file/settings-backup.ts";
import type { SettingsUndo } from "./settings-file/write-settings-files.ts";

/** The undo of every file that `install` wrote for a target. */
export function installUndos(target: InstallTarget, host: Host): Result<readonly SettingsUndo[], Problem> {
  const former = formerInstallUndos(target, host);
  if (!former.ok) return former;
  const undos: SettingsUndo[] = [...former.value];
  // The settings file comes last: the folders that were created for all files are removed with it.
  for (const path of [...companionFiles(target), target]) {
    const undo = installUndo(path, target, host);
    if (!undo.ok) return undo;
    undos.push(undo.value);
  }
  return ok(undos);
}

/** The same for the file in which earlier versions of hookctl registered. */
export function formerInstallUndos(target: InstallTarget, host: Host): Result<readonly SettingsUndo[], Problem> {
  const former = formerTarget(target);
  if (former === null) return ok([]);
  const undo = installUndo(former, former, host);
  return undo.ok ? ok([undo.value]) : undo;
}

function installUndo(
  { file, shown }: Pick<FileChange, "file" | "shown">,
  target: InstallTarget,
  host: Host,
): Result<SettingsUndo, Problem> {
  const present = presentText(file, shown);
  if (!present.ok) return present;
  const before = present.value;
  const backup = readBackup(file, host, "install");
  const removed = before === null || file !== target.file ? ok(before) : removeRegistration(before, target, backup);
  if (!removed.ok && backup?.after !== before) {
    return fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, ...removed.error });
  }
  const after = textBeforeWrite(before, backup, (text) => (removed.ok ? removed.value : text));
  return ok({ file, shown, root: target.root, before, after, backup });
}
