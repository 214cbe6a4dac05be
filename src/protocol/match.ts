import { canonicalField, type EventName, fieldsOf, type NamedEvent } from "./event.ts";
import type { Match } from "./hook.ts";
import { itemsOf, type JsonObject, type JsonSpan, membersOf, stringOf } from "./json/read.ts";

/**
 * True if the payload meets every condition. A missing field meets none. A list meets a condition with one of its items, or
 * with all of them joined by spaces, as for a command's arguments. A field may also have the name of the hook's dialect: a
 * guard that names `args` must not be skipped because the payload has `tool_input`.
 */
export function matches(match: Match | null, members: JsonObject, named?: NamedEvent): boolean {
  if (match === null) return true;
  return Object.entries(match).every(([path, accepted]) => {
    const [first = "", ...rest] = path.split(".");
    const own = named === undefined ? first : canonicalField(named, first);
    const found = textsAt(members.get(own) ?? members.get(first), rest);
    const patterns = typeof accepted === "string" ? [accepted] : accepted;
    return patterns.some((pattern) => found.some((text) => globMatches(pattern, text)));
  });
}

/** Fields that a bridge adds. They have no other names. */
const FIELDS_OF_BRIDGES = ["native", "tool_kind", "tool_files"];

/** The fields that a payload of the event can have, by hookctl's names. */
export const matchableFields = (event: EventName): readonly string[] => [
  ...Object.keys(fieldsOf(event)),
  ...FIELDS_OF_BRIDGES,
];

/** True if the payload may meet every condition, as far as that is known before the dialects are loaded. */
export function mayMatch(match: Match | null, members: JsonObject, named: NamedEvent): boolean {
  const known = matchableFields(named.event);
  const certain = Object.entries(match ?? {}).filter(([path]) =>
    known.includes(canonicalField(named, path.split(".")[0] ?? "")),
  );
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
