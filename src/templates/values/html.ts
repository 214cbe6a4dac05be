import { LONG_ENTITIES, SHORT_ENTITIES } from "./html-entities.ts";
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

/** A search for each part by itself: a pattern would look for the end again from each beginning. */
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

/** Of a name without a semicolon its longest beginning counts. */
function named(whole: string, name: string): string {
  const isEnded = whole.endsWith(";");
  const found = SHORT_ENTITIES.get(name) ?? (isEnded ? LONG_ENTITIES.get(name) : undefined);
  if (found !== undefined) return found;
  for (let length = name.length - 1; length > 1; length -= 1) {
    const begun = SHORT_ENTITIES.get(name.slice(0, length));
    if (begun !== undefined) return begun + name.slice(length) + (isEnded ? ";" : "");
  }
  return whole;
}

/** What HTML makes of the numbers of control characters: those of Windows-1252. */
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
