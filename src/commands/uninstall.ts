import type { CommandLine } from "../cli/option-table.ts";
import { print, refuse } from "../cli/output.ts";
import { stdoutStyle } from "../cli/style.ts";
import type { Host } from "../host.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { agentCommand } from "../report/agent-command.ts";
import { type FileChange, installDiffText, installJson, uninstallText } from "../report/install-text.ts";
import { companionFiles, formerTarget, type InstallTarget, readInstallTarget } from "./install-target.ts";
import { presentText } from "./present-text.ts";
import { requirePerson } from "./prompt/require-person.ts";
import { removeRegistration } from "./remove-registration.ts";
import { type Backup, deleteBackup, readBackup } from "./settings-backup.ts";
import { restoreSettingsFile } from "./write-settings-files.ts";

/** Takes the bridge out again: byte for byte as before, or, where somebody has edited since, only our own lines. */
export async function uninstall(line: CommandLine, host: Host): Promise<number> {
  const site = readInstallTarget(line, host);
  if (!site.ok) return refuse(site.error, host);
  const { agent, scope, options } = site.value;
  if (readBackup(site.value.file, host, "adopt") !== null) return refuse(hooksStillAdopted(site.value), host);
  const undone: FileChange[] = [];
  const isDry = line.options["--dry-run"] === true;
  const refusal = isDry ? null : await requirePerson(host);
  if (refusal !== null) return refuse(refusal, host);
  const former = formerTarget(site.value);
  if (former !== null) {
    const one = undoInstallIn(former, former, host, isDry);
    if (!one.ok) return refuse(one.error, host);
    undone.push(one.value);
  }
  // The settings themselves last: the folders made for all of them go with the file that was made first.
  for (const { file, shown } of [...companionFiles(site.value), site.value]) {
    const one = undoInstallIn({ file, shown }, site.value, host, isDry);
    if (!one.ok) return refuse(one.error, host);
    undone.push(one.value);
  }
  const report = { agent: agent.name, scope, directory: options.directory, isDry, changes: undone };
  if (options.json) return print(`${installJson("uninstall", report)}\n`, host);
  const style = await stdoutStyle(options, host);
  return print(isDry ? installDiffText(report, host.argv, style) : uninstallText(report, style), host);
}

/** What was taken over stands in our settings alone: without our lines nobody would ask it. */
const hooksStillAdopted = ({ agent, scope, options }: InstallTarget): Problem => ({
  code: "USAGE_WRONG_WORDS",
  detail: `Hooks of ${agent.title} were taken over, and nobody would ask them without hookctl: give them back first.`,
  tryThis: agentCommand("adopt", { agent: agent.name, scope, directory: options.directory }, ["--undo"]),
});

type SettingsPath = Pick<FileChange, "file" | "shown">;

/** Gives one file back: as it was kept, or without our lines. */
export function undoInstallIn(
  place: SettingsPath,
  site: InstallTarget,
  host: Host,
  isDry: boolean,
): Result<FileChange, Problem> {
  const present = presentText(place.file, place.shown);
  if (!present.ok) return present;
  const before = present.value;
  if (before === null) return ok({ ...place, before, after: before });
  const kept = readBackup(place.file, host, "install");
  const after = textAfter(place, site, before, kept);
  if (!after.ok || isDry || after.value === before)
    return after.ok ? ok({ ...place, before, after: after.value }) : after;
  const done = restoreSettingsFile(
    { file: place.file, root: site.root },
    { before: after.value, folders: kept?.folders ?? [] },
  );
  if (!done.ok) return done;
  deleteBackup(place.file, host, "install");
  return ok({ ...place, before, after: after.value });
}

/** As it was kept; where it was edited since, or was written elsewhere, it loses our lines and nothing else. */
function textAfter(
  place: SettingsPath,
  site: InstallTarget,
  text: string,
  kept: Backup | null,
): Result<string | null, Problem> {
  if (kept !== null && kept.after === text) return ok(kept.before);
  if (place.file !== site.file) return ok(text);
  const left = removeRegistration(text, site, kept);
  return left.ok ? left : fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: place.shown, ...left.error });
}
