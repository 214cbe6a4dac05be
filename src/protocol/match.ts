import { canonicalField, type DialectName, type EventName, fieldsOf, type NamedEvent } from "./event.ts";
import type { Match } from "./hook.ts";
import { itemsOf, type JsonObject, type JsonSpan, membersOf, stringOf } from "./json/read.ts";
import { certainToolNames, toolNamesIn } from "./tools/tool-facts.ts";

/** A condition of a `match` that a payload does not meet. */
export interface Mismatch {
  readonly field: string;
  /** The patterns, of which one has to match. */
  readonly wanted: readonly string[];
  /** The texts of the field; empty: the payload does not have it. */
  readonly found: readonly string[];
}

/** Why a hook with a mismatch was skipped. */
export const MATCH_DOES_NOT_FIT = "its match does not fit this payload";

/** True if the payload meets every condition. */
export const matches = (...call: Parameters<typeof firstMismatch>): boolean => firstMismatch(...call) === null;

/**
 * The first condition that the payload does not meet; null if it meets all of them. A missing field meets none. A list meets a
 * condition with one of its items, or with all of them joined by spaces, as for a command's arguments.
 */
export function firstMismatch(
  match: Match | null,
  members: JsonObject,
  named?: NamedEvent,
  names: ToolNames = "all",
): Mismatch | null {
  for (const [field, accepted] of Object.entries(match ?? {})) {
    const wanted = typeof accepted === "string" ? [accepted] : accepted;
    const [first = "", ...rest] = field.split(".");
    const known = named === undefined ? first : canonicalField(named, first);
    const isTool = known === "tool_name" && rest.length === 0;
    // A field may also have the name of the hook's dialect: a guard that names `args` must not be skipped because the
    // payload has `tool_input`.
    const found = isTool ? toolNames(members, names) : textsAt(members.get(known) ?? members.get(first), rest);
    if (isTool ? !namesMatch(wanted, found, members) : !matchesAny(wanted, found)) return { field, wanted, found };
  }
  return null;
}

const matchesAny = (patterns: readonly string[], texts: readonly string[]): boolean =>
  patterns.some((pattern) => texts.some((text) => globMatches(pattern, text)));

const toolNames = (members: JsonObject, names: ToolNames): readonly string[] =>
  names === "certain" ? certainToolNames(members) : toolNamesIn(members);

/**
 * A pattern matches a tool if it matches one of its names. `!pattern` excludes the tools that it matches, by their certain
 * names: a name that another tool may have does not exempt it. Exclusions alone match every other tool.
 */
function namesMatch(patterns: readonly string[], found: readonly string[], members: JsonObject): boolean {
  const [excluded, wanted] = [patterns.filter(isExclusion), patterns.filter((one) => !isExclusion(one))];
  const without = excluded.map((pattern) => pattern.slice(1));
  if (found.length === 0 || patterns.length === 0 || matchesAny(without, certainToolNames(members))) return false;
  return wanted.length === 0 || matchesAny(wanted, found);
}

const isExclusion = (pattern: string): boolean => pattern.startsWith("!");

/**
 * The names by which `tool_name` matches. `all`: every name. `certain`: without names that a tool of an MCP server or a
 * plugin shares with a built-in tool; a hook that allows or changes a call has to match by these.
 */
export type ToolNames = "all" | "certain";

/** Fields that a bridge adds and that mean the same in every dialect. */
const FIELDS_OF_BRIDGES = ["native", "tool_files"];

/** The dialects with their own names of tools. */
const WITH_OWN_TOOLS: readonly string[] = ["claude", "copilot"];

/** True for a field whose value for this dialect is known only after the dialects are loaded. */
const isUncertain = (field: string, dialect: DialectName): boolean =>
  field === "requested_input" ||
  (field === "tool_input" && WITH_OWN_TOOLS.includes(dialect)) ||
  (field === "agent" && dialect === "basecoat");

/** The fields that a payload of the event can have, by hookctl's names. */
export const matchableFields = (event: EventName): readonly string[] => [
  ...Object.keys(fieldsOf(event)),
  ...FIELDS_OF_BRIDGES,
  "agent",
];

/** The first condition that the payload does not meet, as far as that is known before the dialects are loaded. */
export function certainMismatch(match: Match | null, members: JsonObject, named: NamedEvent): Mismatch | null {
  const known = [...Object.keys(fieldsOf(named.event)), ...FIELDS_OF_BRIDGES];
  const certain = Object.entries(match ?? {}).filter(([path]) => {
    const field = canonicalField(named, path.split(".")[0] ?? "");
    return known.includes(field) && !isUncertain(field, named.dialect);
  });
  return firstMismatch(Object.fromEntries(certain), members, named);
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
