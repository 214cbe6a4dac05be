import { arrayOr, objectOr, stringOr, type UncheckedObject } from "../../../src/protocol/json/read.ts";
import { formerAddressAgent } from "../../agents/agent.ts";
import type { FoundRegistration } from "../../agents/agent-install.ts";
import { type ProtectedFormat, settingsIn } from "../../agents/protection.ts";

export const formatOfPath = (path: string): "json" | "toml" => (path.endsWith(".toml") ? "toml" : "json");

export const parseSettingsText = (text: string, format: ProtectedFormat): UncheckedObject =>
  settingsIn(text, format).settings;

/** A registered command, also if somebody has edited it. */
const REGISTERED = /\bhookctl(?:\.js)?"? bridge (?=[a-z]+ --event )([a-z]+)/;

export const isHookctlCommand = (command: string, agent: string): boolean =>
  REGISTERED.exec(command)?.[1] === agent || formerAddressAgent(command) === agent;

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
  readonly format: ProtectedFormat;
}): readonly FoundRegistration[] => findRegistrations(parseSettingsText(file.text ?? "", file.format), file.agent.name);
