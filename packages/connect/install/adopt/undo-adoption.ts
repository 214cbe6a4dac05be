import { approveSettings, areSettingsApproved, forgetMissingEntries } from "../../../../src/engine/approve-unseen.ts";
import { createRunContext } from "../../../../src/engine/create-run-context.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { INSTALL_SCOPES } from "../../../../src/protocol/agent-names.ts";
import { stringOr } from "../../../../src/protocol/json/read.ts";
import { ProblemError, unwrap } from "../../../../src/protocol/result.ts";
import { handlersOf, isHookctlCommand } from "../find-registrations.ts";
import { commandFor, type InstallTarget, installTarget } from "../install-target.ts";
import { acceptRemoved } from "../seal/removed-guards.ts";
import { sealWritten } from "../seal/write-seal.ts";
import {
  addHookEntries,
  type HookEntry,
  hookEntriesIn,
  hookEntriesNotIn,
  isBareObject,
  removeHookEntries,
} from "../settings-file/edit-json.ts";
import {
  type Backup,
  type RemoveOurs,
  readBackup,
  type SettingsUndo,
  textBeforeWrite,
  undoSettingsWrites,
  withSettingsLock,
} from "../settings-file/write-settings-files.ts";
import {
  checkReadable,
  checkSettingsText,
  type HookctlSettings,
  otherHookFiles,
  type SettingsSource,
} from "./hookctl-settings.ts";

/**
 * A file that was edited since `adopt` wrote it, without the changes of `adopt`: the entries that it added are removed if they are
 * unchanged, and those that it removed come back. Registrations stay if `install` has written to the file as well.
 */
export const revertEntries =
  (file: string, { agent }: InstallTarget, host: Host): RemoveOurs =>
  (text, backup) => {
    if (backup === null) return text;
    const isInstalled = readBackup(file, host, "install") !== null;
    const isRegistration = ({ value }: HookEntry): boolean =>
      handlersOf(value).some(({ command }) => isHookctlCommand(stringOr(command), agent.name));
    const added = addedEntries(backup).filter((entry) => !(isInstalled && isRegistration(entry)));
    const rest = removeHookEntries(text, added);
    const moved = hookEntriesNotIn(hookEntriesIn(backup.before ?? ""), hookEntriesIn(backup.after));
    const missing = hookEntriesNotIn(moved, hookEntriesIn(rest));
    const reverted = missing.length === 0 ? rest : addHookEntries(rest, missing, {});
    return backup.before === null && isBareObject(reverted) ? null : reverted;
  };

const addedEntries = ({ before, after }: Backup): readonly HookEntry[] =>
  hookEntriesNotIn(hookEntriesIn(after), hookEntriesIn(before ?? ""));

/** The settings of the agent in other scopes that were adopted. */
const adoptedScopes = ({ agent, scope, options }: InstallTarget, host: Host): readonly InstallTarget[] =>
  INSTALL_SCOPES.filter((other) => other !== scope).flatMap((other) => {
    const found = installTarget({ agent: agent.name, scope: other, options }, host);
    return found.ok && readBackup(found.value.file, host, "adopt") !== null ? [found.value] : [];
  });

/**
 * Restores each file byte for byte, or, in a file that was edited since, only the part of `adopt`. `stays` are the names of
 * adopted entries that were edited: they stay in hookctl's settings.
 */
export function adoptionUndo(target: InstallTarget, settings: HookctlSettings, host: Host) {
  const ofAgent = readBackup(target.file, host, "adopt");
  const backup = readBackup(settings.file, host, "adopt");
  if (ofAgent === null || backup === null) {
    const [other] = adoptedScopes(target, host);
    const detail = `Nothing of ${target.agent.title} was adopted ${other === undefined ? "here" : `in its ${target.scope} settings`}.`;
    const tryThis = other === undefined ? commandFor("adopt", target) : commandFor("adopt", other, ["--undo"]);
    throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis });
  }
  const undoOf = ({ file, shown, text }: SettingsSource, own: Backup, present: string | null): SettingsUndo => {
    const after = textBeforeWrite(present, own, revertEntries(file, target, host));
    return { file, shown, root: target.root, before: text, after, backup: own };
  };
  // A file of the agent that is missing comes back.
  const agents = undoOf(target, ofAgent, target.text ?? "");
  checkReadable(target, { shown: target.shown, text: agents.after });
  const others = otherHookFiles(target).flatMap((source) => {
    const own = readBackup(source.file, host, "adopt");
    return own === null ? [] : [undoOf(source, own, source.text ?? "")];
  });
  const hookctls = undoOf(settings, backup, settings.text);
  // An empty or missing file is restored without a check.
  if (hookctls.after !== null && hookctls.after.trim() !== "") checkSettingsText(hookctls.after, settings, target);
  // The agent's files are written first: until then a guard runs twice, which is better than not at all.
  return { undos: [agents, ...others, hookctls], stays: editedEntries(settings, backup) };
}

/** Writes the files, and removes the approvals of the adopted hooks. Settings that were approved stay approved. */
export async function undoAdoption(
  undos: readonly SettingsUndo[],
  { target, settings, host }: { target: InstallTarget; settings: HookctlSettings; host: Host },
): Promise<void> {
  const before = await createRunContext(target.options, host, false);
  const wereApproved = before.ok && (await areSettingsApproved(before.value.context));
  await withSettingsLock(host, () => undoSettingsWrites(undos, "adopt", host));
  await sealWritten(target, host, true);
  if (target.scope === "user") {
    const written = undos.find(({ file }) => file === settings.file);
    if (written !== undefined && before.ok) acceptRemoved({ ...written, file: settings.path }, before.value.context);
    return;
  }
  const { context } = unwrap(await createRunContext(target.options, host, false));
  if (wereApproved) unwrap(await approveSettings(context));
  unwrap(await forgetMissingEntries(settings.path, context));
}

function editedEntries({ text }: HookctlSettings, backup: Backup): readonly string[] {
  const added = addedEntries(backup);
  const changed = hookEntriesNotIn(hookEntriesIn(text ?? ""), added);
  const names = added.map(({ value }) => value.name);
  return changed.filter(({ value }) => names.includes(value.name)).map(({ value }) => String(value.name));
}
