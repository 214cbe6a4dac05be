import { type DeclaredEntry, type PlacedEntry, schemeRow } from "./entry.ts";
import { type JsonOut, writeJson } from "./json-text.ts";

/** An entry in one form, whatever the order of its keys was: what an approval of it is bound to. */
export function entryText({ scope, file, position, ...own }: PlacedEntry): string {
  const keys = Object.entries(own).filter(([, value]) => value !== undefined);
  return writeJson(Object.fromEntries(keys.sort(([a], [b]) => (a < b ? -1 : 1))) as Record<string, JsonOut>);
}

/** The words of a command that may be files; options and variables are none. */
export function wordsOf(entry: DeclaredEntry): readonly string[] {
  const command = commandOf(entry);
  if (command === null) return [];
  const words = typeof command === "string" ? command.split(/[\s;|&<>()]+/) : command;
  return words.map((word) => word.replace(/^["']+|["']+$/g, "")).filter((word) => word !== "" && !word.startsWith("-"));
}

/** What an entry starts: a text for a shell or a list of words. Null: it starts nothing that it names itself. */
export function commandOf({ scheme, value }: DeclaredEntry): string | readonly string[] | null {
  return schemeRow(scheme).value === "command" ? (value as string | readonly string[]) : null;
}
