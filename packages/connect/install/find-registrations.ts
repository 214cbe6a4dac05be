import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { arrayOr, objectOr, stringOr, type UncheckedObject } from "../../../src/protocol/json/read.ts";
import type { FoundRegistration } from "../../agents/agent-install.ts";
import { registrationsInModule } from "../../agents/hookctl-module.ts";
import { isHookctlAddress } from "./http-registrations.ts";

/** `json` and `toml` files are shared with others; a `module` belongs to hookctl. */
export type SettingsFileFormat = "json" | "toml" | "module";

export const formatOfPath = (path: string): "json" | "toml" => (path.endsWith(".toml") ? "toml" : "json");

/** Parses settings; a module becomes an object with its registrations. Empty if the text cannot be parsed. */
export function parseSettingsText(text: string, format: SettingsFileFormat): UncheckedObject {
  if (format === "module") {
    const lines = Object.entries(registrationsInModule(text));
    return { hooks: Object.fromEntries(lines.map(([event, command]) => [event, [{ command }]])) };
  }
  if (format === "json") return objectOf(text);
  try {
    return objectOr(parseToml(withoutMark(text)));
  } catch {
    return {};
  }
}

/** The object in a text of JSON, also with comments; empty if it has another value. */
export const objectOf = (text: string): UncheckedObject =>
  objectOr(parseJson(withoutMark(text), [], { allowTrailingComma: true }));

/** The text without its byte order mark. */
const withoutMark = (text: string): string => text.replace(/^\ufeff/, "");

/** A registered command, also if somebody has edited it. */
const REGISTERED = /\bhookctl(?:\.js)?"? bridge (?=[a-z]+ --event )([a-z]+)/;

export const isHookctlCommand = (command: string, agent: string): boolean =>
  REGISTERED.exec(command)?.[1] === agent || isHookctlAddress(command, agent);

/** Finds the registrations of hookctl in an agent's settings, including edited ones. */
export function findRegistrations(settings: UncheckedObject, agent: string): readonly FoundRegistration[] {
  return Object.entries(objectOr(settings.hooks)).flatMap(([event, groups]) =>
    arrayOr(groups).flatMap((entry, group) =>
      handlersOf(objectOr(entry)).flatMap(({ command: started, url }, handler): readonly FoundRegistration[] => {
        const command = stringOr(started ?? url);
        const matcher = stringOr(objectOr(entry).matcher);
        return isHookctlCommand(command, agent) ? [{ event, command, group, handler, matcher }] : [];
      }),
    ),
  );
}

/** The handlers of a group, or a handler without a group. */
export const handlersOf = (entry: UncheckedObject): readonly UncheckedObject[] =>
  Array.isArray(entry.hooks) ? entry.hooks.map(objectOr) : [entry];

/** The registrations in a settings file that was read. */
export const registrationsIn = (file: {
  readonly agent: { readonly name: string };
  readonly text: string | null;
  readonly format: SettingsFileFormat;
}): readonly FoundRegistration[] => findRegistrations(parseSettingsText(file.text ?? "", file.format), file.agent.name);
