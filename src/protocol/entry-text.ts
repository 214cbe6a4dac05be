import { type EntrySaying, serverOf, type TiedEntry } from "./entry.ts";
import { type JsonSpan, membersOf, readJson } from "./json.ts";
import { type JsonOut, writeJson } from "./json-text.ts";

/** Where it stands is no part of what it says. */
const PLACE = ["scope", "folder", "file", "position", "serverFile", "isAsked"];

/** An entry in one form, whatever the order of its keys was: what an approval of it is bound to. */
export function entryText(entry: TiedEntry): string {
  const keys = Object.entries(entry).filter(([key, value]) => value !== undefined && !PLACE.includes(key));
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

/** The program that an entry starts, with its arguments; a rule and a template name none. */
export function programOf(entry: TiedEntry): readonly string[] {
  const server = serverOf(entry);
  if (server !== null) return [server.command, ...server.args];
  const command = commandOf(entry) ?? [];
  return typeof command === "string" ? ["/bin/sh", "-c", command] : command;
}

/** What an entry starts: a text for a shell or a list of words. Null: it starts nothing that it names itself. */
export function commandOf({ scheme, value }: EntrySaying): string | readonly string[] | null {
  switch (scheme) {
    case "command":
    case "shell_exec":
    case "shell_push":
      return value;
    case "block":
    case "ask":
    case "inject":
    case "tool":
    case "template_push":
      return null;
  }
}
