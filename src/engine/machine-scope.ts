import { type CompiledFile, loadMachineSettings, machineFileIn } from "../config/load-settings.ts";
import type { HookFolder } from "../discover/find-candidates.ts";
import { findMachineFolder, type MachineFolder, machineCache } from "../fs/machine-folder.ts";
import type { Warning } from "../protocol/warning.ts";

/** What the administrator decided for everybody on this machine, as it is in this call. */
export interface MachineScope extends MachineFolder {
  /** Where root keeps what it has parsed; null: nowhere. */
  readonly cacheDir: string | null;
  /** Null: there is no settings file. */
  readonly settingsFile: CompiledFile | null;
  /** True if this call had to parse the settings, because root's cache does not hold them. */
  readonly isParsed: boolean;
}

/** Null: this machine has no scope of its own. It counts only if its settings can be read, too. */
export async function openMachine(useCache: boolean): Promise<MachineScope | null> {
  const folder = findMachineFolder();
  if (folder === null) return null;
  const cacheDir = useCache ? machineCache() : null;
  if (folder.cause !== null) return { ...folder, cacheDir, settingsFile: null, isParsed: false };
  const plan = await loadMachineSettings(folder.path, cacheDir);
  const settingsFile = machineFileIn(plan);
  return { ...folder, cause: await faultOf(settingsFile), cacheDir, settingsFile, isParsed: plan.isFresh };
}

async function faultOf(settingsFile: CompiledFile | null): Promise<string | null> {
  if (settingsFile === null) return null;
  const { problem, isBlank, file } = settingsFile;
  if (problem !== null) return (await import("../protocol/problem-message.ts")).explain(problem).summary;
  // A full disk leaves an empty file behind, and with it the guards would vanish.
  return isBlank ? `${file} is empty` : null;
}

export const machineHookFolders = (machine: MachineScope | null): readonly HookFolder[] =>
  machine === null || machine.cause !== null
    ? []
    : [{ path: `${machine.path}/hooks`, source: "machine", prefix: "", projectDir: null }];

export const machineWarnings = (machine: MachineScope | null): readonly Warning[] =>
  machine === null || machine.cause === null
    ? []
    : [{ code: "MACHINE_REFUSED", path: machine.path, cause: machine.cause }];
