import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import type { AgentName } from "../agents/agent.ts";
import type { FoundRegistration, Registration } from "../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../agents/agents.ts";
import { isHookctlModule, registrationsInModule } from "../agents/module-agent.ts";
import { arrayOr, objectOr, stringOr, type UncheckedObject } from "../protocol/json/read.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { isHookctlCommand } from "./create-registrations.ts";
import type { InstallTarget } from "./install-target.ts";
import { addJsonRegistrations, removeJsonRegistrations, type SettingsSyntaxError } from "./settings-file/edit-json.ts";
import { addTomlRegistrations, removeTomlRegistrations } from "./settings-file/edit-toml.ts";
import type { Backup } from "./settings-file/settings-backup.ts";

/** `json` and `toml` files are shared with others; a `module` belongs to hookctl. */
export type SettingsFileFormat = "json" | "toml" | "module";

interface SettingsText {
  readonly name: AgentName;
  readonly format: SettingsFileFormat;
  /** True for the file of the whole machine. */
  readonly isMachine?: boolean;
}

/** Adds registrations and changes nothing else. */
export function addRegistrations(
  text: string,
  { name, format, isMachine = false }: SettingsText,
  lines: readonly Registration[],
): Result<string, SettingsSyntaxError> {
  const target = AGENT_INSTALLS[name].format;
  if (target.kind === "settings") {
    const root = isMachine ? { ...target.root, ...target.machineRoot } : target.root;
    if (format === "toml") return addTomlRegistrations(text, lines, root);
    return addJsonRegistrations(text, { ...target, root }, lines, name);
  }
  const isFree = text.trim() === "" || isHookctlModule(text);
  return isFree ? ok(target.module(lines)) : fail({ line: 1, detail: "it is a file of somebody else" });
}

/** Removes registrations. Empty if nothing else is left. */
export function withoutRegistrations(
  text: string,
  { name, format }: SettingsText,
): Result<string, SettingsSyntaxError> {
  if (format === "toml") return ok(removeTomlRegistrations(text));
  if (format === "module") return ok(isHookctlModule(text) ? "" : text);
  return removeJsonRegistrations(text, name);
}

/** Parses settings; a module becomes an object with its registrations. Empty if the text cannot be parsed. */
export function parseSettingsText(text: string, format: SettingsFileFormat): UncheckedObject {
  if (format === "module") {
    const lines = Object.entries(registrationsInModule(text));
    return { hooks: Object.fromEntries(lines.map(([event, command]) => [event, [{ command }]])) };
  }
  try {
    const read = format === "toml" ? parseToml : (json: string) => parseJson(json, [], { allowTrailingComma: true });
    return objectOr(read(text.replace(/^\ufeff/, "")));
  } catch {
    return {};
  }
}

/** Finds the registrations of hookctl in an agent's settings, including edited ones. */
export function findRegistrations(settings: UncheckedObject, agent: string): readonly FoundRegistration[] {
  return Object.entries(objectOr(settings.hooks)).flatMap(([event, groups]) =>
    arrayOr(groups).flatMap((one, group) =>
      handlersOf(objectOr(one)).flatMap(({ command, url }, handler): readonly FoundRegistration[] => {
        const asked = stringOr(command ?? url);
        return isHookctlCommand(asked, agent)
          ? [{ event, command: asked, group, handler, matcher: stringOr(objectOr(one).matcher) }]
          : [];
      }),
    ),
  );
}

/** The handlers of a group, or a handler without a group. */
export const handlersOf = (entry: UncheckedObject): readonly UncheckedObject[] =>
  Array.isArray(entry.hooks) ? entry.hooks.map(objectOr) : [entry];

/** The settings without registrations; null if nothing is left and hookctl created the file. */
export function removeRegistration(
  text: string,
  target: InstallTarget,
  kept: Backup | null,
): Result<string | null, SettingsSyntaxError> {
  const { agent, format } = target;
  const left = withoutRegistrations(text, { name: agent.name, format });
  if (!left.ok || left.value === text) return left;
  const isOurs = format === "module" ? left.value === "" : kept?.before === null && isBareObject(left.value);
  return ok(isOurs ? null : left.value);
}

/** True for an object with at most a `version`. */
export function isBareObject(text: string): boolean {
  return /^\s*\{\s*(?:"version"\s*:\s*1\s*)?\}\s*$/.test(text);
}
