import type { CommandLine } from "../cli/command-table.ts";
import { type CommandResult, print } from "../cli/output.ts";
import { stdoutStyle } from "../cli/style.ts";
import type { Host } from "../host.ts";
import { companionFiles, formerTarget, type InstallTarget, readInstallTarget } from "../install/install-target.ts";
import { readBackup } from "../install/settings-backup.ts";
import { undoInstallIn } from "../install/undo-install.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail } from "../protocol/result.ts";
import { agentCommand } from "../report/agent-command.ts";
import { type FileChange, installDiffText, installJson, uninstallText } from "../report/install-text.ts";
import { requirePerson } from "./prompt/require-person.ts";

/** Takes the bridge out again: byte for byte as before, or, where somebody has edited since, only our own lines. */
export async function uninstall(line: CommandLine<"uninstall">, host: Host): Promise<CommandResult> {
  const site = readInstallTarget(line, host);
  if (!site.ok) return site;
  const { agent, scope, options } = site.value;
  if (readBackup(site.value.file, host, "adopt") !== null) return fail(hooksStillAdopted(site.value));
  const undone: FileChange[] = [];
  const isDry = line.options.dryRun;
  const refusal = isDry ? null : await requirePerson(host);
  if (refusal !== null) return fail(refusal);
  const former = formerTarget(site.value);
  if (former !== null) {
    const one = undoInstallIn(former, former, host, isDry);
    if (!one.ok) return one;
    undone.push(one.value);
  }
  // The settings themselves last: the folders made for all of them go with the file that was made first.
  for (const { file, shown } of [...companionFiles(site.value), site.value]) {
    const one = undoInstallIn({ file, shown }, site.value, host, isDry);
    if (!one.ok) return one;
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
  detail: `Hooks of ${agent.title} were migrated and would not run without hookctl: restore them first.`,
  tryThis: agentCommand("adopt", { agent: agent.name, scope, directory: options.directory }, ["--undo"]),
});
