import { type CommandResult, print } from "../cli/output.ts";
import { stdoutStyle } from "../cli/style.ts";
import { createRunContext } from "../engine/run-context.ts";
import { approveSettings, areSettingsApproved, forgetMissingEntries } from "../engine/settings/approve-settings.ts";
import type { Host } from "../host.ts";
import { checkSettingsText, type HookctlSettings } from "../install/adopt/hookctl-settings.ts";
import { otherHookFiles } from "../install/adopt/other-hook-files.ts";
import { findRegistrations } from "../install/find-registrations.ts";
import {
  addHookEntries,
  type HookEntry,
  hookEntriesIn,
  hookEntriesNotIn,
  removeHookEntries,
} from "../install/hook-entries.ts";
import type { InstallTarget } from "../install/install-target.ts";
import { isBareObject } from "../install/remove-registration.ts";
import { type Backup, deleteBackup, readBackup } from "../install/settings-backup.ts";
import { addRegistrations, parseSettingsText, withoutRegistrations } from "../install/settings-text.ts";
import { restoreSettingsFile, type SettingsWrite } from "../install/write-settings-files.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { adoptUndoJson, adoptUndoText } from "../report/adopt-text.ts";
import { agentCommand } from "../report/agent-command.ts";
import type { FileChange } from "../report/install-text.ts";

type Undone = SettingsWrite["undone"];

/** Our own settings, edited since: without the entries that came from the agent. */
export const withoutAdoptedEntries: Undone = (text, kept) => {
  if (kept === null) return text;
  const left = removeHookEntries(text, addedBy(kept));
  return kept.before === null && isBareObject(left) ? null : left;
};

const addedBy = ({ before, after }: Backup): readonly HookEntry[] =>
  hookEntriesNotIn(hookEntriesIn(after), hookEntriesIn(before ?? ""));

/** The agent's settings, edited since: with the groups that were taken, and without the lines that came for them. */
export const withAdoptedHooksBack =
  (site: InstallTarget, host: Host): Undone =>
  (text, kept) => {
    if (kept === null) return text;
    const { agent, format, file } = site;
    const before = kept.before ?? "";
    const hadLines = findRegistrations(parseSettingsText(before, format), agent.name).length > 0;
    const isInstalled = hadLines || readBackup(file, host, "install") !== null;
    const bare = isInstalled ? ok(text) : withoutRegistrations(text, { name: agent.name, format });
    const left = bare.ok ? bare.value : text;
    const taken = hookEntriesNotIn(hookEntriesIn(before), hookEntriesIn(kept.after));
    return addHookEntries(left, hookEntriesNotIn(taken, hookEntriesIn(left)), {});
  };

/** Gives both files back: byte for byte, or, where one was edited since, its own part of it. */
export async function undoAdopt(
  site: InstallTarget,
  target: HookctlSettings,
  { isDry, host }: { readonly isDry: boolean; readonly host: Host },
): Promise<CommandResult> {
  const { agent, scope, options, file, shown } = site;
  const report = { agent: agent.name, scope, isDry, directory: options.directory };
  const [settings, own] = [readBackup(file, host, "adopt"), readBackup(target.file, host, "adopt")];
  if (settings === null || own === null) {
    const detail = `Nothing of ${agent.title} was adopted here.`;
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: agentCommand("adopt", report) });
  }
  const groups = afterOf(site.text ?? "", settings, withAdoptedHooksBack(site, host));
  const readable = addRegistrations(groups ?? "", { name: agent.name, format: site.format }, []);
  if (!readable.ok) return fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, ...readable.error });
  const beside = undoneBeside(site, host);
  if (!beside.ok) return beside;
  const entries = afterOf(target.text, own, withoutAdoptedEntries);
  const usable = checkedAfter(entries, target, site);
  if (!usable.ok) return usable;

  // The agent's first: between the two a guard would be asked twice, and never not at all.
  const changes: readonly FileChange[] = [
    { file, shown, before: site.text, after: groups },
    ...beside.value.map(({ change }) => change),
    { file: target.file, shown: target.shown, before: target.text, after: entries },
  ];
  const all = [settings, ...beside.value.map(({ kept }) => kept), own];
  const written = isDry ? ok(null) : await undo(changes, all, site, { target, host });
  if (!written.ok) return written;
  const stays = editedSince(target, own);
  if (options.json) return print(`${adoptUndoJson({ ...report, changes, stays })}\n`, host);
  return print(adoptUndoText({ ...report, changes, stays }, host.argv, await stdoutStyle(options, host)), host);
}

interface UndoneFile {
  readonly change: FileChange;
  readonly kept: Backup;
}

/** The other files that hooks were taken out of. */
function undoneBeside(site: InstallTarget, host: Host): Result<readonly UndoneFile[], Problem> {
  const sources = otherHookFiles(site);
  if (!sources.ok) return sources;
  return ok(
    sources.value.flatMap((source): readonly UndoneFile[] => {
      const kept = readBackup(source.file, host, "adopt");
      if (kept === null) return [];
      const after = afterOf(source.text ?? "", kept, withAdoptedHooksBack({ ...site, ...source }, host));
      return [{ kept, change: { file: source.file, shown: source.shown, before: source.text, after } }];
    }),
  );
}

interface Undoing {
  readonly target: HookctlSettings;
  readonly host: Host;
}

/** What was approved for the adopted hooks goes with them; settings that were just as approved still are. */
async function undo(
  changes: readonly FileChange[],
  kept: readonly Backup[],
  site: InstallTarget,
  { target, host }: Undoing,
): Promise<Result<null, Problem>> {
  const before = await createRunContext(site.options, host, false);
  const isWhole = before.ok && areSettingsApproved(before.value.context);
  const written = carryOut(changes, kept, site, host);
  if (!written.ok || site.scope === "user") return written;
  const after = await createRunContext(site.options, host, false);
  if (!after.ok) return after;
  const { context } = after.value;
  const approved = isWhole ? await approveSettings(context) : ok(null);
  return approved.ok ? forgetMissingEntries(target.path, context) : approved;
}

function afterOf(text: string | null, kept: Backup, undone: Undone): string | null {
  if (kept.after === text) return kept.before;
  return text === null ? null : undone(text, kept);
}

/** What was there before is put back whatever it was. */
const checkedAfter = (
  text: string | null,
  target: HookctlSettings,
  site: InstallTarget,
): Result<string | null, Problem> =>
  text === null || text.trim() === "" ? ok(text) : checkSettingsText(text, target, site);

function carryOut(
  changes: readonly FileChange[],
  kept: readonly Backup[],
  { root }: InstallTarget,
  host: Host,
): Result<null, Problem> {
  for (const [index, { file, before, after }] of changes.entries()) {
    const folders = kept[index]?.folders ?? [];
    const restored = before === after ? ok(null) : restoreSettingsFile({ file, root }, { before: after, folders });
    if (!restored.ok) return fail(restored.error);
  }
  // Last: what could not be written can be tried again.
  for (const { file } of changes) deleteBackup(file, host, "adopt");
  return ok(null);
}

/** Entries of ours that somebody has changed are not ours to remove. */
function editedSince({ text }: HookctlSettings, kept: Backup): readonly string[] {
  const present = hookEntriesIn(text ?? "");
  const changed = hookEntriesNotIn(present, addedBy(kept));
  const names = addedBy(kept).map(({ value }) => value.name);
  return changed.filter(({ value }) => names.includes(value.name)).map(({ value }) => String(value.name));
}
