import { namesIn } from "../../src/protocol/json/table.ts";
import table from "./places.json" with { type: "json" };

const KEYS = namesIn(table.gitKeys).map((key) => new RegExp(`^${key.replaceAll(".", "\\.").replaceAll("*", ".*")}$`));

/** Values that start nothing, and husky's own: its files are part of the project. */
const HARMLESS = [
  /^core\.hookspath=\.husky(?:\/_)?\/?$/,
  /^core\.(?:quotepath|fsmonitor)=(?:true|false|on|off|yes|no|0|1)?$/,
  /^advice\./,
  /^submodule\..*\.update=(?:checkout|merge|none|rebase)$/,
];

const SPACE = /[\s\uFEFF]+|[#;][^\n]*/y;
const HEADER = /\[([\w.-]+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?\]/y;
const SETTING = /([A-Za-z][\w-]*)[ \t]*(?:=((?:"(?:[^"\\\n]|\\[\s\S])*"|\\[\s\S]|[^\n"\\#;])*))?[^\n]*/y;

/**
 * The settings in a text of git's configuration by which git starts programs or reads other files, as `section.key=value`: a
 * person's git outside the cage would follow them. It reads the text as git does: a header may stand before a setting on its
 * line, a value may go on in the next line, and a comment may not.
 */
export function startingSettings(text: string): readonly string[] {
  const found: string[] = [];
  let section = "";
  let at = 0;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  while (at < text.length) {
    if (next(SPACE) !== null) continue;
    const header = next(HEADER);
    if (header !== null) {
      section = header
        .slice(1)
        .flatMap((part) => part ?? [])
        .join(".");
      continue;
    }
    const setting = next(SETTING);
    if (setting === null) at++;
    else found.push(`${`${section}.${setting[1]}`.toLowerCase()}=${(setting[2] ?? "").replace(/\\\r?\n/g, "").trim()}`);
  }
  return found.filter((setting) => isStarting(setting) && !HARMLESS.some((one) => one.test(setting)));
}

const isStarting = (setting: string): boolean => KEYS.some((key) => key.test(setting.slice(0, setting.indexOf("="))));

/** The starting settings that a text has and an earlier one had not. */
export function addedStarts(before: string, now: string): readonly string[] {
  const known = startingSettings(before);
  return startingSettings(now).filter((setting) => !known.includes(setting));
}
