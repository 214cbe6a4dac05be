import { readBundled } from "../../../src/fs/read-bundled.ts";
import type { AgentName, InstallScope } from "../../../src/protocol/agent-names.ts";
import { PROOF } from "../../../src/protocol/exit-code.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { CONTROL_CHARACTERS } from "../../../src/protocol/text/text.ts";
import type { Registration } from "../../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../../agents/agents.ts";
import { isHookctlModule } from "../../agents/hookctl-module.ts";
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
  return isFree ? ok(moduleText(name, lines)) : fail({ line: 1, detail: "it is a file of somebody else" });
}

/** A module for an agent that loads code instead of running commands: it runs the same commands and applies their answers. */
function moduleText(agent: AgentName, lines: readonly Registration[]): string {
  const commands = Object.fromEntries(lines.map(({ event, command }) => [event, command]));
  const common = readBundled("assets/agent-modules/common.txt")
    .replaceAll("__AGENT__", agent)
    .replace("__PROOF__", PROOF)
    .replace("__CONTROL_CHARACTERS__", () => String(CONTROL_CHARACTERS))
    .replace("__LINES__", () => JSON.stringify(commands, null, 2));
  return `${common}${readBundled(`assets/agent-modules/${agent}.txt`)}`;
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
