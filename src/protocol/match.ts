import { canonicalField, type EventName, fieldsOf, type NamedEvent } from "./event.ts";
import type { Match } from "./hook.ts";
import { itemsOf, type JsonObject, type JsonSpan, membersOf, stringOf } from "./json/read.ts";
import { certainToolNames, toolNamesIn } from "./tools/tool-facts.ts";

/**
 * True if the payload meets every condition. A missing field meets none. A list meets a condition with one of its items, or
 * with all of them joined by spaces, as for a command's arguments. A field may also have the name of the hook's dialect: a
 * guard that names `args` must not be skipped because the payload has `tool_input`.
 */
export function matches(
  match: Match | null,
  members: JsonObject,
  named?: NamedEvent,
  names: ToolNames = "all",
): boolean {
  if (match === null) return true;
  return Object.entries(match).every(([path, accepted]) => {
    const [first = "", ...rest] = path.split(".");
    const own = named === undefined ? first : canonicalField(named, first);
    const patterns = typeof accepted === "string" ? [accepted] : accepted;
    if (own === "tool_name" && rest.length === 0) return namesMatch(patterns, members, names);
    const found = textsAt(members.get(own) ?? members.get(first), rest);
    return patterns.some((pattern) => found.some((text) => globMatches(pattern, text)));
  });
}

/**
 * A pattern matches a tool if it matches one of its names. `!pattern` excludes the tools that it matches, by their certain
 * names: a name that another tool may have does not exempt it. Exclusions alone match every other tool.
 */
function namesMatch(patterns: readonly string[], members: JsonObject, names: ToolNames): boolean {
  const certain = certainToolNames(members);
  const found = names === "certain" ? certain : toolNamesIn(members);
  const matchesOne = (pattern: string, tools: readonly string[]) => tools.some((tool) => globMatches(pattern, tool));
  const [excluded, wanted] = [patterns.filter(isExclusion), patterns.filter((one) => !isExclusion(one))];
  if (excluded.some((pattern) => matchesOne(pattern.slice(1), certain))) return false;
  return (
    found.length > 0 &&
    patterns.length > 0 &&
    (wanted.length === 0 || wanted.some((pattern) => matchesOne(pattern, found)))
  );
}

const isExclusion = (pattern: string): boolean => pattern.startsWith("!");

/**
 * The names by which `tool_name` matches. `all`: every name. `certain`: without names that a tool of an MCP server or a
 * plugin shares with a built-in tool; a hook that allows or changes a call has to match by these.
 */
export type ToolNames = "all" | "certain";

/** Fields that a bridge adds. They have no other names. */
const FIELDS_OF_BRIDGES = ["native", "tool_kind", "tool_names", "tool_files"];

/** The dialects with names of tools of their own. */
const WITH_OWN_TOOLS: readonly string[] = ["claude", "copilot"];

/** The fields that a payload of the event can have, by hookctl's names. */
export const matchableFields = (event: EventName): readonly string[] => [
  ...Object.keys(fieldsOf(event)),
  ...FIELDS_OF_BRIDGES,
];

/** True if the payload may meet every condition, as far as that is known before the dialects are loaded. */
export function mayMatch(match: Match | null, members: JsonObject, named: NamedEvent): boolean {
  const known = matchableFields(named.event);
  const certain = Object.entries(match ?? {}).filter(([path]) => {
    const field = canonicalField(named, path.split(".")[0] ?? "");
    // A dialect can have other names for the arguments.
    return known.includes(field) && (field !== "tool_input" || !WITH_OWN_TOOLS.includes(named.dialect));
  });
  return matches(Object.fromEntries(certain), members, named);
}

/** Matches `*` against any text and `?` against one character, without exponential backtracking. */
export function globMatches(pattern: string, text: string): boolean {
  let [p, t, star, resume] = [0, 0, -1, 0];
  while (t < text.length) {
    if (pattern[p] === "*") {
      star = p++;
      resume = t;
    } else if (pattern[p] === "?") {
      p++;
      t += (text.codePointAt(t) ?? 0) > 0xffff ? 2 : 1;
    } else if (p < pattern.length && pattern[p] === text[t]) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else return false;
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}

/** The texts at a path. For a list in the path, of each of its items. */
function textsAt(span: JsonSpan | undefined, path: readonly string[]): readonly string[] {
  if (span === undefined) return [];
  const [key, ...rest] = path;
  if (span.kind === "array") return textsOfItems(itemsOf(span), path);
  if (key === undefined) return scalarText(span);
  return span.kind === "object" ? textsAt(membersOf(span).get(key), rest) : [];
}

function textsOfItems(items: readonly JsonSpan[], path: readonly string[]): readonly string[] {
  if (path.length > 0) {
    // Nested lists are not searched, because each level would scan the whole text again.
    return items.filter(({ kind }) => kind === "object").flatMap((item) => textsAt(item, path));
  }
  const texts = items.flatMap(scalarText);
  return texts.length === 0 ? [] : [...texts, texts.join(" ")];
}

function scalarText(span: JsonSpan): readonly string[] {
  if (span.kind === "object" || span.kind === "array") return [];
  return [span.kind === "string" ? stringOf(span) : span.raw];
}
