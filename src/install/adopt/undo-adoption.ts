import { approveSettings, areSettingsApproved, forgetMissingEntries } from "../../engine/approve-unseen.ts";
import { createRunContext } from "../../engine/create-run-context.ts";
import type { Host } from "../../host.ts";
import type { Problem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { agentCommand } from "../../report/agent-command.ts";
import type { InstallTarget } from "../install-target.ts";
import { findRegistrations, isBareObject, parseSettingsText, withoutRegistrations } from "../registrations-in-text.ts";
import { sealWritten } from "../seal/write-seal.ts";
import {
  addHookEntries,
  type HookEntry,
  hookEntriesIn,
  hookEntriesNotIn,
  removeHookEntries,
} from "../settings-file/hook-entries.ts";
import { type Backup, type RemoveOurs, readBackup, textBeforeWrite } from "../settings-file/settings-backup.ts";
import { type SettingsUndo, undoSettingsWrites } from "../settings-file/write-settings-files.ts";
import { checkReadable, checkSettingsText, type HookctlSettings, otherHookFiles } from "./hookctl-settings.ts";

/** hookctl's settings, edited since: without the entries that came from the agent. */
export const withoutAdoptedEntries: RemoveOurs = (text, backup) => {
  if (backup === null) return text;
  const left = removeHookEntries(text, addedEntries(backup));
  return backup.before === null && isBareObject(left) ? null : left;
};

const addedEntries = ({ before, after }: Backup): readonly HookEntry[] =>
  hookEntriesNotIn(hookEntriesIn(after), hookEntriesIn(before ?? ""));

/** The agent's settings, edited since: with the adopted hooks, and without the registrations that `adopt` added. */
export const withAdoptedHooksBack =
  ({ agent, format, file }: InstallTarget, host: Host): RemoveOurs =>
  (text, backup) => {
    if (backup === null) return text;
    const before = backup.before ?? "";
    const hadRegistrations = findRegistrations(parseSettingsText(before, format), agent.name).length > 0;
    const isInstalled = hadRegistrations || readBackup(file, host, "install") !== null;
    const bare = isInstalled ? ok(text) : withoutRegistrations(text, { name: agent.name, format });
    const left = bare.ok ? bare.value : text;
    const adopted = hookEntriesNotIn(hookEntriesIn(before), hookEntriesIn(backup.after));
    return addHookEntries(left, hookEntriesNotIn(adopted, hookEntriesIn(left)), {});
  };

export interface AdoptionUndo {
  readonly undos: readonly SettingsUndo[];
  /** Names of adopted entries that were edited: they stay in hookctl's settings. */
  readonly stays: readonly string[];
}

/** Restores each file byte for byte, or, in a file that was edited since, only its own part. */
export function adoptionUndo(
  target: InstallTarget,
  settings: HookctlSettings,
  host: Host,
): Result<AdoptionUndo, Problem> {
  const { agent, scope, options, root } = target;
  const [agentBackup, backup] = [readBackup(target.file, host, "adopt"), readBackup(settings.file, host, "adopt")];
  if (agentBackup === null || backup === null) {
    const detail = `Nothing of ${agent.title} was adopted here.`;
    const tryThis = agentCommand("adopt", { agent: agent.name, scope, directory: options.directory });
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis });
  }
  const { file, shown, text: before } = target;
  const hooks = textBeforeWrite(before ?? "", agentBackup, withAdoptedHooksBack(target, host));
  const readable = checkReadable(target, { shown, text: hooks });
  if (!readable.ok) return readable;
  const others = otherFileUndos(target, host);
  if (!others.ok) return others;
  const entries = textBeforeWrite(settings.text, backup, withoutAdoptedEntries);
  const usable = checkRestored(entries, settings, target);
  if (!usable.ok) return usable;
  const undos = [
    // The agent's files are written first: until then a guard runs twice, which is better than not at all.
    { file, shown, root, before, after: hooks, backup: agentBackup },
    ...others.value,
    { file: settings.file, shown: settings.shown, root, before: settings.text, after: entries, backup },
  ];
  return ok({ undos, stays: editedEntries(settings, backup) });
}

function otherFileUndos(target: InstallTarget, host: Host): Result<readonly SettingsUndo[], Problem> {
  const sources = otherHookFiles(target);
  if (!sources.ok) return sources;
  return ok(
    sources.value.flatMap((source): readonly SettingsUndo[] => {
      const { file, shown, text } = source;
      const backup = readBackup(file, host, "adopt");
      if (backup === null) return [];
      const after = textBeforeWrite(text ?? "", backup, withAdoptedHooksBack({ ...target, ...source }, host));
      return [{ file, shown, root: target.root, before: text, after, backup }];
    }),
  );
}

/** Writes the files, and removes the approvals of the adopted hooks. Settings that were approved stay approved. */
export async function undoAdoption(
  undos: readonly SettingsUndo[],
  { target, settings, host }: { target: InstallTarget; settings: HookctlSettings; host: Host },
): Promise<Result<null, Problem>> {
  const before = await createRunContext(target.options, host, false);
  const wereApproved = before.ok && areSettingsApproved(before.value.context);
  const written = undoSettingsWrites(undos, "adopt", host);
  if (written.ok) await sealWritten(target, host, true);
  if (!written.ok || target.scope === "user") return written;
  const after = await createRunContext(target.options, host, false);
  if (!after.ok) return after;
  const { context } = after.value;
  const approved = wereApproved ? await approveSettings(context) : ok(null);
  return approved.ok ? forgetMissingEntries(settings.path, context) : approved;
}

/** An empty or missing file is restored without a check. */
const checkRestored = (
  text: string | null,
  settings: HookctlSettings,
  target: InstallTarget,
): Result<string | null, Problem> =>
  text === null || text.trim() === "" ? ok(text) : checkSettingsText(text, settings, target);

function editedEntries({ text }: HookctlSettings, backup: Backup): readonly string[] {
  const added = addedEntries(backup);
  const changed = hookEntriesNotIn(hookEntriesIn(text ?? ""), added);
  const names = added.map(({ value }) => value.name);
  return changed.filter(({ value }) => names.includes(value.name)).map(({ value }) => String(value.name));
}
