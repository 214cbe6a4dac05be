import { namesIn } from "../../src/protocol/json/table.ts";
import table from "./places.json" with { type: "json" };

const KEYS = namesIn(table.gitKeys).map((key) => new RegExp(`^${key.replaceAll(".", "\\.").replaceAll("*", ".*")}$`));

/** Husky's own value: its files are part of the project. */
const OF_PROJECT = /^core\.hookspath=\.husky(?:\/_)?\/?$/;

/**
 * The settings in a text of git's configuration by which git starts programs or reads other files, as `section.key=value`: a
 * person's git outside the cage would follow them. An alias counts if it starts a shell.
 */
export function startingSettings(text: string): readonly string[] {
  let section = "";
  const found: string[] = [];
  for (const line of text.replace(/\\\r?\n/g, "").split("\n")) {
    const header = /^\s*\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (header !== null) section = [header[1], header[2]].filter((part) => part !== undefined).join(".");
    const [, key, value = ""] = /^\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(line.slice(header?.[0].length ?? 0)) ?? [];
    if (key !== undefined) found.push(`${section}.${key}`.toLowerCase().concat("=", value.trim()));
  }
  return found.filter((setting) => isStarting(setting) && !OF_PROJECT.test(setting));
}

function isStarting(setting: string): boolean {
  const name = setting.slice(0, setting.indexOf("="));
  if (name.startsWith("alias.")) return /=\s*"?!/.test(setting);
  return KEYS.some((key) => key.test(name));
}

/** The starting settings that a text has and an earlier one had not. */
export function addedStarts(before: string, now: string): readonly string[] {
  const known = startingSettings(before);
  return startingSettings(now).filter((setting) => !known.includes(setting));
}
