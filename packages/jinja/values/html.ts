import entities from "./entities.json" with { type: "json" };
import { wordsOf } from "./text.ts";

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  [">", "&gt;"],
  ["<", "&lt;"],
  ["'", "&#39;"],
  ['"', "&#34;"],
]);
export const escapeHtml = (text: string): string => text.replace(/[&><'"]/g, (one) => ESCAPES.get(one) ?? one);

/** The text of HTML: without comments and tags, white space as one space each, entities as their characters. */
export function stripTags(html: string): string {
  const text = withoutParts(withoutParts(html, "<!--", "-->"), "<", ">");
  return unescapeHtml(wordsOf(text).join(" "));
}

/** Searches each part separately: one pattern would search for the end from each beginning, in quadratic time. */
function withoutParts(text: string, begin: string, end: string): string {
  let kept = "";
  let position = 0;
  for (;;) {
    const start = text.indexOf(begin, position);
    const stop = start === -1 ? -1 : text.indexOf(end, start + begin.length);
    if (stop === -1) return kept + text.slice(position);
    kept += text.slice(position, start);
    position = stop + end.length;
  }
}

const ENTITY = /&(?:#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?|([^\t\n\f <&#;]{1,32});?)/g;

export const unescapeHtml = (html: string): string =>
  html.replace(ENTITY, (whole: string, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return named(whole, name);
    return numbered(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });

/** Decodes the longest known name at the beginning of an entity without a semicolon. */
function named(whole: string, name: string): string {
  const isEnded = whole.endsWith(";");
  const found = WITHOUT_SEMICOLON.get(name) ?? (isEnded ? WITH_SEMICOLON.get(name) : undefined);
  if (found !== undefined) return found;
  for (let length = name.length - 1; length > 1; length -= 1) {
    const begun = WITHOUT_SEMICOLON.get(name.slice(0, length));
    if (begun !== undefined) return begun + name.slice(length) + (isEnded ? ";" : "");
  }
  return whole;
}

/** HTML reads the numbers of control characters as Windows-1252. */
const WINDOWS = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

function numbered(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return WINDOWS[code - 0x80] ?? "";
  if (code === 0 || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) return "\ufffd";
  return code === 13 ? "\r" : isNoCharacter(code) ? "" : String.fromCodePoint(code);
}

function isNoCharacter(code: number): boolean {
  const isControl = (code < 0x20 && ![9, 10, 12].includes(code)) || code === 0x7f;
  return isControl || (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) === 0xfffe;
}

/** By name: some entities are valid without a semicolon. Maps, because a name may be one that every object has. */
const WITHOUT_SEMICOLON: ReadonlyMap<string, string> = new Map(Object.entries(entities.withoutSemicolon));
const WITH_SEMICOLON: ReadonlyMap<string, string> = new Map(Object.entries(entities.withSemicolon));
