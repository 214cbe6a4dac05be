import { PYTHON_SPACE } from "../../../src/protocol/text/text.ts";
import { raise } from "../faults.ts";

/** Longer texts and lists are refused before they are created. */
const LONGEST = 10_000_000;
/** Python refuses to read or write an int with more digits. */
export const MOST_DIGITS = 4300;

/** True if each character is one JavaScript unit, so that positions need no conversion. */
const isPlain = (text: string): boolean => !/[\ud800-\udfff]/.test(text);

/** The code points of a text, which are Python's characters. */
export const charactersOf = (text: string): readonly string[] => (isPlain(text) ? text.split("") : Array.from(text));

export function lengthOf(text: string): number {
  return isPlain(text) ? text.length : Array.from(text).length;
}

/** The position in characters of a position in JavaScript units. */
export const characterAt = (text: string, unit: number): number => lengthOf(text.slice(0, unit));

export function checkLength(length: number | bigint): void {
  if (length > LONGEST) raise("LimitError", `a text or a list would have more than ${LONGEST} items`);
}

export function repeat(text: string, count: number | bigint): string {
  if (count <= 0 || text === "") return "";
  checkLength(BigInt(text.length) * BigInt(count));
  return text.repeat(Number(count));
}

export { PYTHON_SPACE };
/** The words between white space. */
export const WORDS = new RegExp(`[^${PYTHON_SPACE}]+`, "g");
const ONLY_SPACE = new RegExp(`^[${PYTHON_SPACE}]+$`);
const SPACE_CHARACTER = new RegExp(`^[${PYTHON_SPACE}]$`);
export const isSpace = (text: string): boolean => ONLY_SPACE.test(text);

/** Removes the characters in `wanted` from both ends; null removes white space. */
export function strip(text: string, wanted: string | null, ends: "both" | "left" | "right" = "both"): string {
  const characters = charactersOf(text);
  const set = wanted === null ? null : new Set(charactersOf(wanted));
  const isDropped = (one: string | undefined): boolean =>
    one !== undefined && (set === null ? SPACE_CHARACTER.test(one) : set.has(one));
  let start = 0;
  let end = characters.length;
  while (ends !== "right" && start < end && isDropped(characters[start])) start += 1;
  while (ends !== "left" && end > start && isDropped(characters[end - 1])) end -= 1;
  return characters.slice(start, end).join("");
}

export const wordsOf = (text: string): readonly string[] => text.match(WORDS) ?? [];

/** The escape of a character in a Python literal: `\\x`, `\\u` or `\\U` with as few digits as it needs. */
export function escapeCode(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

const BREAKS = "\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029";
const LINE_BREAK = new RegExp(`\\r\\n|[${BREAKS}]`, "g");

/** Python's `str.splitlines`. */
export function linesOf(text: string, keepsEnds = false): readonly string[] {
  const lines: string[] = [];
  let start = 0;
  for (const { index, 0: end } of text.matchAll(LINE_BREAK)) {
    lines.push(text.slice(start, keepsEnds ? index + end.length : index));
    start = index + end.length;
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}

export function capitalize(text: string): string {
  const [first = "", ...rest] = charactersOf(text);
  return titleCase(first) + rest.join("").toLowerCase();
}

/** In groups of three: upper case, title case, lower case. */
const DIGRAPHS = "ǄǅǆǇǈǉǊǋǌǱǲǳ";
const LIGATURES = "ßﬀﬁﬂﬃﬄﬅﬆ";

function titleCase(character: string): string {
  const at = character === "" ? -1 : DIGRAPHS.indexOf(character);
  if (at !== -1) return DIGRAPHS.charAt(at - (at % 3) + 1);
  const upper = character.toUpperCase();
  return LIGATURES.includes(character) ? upper.slice(0, 1) + upper.slice(1).toLowerCase() : upper;
}

const CASED = /\p{Lowercase}|\p{Uppercase}|\p{Lt}/u;

/** Python's `str.title`: a letter after an uncased character becomes upper case. */
export function titled(text: string): string {
  let isInWord = false;
  return charactersOf(text)
    .map((one) => {
      const changed = isInWord ? one.toLowerCase() : titleCase(one);
      isInWord = CASED.test(one);
      return changed;
    })
    .join("");
}

const isUpper = (one: string): boolean => /\p{Uppercase}|\p{Lt}/u.test(one);
const isLower = (one: string): boolean => /\p{Lowercase}/u.test(one);

/** True if the text has cased letters and all of them are in this case. */
export const hasCase = (text: string, wanted: "lower" | "upper"): boolean =>
  wanted === "lower"
    ? /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text)
    : /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text);

export function isTitle(text: string): boolean {
  let hasWord = false;
  let isInWord = false;
  for (const one of charactersOf(text)) {
    if (isUpper(one) ? isInWord : isLower(one) && !isInWord) return false;
    isInWord = CASED.test(one);
    hasWord ||= isInWord;
  }
  return hasWord;
}

/** By code point, as Python compares texts. */
export function compareTexts(left: string, right: string): number {
  if (isPlain(left) && isPlain(right)) return left < right ? -1 : left > right ? 1 : 0;
  const [one, other] = [Array.from(left), Array.from(right)];
  for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
    const difference = (one[at]?.codePointAt(0) ?? 0) - (other[at]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}
