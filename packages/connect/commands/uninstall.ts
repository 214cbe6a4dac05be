import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { requirePerson } from "../../../src/cli/prompt/require-person.ts";
import { stdoutStyle } from "../../../src/cli/stream-style.ts";
import type { Host } from "../../../src/engine/host.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { fail, ok } from "../../../src/protocol/result.ts";
import { listNames } from "../../../src/protocol/text/text.ts";
import { commandFor, type InstallTarget, otherRegistrations, readInstallTarget } from "../install/install-target.ts";
import { sealWritten } from "../install/seal/write-seal.ts";
import { readBackup } from "../install/settings-file/settings-backup.ts";
import { undoSettingsWrites } from "../install/settings-file/write-settings-files.ts";
import { installUndos } from "../install/write-registrations.ts";
import { installDiffText, installJson, uninstallText } from "../report/install-text.ts";

/** Removes hookctl from an agent: restores its files byte for byte, or removes the registrations from edited ones. */
export async function uninstall(line: CommandLine<"uninstall">, host: Host): Promise<CommandResult> {
  const target = readInstallTarget(line, host);
  if (!target.ok) return target;
  const { agent, scope, options } = target.value;
  if (readBackup(target.value.file, host, "adopt") !== null) return fail(hooksStillAdopted(target.value));
  const isDry = line.options.dryRun;
  if (!isDry) await requirePerson(host);
  const undos = installUndos(target.value, host);
  if (!undos.ok) return undos;
  const others = otherRegistrations(target.value, host);
  const isUnused = undos.value.every(({ before, after }) => before === after);
  if (isUnused && line.options.scope === null && others.length > 0) return fail(usedElsewhere(target.value, others));
  const undone = isDry ? ok(null) : undoSettingsWrites(undos.value, "install", host);
  if (!undone.ok) return undone;
  if (!isDry) await sealWritten(target.value, host, true);
  const report = { agent: agent.name, scope, directory: options.directory, isDry, changes: undos.value, others };
  if (options.json) return print(`${installJson("uninstall", report)}\n`, host);
  const style = await stdoutStyle(options, host);
  return print(isDry ? installDiffText(report, host.argv, style) : uninstallText(report, style), host);
}

/** "Does not use hookctl" would be wrong: the agent reads the settings of every scope. */
function usedElsewhere({ shown }: InstallTarget, others: readonly InstallTarget[]): Problem {
  const lines = others.map((other) => commandFor("uninstall", other));
  return {
    code: "USAGE_WRONG_WORDS",
    detail: `${shown} does not call hookctl, but ${listNames(others.map((one) => one.shown))} does. Nothing was changed.`,
    tryThis: lines.join(", or: "),
  };
}

/** Adopted hooks are only in hookctl's settings, so without hookctl they would not run. */
const hooksStillAdopted = (target: InstallTarget): Problem => ({
  code: "USAGE_WRONG_WORDS",
  detail: `Hooks of ${target.agent.title} were migrated and would not run without hookctl: restore them first.`,
  tryThis: commandFor("adopt", target, ["--undo"]),
});
