import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { effectiveFile } from "../../../../src/config/config-files.ts";
import { checkConfig } from "../../../../src/config/schema/check-config.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { callerOf, findUserPaths } from "../../../../src/engine/user-paths.ts";
import { entryNames, followLinks } from "../../../../src/fs/paths.ts";
import { readJson } from "../../../../src/protocol/json/read.ts";
import { ProblemError, unwrap } from "../../../../src/protocol/result.ts";
import { combineUnsafePaths } from "../../../../src/protocol/unsafe-path.ts";
import { createOwnershipCheck, ownershipAt } from "../../../../src/trust/decide/ownership.ts";
import { commandFor, type InstallTarget } from "../install-target.ts";
import { checkWritable, presentText } from "../settings-file/write-settings-files.ts";
import { addRegistrations } from "../write-registrations.ts";

/** A settings file that was read. */
export type SettingsSource = Pick<InstallTarget, "file" | "shown" | "text">;

/** hookctl's settings file, to which adopted hooks are added. */
export interface HookctlSettings extends SettingsSource {
  /** The path by which its entries are approved; `file` is that path with links followed. */
  readonly path: string;
}

/** The JSON file of the scope: other formats cannot be edited in place. */
export function hookctlSettingsFor({ scope, root, projectDir, homeDir }: InstallTarget): HookctlSettings {
  const isUsers = scope === "user";
  const path = join(isUsers ? (homeDir ?? "") : projectDir, ".kodelet", "hooks.json");
  checkWritable(root, path);
  const file = followLinks(path);
  const shown = isUsers ? "~/.kodelet/hooks.json" : ".kodelet/hooks.json";
  return { path, file, shown, text: unwrap(presentText(file, path)) };
}

/** Fails if the scope's settings are in another file: the JSON file would take precedence over it. */
export function checkNoConflict({ path }: HookctlSettings, target: InstallTarget, host: Host): void {
  const { scope, projectDir, rootDir, homeDir, options } = target;
  const scopes = { projectDirs: projectDir === homeDir ? [] : [rootDir, projectDir], homeDir };
  const { configHome } = findUserPaths(scopes, callerOf(host, options.directory));
  const input = { projectDirs: [projectDir], homeDir, configHome, explicitFile: null };
  const inForce = effectiveFile(input, scope === "user" ? "user" : "project");
  if (inForce === null || inForce === path) return;
  const detail = `${inForce} has the settings, and would be ignored once adopt writes ${path}.`;
  const tryThis = `move its content to ${path}, then: ${commandFor("adopt", target)}`;
  throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis });
}

/** Fails if hookctl would not accept the text as settings. */
export function checkSettingsText(text: string, { path }: HookctlSettings, { scope }: InstallTarget): void {
  const read = readJson(text.replace(/^\ufeff/, ""), 64);
  if (!read.ok) throw new ProblemError({ code: "CONFIG_NOT_PARSED", file: path, cause: `line ${read.error.line}` });
  unwrap(checkConfig(JSON.parse(read.value.raw), path, scope === "user" ? "user" : "project"));
}

/** Fails if entries in that file would not be allowed to run. Missing folders are created safely. */
export function checkSafeLocation(
  { file, text }: HookctlSettings,
  { scope, projectDir, homeDir }: InstallTarget,
  { userId }: Host,
): void {
  let folder = dirname(file);
  while (!existsSync(folder)) folder = dirname(folder);
  const owned = text === null ? { owner: userId, group: -1, mode: 0o644 } : ownershipAt(file);
  const root = scope === "user" ? (homeDir ?? "/") : projectDir;
  const unsafe = combineUnsafePaths(createOwnershipCheck(userId)(join(folder, basename(file)), owned, root));
  if (unsafe !== null) throw new ProblemError({ code: "TRUST_UNSAFE_PLACE", ...unsafe, fix: null });
}

/** The other hook files of an agent that reads its whole hooks folder, in byte order, as the agent runs them. */
export function otherHookFiles({ agent, file, shown, root }: InstallTarget): readonly SettingsSource[] {
  if (agent.settings.readsWholeFolder !== true) return [];
  const names = entryNames(dirname(file)).filter((name) => name.endsWith(".json") && name !== basename(file));
  return names.toSorted().map((name) => {
    const path = join(dirname(file), name);
    const shownAs = join(dirname(shown), name);
    checkWritable(root, path, shownAs);
    return { file: followLinks(path), shown: shownAs, text: unwrap(presentText(path, shownAs)) };
  });
}

/** Fails if the text of a settings file cannot be edited. */
export const checkReadable = (target: InstallTarget, { text, shown }: Pick<SettingsSource, "text" | "shown">): void => {
  addRegistrations(text ?? "", { ...target, shown }, []);
};
