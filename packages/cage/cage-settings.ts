import { userFileIn } from "../../src/config/load-settings.ts";
import type { RunContext } from "../../src/engine/run-context.ts";
import { realPathOrSame } from "../../src/fs/paths.ts";
import type { CageSettings } from "../../src/protocol/setting-rows.ts";

/** What the settings say for a call. */
export interface EffectiveCage extends Required<CageSettings> {
  readonly mode: "observe" | "fallback" | "require";
}

type Network = EffectiveCage["network"];
type Settings = Pick<RunContext, "machine" | "plan" | "scopes">;

/**
 * The cage of a call; null if the settings have none. The settings of the machine come before those of the user for this
 * project, and these before those for all; a list has the paths of all, but of the machine's alone if it names any.
 */
export function effectiveCage({ machine, plan, scopes }: Settings): EffectiveCage | null {
  const ofMachine = machine?.cause === null ? machine.settingsFile?.data.cage : undefined;
  const user = userFileIn(plan)?.data;
  const folders = [scopes.rootDir, ...scopes.projectDirs];
  const here = Object.entries(user?.projects ?? {})
    .filter(([folder]) => folders.includes(realPathOrSame(folder)))
    .flatMap(([, { cage }]) => cage ?? []);
  const all = [ofMachine, ...here, user?.cage].flatMap((one) => one ?? []);
  const mode =
    ofMachine?.mode === "require" ? "require" : (all.find((one) => one.mode !== undefined)?.mode ?? "fallback");
  if (all.length === 0 || mode === "off") return null;
  const listOf = (key: "write" | "read" | "env"): readonly string[] =>
    ofMachine?.[key] ?? all.flatMap((one) => one[key] ?? []);
  const network = networkOf(ofMachine?.network, [...here, ...(user?.cage ? [user.cage] : [])]);
  return { mode, network, write: listOf("write"), read: listOf("read"), env: listOf("env") };
}

/**
 * What the machine closes stays closed. Of the user the setting for this project counts before that for all; the lists of both
 * are one.
 */
function networkOf(machine: Network = "open", ofUser: readonly CageSettings[]): Network {
  const said = ofUser.flatMap(({ network }) => (network === undefined ? [] : [{ network }]));
  const nearest = said[0]?.network ?? "open";
  const lists = said.flatMap(({ network }) => (typeof network === "string" ? [] : network));
  const user = typeof nearest === "string" ? nearest : [...new Set(lists)];
  return machine === "open" || user === "off" ? user : machine;
}
