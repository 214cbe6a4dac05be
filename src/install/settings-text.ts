import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import type { AgentName } from "../agents/agent.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { addJsonRegistrations, removeJsonRegistrations, type SettingsSyntaxError } from "./edit-json.ts";
import { addTomlRegistrations, removeTomlRegistrations } from "./edit-toml.ts";
import { isHookctlModule, registrationsInModule } from "./module-text.ts";
import { INSTALL_FORMATS, type Registration } from "./registration.ts";
import { objectOr, type UncheckedObject } from "./unchecked.ts";

/** What an agent's file is written in: settings of several people, or a module that is ours alone. */
export type SettingsFileFormat = "json" | "toml" | "module";

interface SettingsText {
  readonly name: AgentName;
  readonly format: SettingsFileFormat;
}

/** The text with these lines in it, and nothing else touched. */
export function addRegistrations(
  text: string,
  { name, format }: SettingsText,
  lines: readonly Registration[],
): Result<string, SettingsSyntaxError> {
  const registration = INSTALL_FORMATS[name];
  if (format === "toml") return addTomlRegistrations(text, lines);
  if (registration.shape === "settings") return addJsonRegistrations(text, registration, lines, name);
  const isFree = text.trim() === "" || isHookctlModule(text);
  return isFree ? ok(registration.module(lines)) : fail({ line: 1, detail: "it is a file of somebody else" });
}

/** The text without our lines; empty when nothing else is left of it. */
export function withoutRegistrations(
  text: string,
  { name, format }: SettingsText,
): Result<string, SettingsSyntaxError> {
  if (format === "toml") return ok(removeTomlRegistrations(text));
  if (format === "module") return ok(isHookctlModule(text) ? "" : text);
  return removeJsonRegistrations(text, name);
}

/** A file as plain data, a module as settings with its lines; without members when it cannot be read. */
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
