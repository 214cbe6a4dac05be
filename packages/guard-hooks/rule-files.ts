import { join } from "node:path";
import { disk } from "../../src/fs/disk.ts";
import { readTextFile } from "../../src/fs/read-file.ts";
import { errnoCode } from "../../src/protocol/errno.ts";
import type { Guard, GuardName } from "../guards/guard.ts";
import { loadGuard } from "../guards/load-guard.ts";
import { type RuleFile, readRuleFile, withRuleFiles } from "../guards/rules/rule-files.ts";
import type { GuardPlace } from "./guard-place.ts";

/** A guard with the rules that the administrator added to it. */
export const loadRules = async (name: GuardName, { machineFolder }: GuardPlace): Promise<Guard> =>
  withRuleFiles(await loadGuard(name), readRuleFiles(machineFolder));

/**
 * The rules that the administrator adds to guards: `rules/*.json` in the machine's folder, which root alone can change. A file
 * that cannot be read as rules throws: the guards then block, as they do without their own rules.
 */
export function readRuleFiles(machineFolder: string | null): readonly RuleFile[] {
  if (machineFolder === null) return [];
  const folder = join(machineFolder, "rules");
  return jsonFilesIn(folder).map((name) => {
    const read = readRuleFile(readTextFile(join(folder, name)));
    if (typeof read === "string") throw new Error(`${join(folder, name)}: ${read}`);
    return read;
  });
}

function jsonFilesIn(folder: string): readonly string[] {
  try {
    return disk
      .readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort();
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return [];
    throw error;
  }
}
