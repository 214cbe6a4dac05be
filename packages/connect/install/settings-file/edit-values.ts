import { parse } from "smol-toml";
import { objectOr } from "../../../../src/protocol/json/read.ts";

/** A text in a settings file; undefined takes it away. */
export interface TextSetting {
  readonly path: readonly string[];
  readonly value: string | undefined;
}

/** Sets variables in a file of lines such as `NAME=value`. */
export const setVariables = (text: string, settings: readonly TextSetting[]): string =>
  settings.reduce((all, { path: [name = ""], value }) => {
    const line = `${name}=${JSON.stringify(value)}`;
    const lines = all.split("\n");
    if (value !== undefined && lines.includes(line)) return all;
    const others = lines.filter((one) => !new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`).test(one)).join("\n");
    return value === undefined ? others : `${endedLines(others)}${line}\n`;
  }, text);

/** Sets texts in TOML; null if the file has a form in which they cannot be set, such as a table in one line. */
export function setTomlTexts(text: string, settings: readonly TextSetting[]): string | null {
  const after = settings.reduce(setTomlText, text);
  try {
    const root: unknown = parse(after);
    const isSet = ({ path, value }: TextSetting): boolean =>
      path.reduce<unknown>((found, key) => objectOr(found)[key], root) === value;
    return settings.every(isSet) ? after : null;
  } catch {
    return null;
  }
}

function setTomlText(text: string, { path, value }: TextSetting): string {
  const [table, key] = [path.slice(0, -1).join("."), path.at(-1) ?? ""];
  const line = `${key} = ${JSON.stringify(value)}`;
  const lines = text.split("\n");
  const start = lines.findIndex((one) => headerIn(one) === table);
  if (start < 0) return value === undefined ? text : `${endedLines(text)}\n[${table}]\n${line}\n`;
  const next = lines.findIndex((one, index) => index > start && headerIn(one) !== null);
  const end = next < 0 ? lines.length : next;
  const others = lines.slice(start + 1, end).filter((one) => !new RegExp(`^\\s*${key}\\s*=`).test(one));
  const isEmpty = value === undefined && others.every((one) => one.trim() === "");
  const inside = value === undefined ? others : [line, ...others];
  // With a table that goes, the blank line in front of it goes.
  const from = isEmpty && lines[start - 1] === "" ? start - 1 : start;
  return [...lines.slice(0, from), ...(isEmpty ? others : [lines[start], ...inside]), ...lines.slice(end)].join("\n");
}

const headerIn = (line: string): string | null => /^\s*\[+\s*([^\]]+?)\s*\]+\s*(?:#.*)?$/.exec(line)?.[1] ?? null;

const endedLines = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
