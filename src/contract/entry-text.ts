import { type DeclaredEntry, type PlacedEntry, schemeRow } from "./entry.ts";
import { type JsonSpan, membersOf, readJson } from "./json.ts";
import { type JsonOut, writeJson } from "./json-text.ts";

/** An entry in one form, whatever the order of its keys was: what an approval of it is bound to. */
export function entryText({ scope, file, position, serverFile, ...own }: PlacedEntry): string {
  const keys = Object.entries(own).filter(([, value]) => value !== undefined);
  return writeJson(Object.fromEntries(keys.sort(([a], [b]) => (a < b ? -1 : 1))) as Record<string, JsonOut>);
}

/** The same for somebody who reads it: a key on each line, and of a server each of its own. */
export function entryLines(text: string): string {
  const read = readJson(text, Number.POSITIVE_INFINITY);
  return read.ok && read.value.kind === "object" ? linesOf(read.value, "").join("\n") : text;
}

const linesOf = (span: JsonSpan, prefix: string): readonly string[] =>
  [...membersOf(span)].flatMap(([key, value]) =>
    key === "server" && value.kind === "object" ? linesOf(value, "server.") : [`${prefix}${key}: ${value.raw}`],
  );

/**
 * Where a shell's text sends output: `> out.log`, `2>>out.log`. It is no word of the command, which writes the file and
 * would change what its own approval covers. In doubt (quotes, a variable, no blank before it) it counts as a word.
 */
const OUTPUT = /(?<=^|[\s;|&])(?:\d+|&)?>{1,2}\|?[ \t]*[\w./+~-]+(?=$|[\s;|&<>()])/g;

/** The words of a command that may be files; options, variables and where its output goes are none. */
export function wordsOf(entry: DeclaredEntry): readonly string[] {
  const command = commandOf(entry);
  const words = typeof command === "string" ? command.replace(OUTPUT, " ").split(/[\s;|&<>()]+/) : programOf(entry);
  return words.map((word) => word.replace(/^["']+|["']+$/g, "")).filter((word) => word !== "" && !word.startsWith("-"));
}

/** The program that an entry starts, with its arguments; a rule and a template name none. */
export function programOf(entry: DeclaredEntry): readonly string[] {
  const { server } = entry;
  if (server !== undefined) return [server.command, ...server.args];
  const command = commandOf(entry) ?? [];
  return typeof command === "string" ? ["/bin/sh", "-c", command] : command;
}

/** What an entry starts: a text for a shell or a list of words. Null: it starts nothing that it names itself. */
export function commandOf({ scheme, value }: DeclaredEntry): string | readonly string[] | null {
  return schemeRow(scheme).value === "command" ? (value as string | readonly string[]) : null;
}
