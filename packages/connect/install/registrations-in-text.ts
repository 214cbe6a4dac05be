import type { AgentName, InstallScope } from "../../../src/protocol/agent-names.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import type { Registration } from "../../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../../agents/agents.ts";
import { isHookctlModule } from "../../agents/module-agent.ts";
import type { SettingsFileFormat } from "./find-registrations.ts";
import {
  addJsonRegistrations,
  isBareObject,
  removeJsonRegistrations,
  type SettingsSyntaxError,
} from "./settings-file/edit-json.ts";
import { addTomlRegistrations, removeTomlRegistrations } from "./settings-file/edit-toml.ts";
import type { Backup } from "./settings-file/settings-backup.ts";

interface SettingsText {
  readonly agent: { readonly name: AgentName };
  readonly format: SettingsFileFormat;
  /** Decides on the keys that the file of the whole machine needs. */
  readonly scope?: InstallScope;
}

/** Adds registrations and changes nothing else. */
export function addRegistrations(
  text: string,
  { agent: { name }, format, scope }: SettingsText,
  lines: readonly Registration[],
): Result<string, SettingsSyntaxError> {
  const target = AGENT_INSTALLS[name].format;
  if (target.kind === "settings") {
    const root = scope === "machine" ? { ...target.root, ...target.machineRoot } : target.root;
    if (format === "toml") return addTomlRegistrations(text, lines, root);
    return addJsonRegistrations(text, { ...target, root }, lines, name);
  }
  const isFree = text.trim() === "" || isHookctlModule(text);
  return isFree ? ok(target.module(lines)) : fail({ line: 1, detail: "it is a file of somebody else" });
}

/** Removes registrations. Empty if nothing else is left. */
export function withoutRegistrations(
  text: string,
  { agent, format }: SettingsText,
): Result<string, SettingsSyntaxError> {
  if (format === "toml") return ok(removeTomlRegistrations(text));
  if (format === "module") return ok(isHookctlModule(text) ? "" : text);
  return removeJsonRegistrations(text, agent.name);
}

/** The settings without registrations; null if nothing is left and hookctl created the file. */
export function removeRegistration(
  text: string,
  target: SettingsText,
  backup: Backup | null,
): Result<string | null, SettingsSyntaxError> {
  const left = withoutRegistrations(text, target);
  if (!left.ok || left.value === text) return left;
  const isOurs = target.format === "module" ? left.value === "" : backup?.before === null && isBareObject(left.value);
  return ok(isOurs ? null : left.value);
}
