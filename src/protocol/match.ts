import { canonicalField, fieldsOf, type NamedEvent } from "./event.ts";
import type { Match } from "./hook.ts";
import type { JsonObject, JsonSpan } from "./json/read.ts";
import { itemsOf, membersOf, stringOf } from "./json/read.ts";

/**
 * Does a payload meet every condition? A field that is not there meets none (SPEC 7.9). A list meets a condition by one
 * of its items, or by all of them in one line, as a list of command words does. A field may have the name that the
 * hook's dialect gives it: a guard that names `args` must not be skipped because the payload has `tool_input`.
 */
export function matches(match: Match | null, members: JsonObject, named?: NamedEvent): boolean {
  if (match === null) return true;
  return Object.entries(match).every(([path, wanted]) => {
    const [first = "", ...rest] = path.split(".");
    const own = named === undefined ? first : canonicalField(named, first);
    const found = textsAt(members.get(own) ?? members.get(first), rest);
    const patterns = typeof wanted === "string" ? [wanted] : wanted;
    return patterns.some((pattern) => found.some((text) => globMatches(pattern, text)));
  });
}

/** Fields beside those of an event whose only name this is: a bridge adds them. */
const FIELDS_OF_BRIDGES = ["native", "tool_kind", "tool_files"];

/** Before the dialects are loaded: may it meet every condition? A field that has another name is not compared yet. */
export function mayMatch(match: Match | null, members: JsonObject, named: NamedEvent): boolean {
  const known = [...Object.keys(fieldsOf(named.event)), ...FIELDS_OF_BRIDGES];
  const certain = Object.entries(match ?? {}).filter(([path]) =>
    known.includes(canonicalField(named, path.split(".")[0] ?? "")),
  );
  return matches(Object.fromEntries(certain), members, named);
}

/** `*` stands for any text, `?` for one character. Linear in memory, never exponential in time. */
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

/** The texts at a path; a list on the way stands for each of its items. */
function textsAt(span: JsonSpan | undefined, path: readonly string[]): readonly string[] {
  if (span === undefined) return [];
  const [key, ...rest] = path;
  if (span.kind === "array") return textsOfItems(itemsOf(span), path);
  if (key === undefined) return scalarText(span);
  return span.kind === "object" ? textsAt(membersOf(span).get(key), rest) : [];
}

function textsOfItems(items: readonly JsonSpan[], path: readonly string[]): readonly string[] {
  if (path.length > 0) {
    // A list in a list is not looked into: each level would read the whole text again.
    return items.filter(({ kind }) => kind === "object").flatMap((item) => textsAt(item, path));
  }
  const texts = items.flatMap(scalarText);
  return texts.length === 0 ? [] : [...texts, texts.join(" ")];
}

function scalarText(span: JsonSpan): readonly string[] {
  if (span.kind === "object" || span.kind === "array") return [];
  return [span.kind === "string" ? stringOf(span) : span.raw];
}
