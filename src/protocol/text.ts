import { isUtf8 } from "node:buffer";

/** Control, C1, bidi and line-separator characters written as `\uXXXX` (SPEC 2): nothing else is changed. */
export function escapeControls(text: string): string {
  return text.replace(CONTROL_CHARACTERS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** No longer than `limit` characters. */
export const truncate = (text: string, limit: number): string =>
  text.length > limit ? `${text.slice(0, limit)}…` : text;

/** For one line on a screen: safe, and no longer than `limit` characters. */
export function truncateEscaped(text: string, limit: number): string {
  return truncate(escapeControls(text.length > limit * 8 ? text.slice(0, limit * 8) : text), limit);
}

/** The characters themselves, for a program that has to do the same without us. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to take out.
export const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** White space as Python's `str.strip` has it, for a set in a pattern. JavaScript's own lacks some of it and has U+FEFF. */
export const PYTHON_SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

/** At least one character that is no white space, as a pattern. */
export const NOT_BLANK = new RegExp(`[^${PYTHON_SPACE}]`);

/** True if a message, a command, a name or a reason says nothing, as Reyn and Python would have it. */
export const isBlank = (text: string): boolean => !NOT_BLANK.test(text);

/** The text without the white space at its ends. */
export function trimPythonSpace(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isBlank(text.charAt(from))) from += 1;
  // A pattern with `$` would look at each run of white space in the text.
  while (to > from && isBlank(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

/** Byte order of UTF-8, which for code points is numeric order; a locale would sort `a` before `B`. */
export function compareByBytes(a: string, b: string): number {
  // At each code unit, not each character: the second half of a pair is reached only where the first is the same.
  for (let at = 0; at < a.length && at < b.length; at++) {
    const difference = (a.codePointAt(at) ?? 0) - (b.codePointAt(at) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** UTF-8 bytes as text, one byte order mark taken away; null when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  return isUtf8(bytes) ? decodeBytes(bytes) : null;
}

/** The same for any bytes: each that is not UTF-8 becomes U+FFFD. */
export function decodeUtf8Lossy(bytes: Uint8Array): { readonly text: string; readonly isUtf8: boolean } {
  return { text: decodeBytes(bytes), isUtf8: isUtf8(bytes) };
}

function decodeBytes(bytes: Uint8Array): string {
  // Not TextDecoder: its first use loads as much code as all of this program's payload reading.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

export const MAX_LISTED_NAMES = 5;

/** The first names of a list, and how many more there are. */
export const listNames = (names: readonly string[]): string =>
  names.slice(0, MAX_LISTED_NAMES).join(", ") +
  (names.length > MAX_LISTED_NAMES ? ` and ${names.length - MAX_LISTED_NAMES} more` : "");
