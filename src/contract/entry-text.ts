import type { DeclaredEntry, PlacedEntry } from "./entry.ts";
import { type JsonOut, writeJson } from "./json-text.ts";

/** An entry in one form, whatever the order of its keys was: what an approval of it is bound to. */
export function entryText({ scope, file, position, ...own }: PlacedEntry): string {
  const keys = Object.entries(own).filter(([, value]) => value !== undefined);
  return writeJson(Object.fromEntries(keys.sort(([a], [b]) => (a < b ? -1 : 1))) as Record<string, JsonOut>);
}

/** The words of a command that may be files; options and variables are none. */
export function wordsOf({ scheme, value }: DeclaredEntry): readonly string[] {
  if (scheme === "block" || scheme === "ask" || scheme === "inject") return [];
  const words = typeof value === "string" ? value.split(/[\s;|&<>()]+/) : value;
  return words.map((word) => word.replace(/^["']+|["']+$/g, "")).filter((word) => word !== "" && !word.startsWith("-"));
}
