import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { requirePerson } from "../../../src/cli/prompt/require-person.ts";
import { stdoutStyle } from "../../../src/cli/stream-style.ts";
import type { Host } from "../../../src/engine/host.ts";
import { fail } from "../../../src/protocol/result.ts";
import { listNames } from "../../../src/protocol/text/text.ts";
import {
  checkMayWrite,
  commandFor,
  type InstallTarget,
  otherRegistrations,
  targetOf,
} from "../install/install-target.ts";
import { sealWritten } from "../install/seal/write-seal.ts";
import { readBackup } from "../install/settings-file/write-settings-files.ts";
import { agentUndos, undoAll } from "../install/undo-agent.ts";
import { type FileChange, installDiffText, uninstallJson, uninstallText } from "../report/install-text.ts";

/** Removes hookctl from an agent: restores its files byte for byte, or removes the registrations from edited ones. */
export async function uninstall(line: CommandLine<"uninstall">, host: Host): Promise<CommandResult> {
  if (line.options.isAll) return (await import("./uninstall-all.ts")).uninstallAll(line, host);
  const target = usedTarget(line, host);
  const { agent, scope, shown, file, options } = target;
  const isDry = line.options.dryRun;
  checkMayWrite(target, host);
  if (readBackup(file, host, "adopt") !== null) {
    // Adopted hooks are only in hookctl's settings.
    const detail = `Hooks of ${agent.title} were migrated and would not run without hookctl: restore them first.`;
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: commandFor("adopt", target, ["--undo"]) });
  }
  if (!isDry) await requirePerson(host);
  const undos = agentUndos(target, host);
  const others = otherRegistrations(target, host);
  if (isUnused(undos) && line.options.scope === null && others.length > 0) {
    // "Does not use hookctl" would be wrong: the agent reads the settings of every scope.
    const detail = `${shown} does not call hookctl, but ${listNames(others.map((other) => other.shown))} does. Nothing was changed.`;
    const lines = others.map((other) => commandFor("uninstall", other));
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: lines.join(", or: ") });
  }
  if (!isDry) {
    await undoAll(undos, host);
    await sealWritten(target, host, true);
  }
  const report = { agent: agent.name, scope, directory: options.directory, isDry, changes: undos, others };
  if (options.json) return print(`${uninstallJson(report)}\n`, host);
  const style = await stdoutStyle(options, host);
  return print(isDry ? installDiffText(report, host.argv, style) : uninstallText(report, style), host);
}

/** The settings of the named scope; without one those of the project, or the only other ones that call hookctl. */
function usedTarget(line: CommandLine<"uninstall">, host: Host): InstallTarget {
  const target = targetOf({ ...line, ending: ", or for all agents: hookctl uninstall --all" }, host);
  if (line.options.scope !== null || !isUnused(agentUndos(target, host))) return target;
  const [only = target, ...more] = otherRegistrations(target, host);
  return more.length > 0 || only.scope === "machine" ? target : only;
}

const isUnused = (undos: readonly FileChange[]): boolean => undos.every(({ before, after }) => before === after);
