import type { Host } from "../../../src/engine/host.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import type { Registration } from "../../agents/agent-install.ts";
import type { FileChange } from "../report/install-text.ts";
import { companionFiles, formerTarget, type InstallTarget } from "./install-target.ts";
import { type Launcher, writeLauncher } from "./launcher.ts";
import { addRegistrations, removeRegistration } from "./registrations-in-text.ts";
import { type RemoveOurs, readBackup, textBeforeWrite } from "./settings-file/settings-backup.ts";
import {
  presentText,
  type SettingsUndo,
  undoSettingsWrites,
  writeSettingsFiles,
} from "./settings-file/write-settings-files.ts";

/** The files that registering hookctl in one agent changes. */
export interface InstallPlan {
  readonly changes: readonly FileChange[];
  /** Registrations of earlier versions in a file that the agent does not read: they are removed. */
  readonly former: readonly SettingsUndo[];
  /** It is null if the present one starts this hookctl. */
  readonly launcher: Launcher | null;
}

/** Registrations and the program that they start. */
export interface PlannedLines {
  readonly lines: readonly Registration[];
  readonly launcher: Launcher | null;
}

/** Decides on every change before the first one is made. */
export function planInstall(
  target: InstallTarget,
  { lines, launcher }: PlannedLines,
  host: Host,
): Result<InstallPlan, Problem> {
  const changes = installChanges(target, lines);
  if (!changes.ok) return changes;
  const former = formerInstallUndos(target, host);
  return former.ok ? ok({ changes: changes.value, former: former.value, launcher }) : former;
}

/** The launcher first: no registration may name a file that is not there. */
export function writeInstall(target: InstallTarget, { changes, former, launcher }: InstallPlan, host: Host) {
  const problem = launcher === null ? null : writeLauncher(launcher);
  if (problem !== null) return fail(problem);
  const undone = undoSettingsWrites(former, "install", host);
  return undone.ok ? writeInstallChanges(target, changes, host) : undone;
}

/** The settings file and its companion files with the registrations in them. */
export function installChanges(
  target: InstallTarget,
  lines: readonly Registration[],
): Result<readonly FileChange[], Problem> {
  const { file, shown, text: before } = target;
  const after = addRegistrations(before ?? "", target, lines);
  if (!after.ok) return fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, ...after.error });
  const changes: FileChange[] = [{ file, shown, before, after: after.value }];
  for (const { value, ...place } of companionFiles(target)) {
    const text = presentText(place.file, place.shown);
    if (!text.ok) return text;
    changes.push({ ...place, before: text.value, after: text.value ?? `${JSON.stringify(value, null, 2)}\n` });
  }
  return ok(changes);
}

export function writeInstallChanges(target: InstallTarget, changes: readonly FileChange[], host: Host) {
  const removeOurs: RemoveOurs = (text, backup) => {
    const left = removeRegistration(text, target, backup);
    return left.ok ? left.value : text;
  };
  const writes = changes.flatMap(({ file, before, after }) =>
    after === null || before === after ? [] : [{ file, root: target.root, before, after, removeOurs }],
  );
  return writeSettingsFiles(writes, "install", host);
}

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

/** The same for the file of earlier versions of hookctl. */
function formerInstallUndos(target: InstallTarget, host: Host): Result<readonly SettingsUndo[], Problem> {
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
