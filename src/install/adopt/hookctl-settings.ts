import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { effectiveFile } from "../../config/config-files.ts";
import { checkConfig } from "../../config/schema/check-config.ts";
import { callerOf, findUserPaths } from "../../engine/user-paths.ts";
import { followLinks } from "../../fs/paths.ts";
import { whyNotWritable } from "../../fs/write-check.ts";
import type { Host } from "../../host.ts";
import { readJson } from "../../protocol/json/read.ts";
import type { Problem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { combineUnsafePaths } from "../../protocol/unsafe-path.ts";
import { agentCommand } from "../../report/agent-command.ts";
import { createOwnershipCheck, ownershipAt } from "../../trust/decide/ownership.ts";
import type { InstallTarget } from "../install-target.ts";
import { addRegistrations } from "../registrations-in-text.ts";
import { presentText } from "../settings-file/write-settings-files.ts";

/** hookctl's settings file, to which adopted hooks are added. */
export interface HookctlSettings {
  /** The path by which its entries are approved. */
  readonly path: string;
  /** The path with links followed, to which it is written. */
  readonly file: string;
  /** The path for messages. */
  readonly shown: string;
  readonly text: string | null;
}

/** The JSON file of the scope: other formats cannot be edited in place. */
export function hookctlSettingsFor({
  scope,
  root,
  projectDir,
  homeDir,
}: InstallTarget): Result<HookctlSettings, Problem> {
  const isUsers = scope === "user";
  const place = join(isUsers ? (homeDir ?? "") : projectDir, ".kodelet", "hooks.json");
  const cause = whyNotWritable(root, place);
  if (cause !== null) return fail({ code: "FILE_NOT_WRITTEN", path: place, cause });
  const file = followLinks(place);
  const text = presentText(file, place);
  const shown = isUsers ? "~/.kodelet/hooks.json" : ".kodelet/hooks.json";
  return text.ok ? ok({ path: place, file, shown, text: text.value }) : text;
}

/** Fails if the scope's settings are in another file: the JSON file would take precedence over it. */
export function conflictingSettings({ path }: HookctlSettings, target: InstallTarget, host: Host): Problem | null {
  const { agent, scope, projectDir, rootDir, homeDir, options } = target;
  const scopes = { projectDirs: projectDir === homeDir ? [] : [rootDir, projectDir], homeDir };
  const { configHome } = findUserPaths(scopes, callerOf(host, options.directory));
  const input = { projectDirs: [projectDir], homeDir, configHome, explicitFile: null };
  const inForce = effectiveFile(input, scope === "user" ? "user" : "project");
  if (inForce === null || inForce === path) return null;
  const detail = `${inForce} holds the settings, and would not be read any more beside ${path}, which adopt writes.`;
  const line = agentCommand("adopt", { agent: agent.name, scope, directory: options.directory });
  return { code: "USAGE_WRONG_WORDS", detail, tryThis: `move its content to ${path}, then: ${line}` };
}

/** Fails if hookctl would not accept the text as settings. */
export function checkSettingsText(
  text: string,
  { path }: HookctlSettings,
  { scope }: InstallTarget,
): Result<string, Problem> {
  const read = readJson(text.replace(/^\ufeff/, ""), 64);
  if (!read.ok) return fail({ code: "CONFIG_NOT_PARSED", file: path, cause: `line ${read.error.line}` });
  const checked = checkConfig(JSON.parse(read.value.raw), path, scope === "user" ? "user" : "project");
  return checked.ok ? ok(text) : checked;
}

/** A problem if entries in that file would not be allowed to run. Missing folders are created safely. */
export function unsafeLocation(
  { file, text }: HookctlSettings,
  { scope, projectDir, homeDir }: InstallTarget,
  { userId }: Host,
): Problem | null {
  let folder = dirname(file);
  while (!existsSync(folder)) folder = dirname(folder);
  const owned = text === null ? { owner: userId, group: -1, mode: 0o644 } : ownershipAt(file);
  const root = scope === "user" ? (homeDir ?? "/") : projectDir;
  const unsafe = combineUnsafePaths(createOwnershipCheck(userId)(join(folder, basename(file)), owned, root));
  return unsafe === null ? null : { code: "TRUST_UNSAFE_PLACE", ...unsafe, fix: null };
}

/** A file from which an agent reads hooks. */
export type SettingsSource = Pick<InstallTarget, "file" | "shown" | "text">;

/** The other hook files of an agent that reads its whole hooks folder. */
export function otherHookFiles({
  agent,
  file,
  shown,
  root,
}: InstallTarget): Result<readonly SettingsSource[], Problem> {
  if (agent.settings.readsWholeFolder !== true) return ok([]);
  const sources: SettingsSource[] = [];
  for (const name of jsonFilesIn(dirname(file))) {
    if (name === basename(file)) continue;
    const place = join(dirname(file), name);
    const shownAs = join(dirname(shown), name);
    const cause = whyNotWritable(root, place);
    if (cause !== null) return fail({ code: "FILE_NOT_WRITTEN", path: shownAs, cause });
    const text = presentText(place, shownAs);
    if (!text.ok) return text;
    sources.push({ file: followLinks(place), shown: shownAs, text: text.value });
  }
  return ok(sources);
}

/** In byte order, as the agent runs them. */
function jsonFilesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort();
  } catch {
    return [];
  }
}

/** Fails if the text of a settings file cannot be edited. */
export function checkReadable(
  { agent, format }: InstallTarget,
  { text, shown }: Pick<SettingsSource, "text" | "shown">,
): Result<string, Problem> {
  const edited = addRegistrations(text ?? "", { name: agent.name, format }, []);
  return edited.ok ? edited : fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, ...edited.error });
}
