import type { Match } from "./hook.ts";
import type { JsonObject, JsonSpan } from "./json.ts";
import { membersOf, stringOf } from "./json.ts";

/** Does a payload meet every condition? A field that is not there meets none (SPEC 7.9). */
export function matches(match: Match | null, members: JsonObject): boolean {
  if (match === null) return true;
  return Object.entries(match).every(([path, wanted]) => {
    const found = textAt(members, path.split("."));
    const patterns = typeof wanted === "string" ? [wanted] : wanted;
    return found !== null && patterns.some((pattern) => globMatches(pattern, found));
  });
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

function textAt(members: JsonObject, path: readonly string[]): string | null {
  const [key, ...rest] = path;
  const span = key === undefined ? undefined : members.get(key);
  if (span === undefined) return null;
  if (rest.length > 0) return span.kind === "object" ? textAt(membersOf(span), rest) : null;
  return scalarText(span);
}

function scalarText(span: JsonSpan): string | null {
  if (span.kind === "object" || span.kind === "array") return null;
  return span.kind === "string" ? stringOf(span) : span.raw;
}
