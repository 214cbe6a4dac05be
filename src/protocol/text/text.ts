import { isUtf8 } from "node:buffer";

/** Writes control, C1, bidi and line-separator characters as `\uXXXX`, and changes nothing else. */
export function escapeControls(text: string): string {
  return text.replace(CONTROL_CHARACTERS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Cuts the text at `limit` characters. */
export const truncate = (text: string, limit: number): string =>
  text.length > limit ? `${text.slice(0, limit)}…` : text;

/** Escapes control characters and cuts the text at `limit` characters, for one line on a terminal. */
export function truncateEscaped(text: string, limit: number): string {
  return truncate(escapeControls(text.length > limit * 8 ? text.slice(0, limit * 8) : text), limit);
}

/** True if a path is the folder or below it, as text. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

/** The characters that `escapeControls` escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to take out.
export const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * White space as Python's `str.strip` defines it, for a character class. JavaScript's `\s` lacks some of it and has
 * U+FEFF.
 */
export const PYTHON_SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

/** Matches a text with at least one character that is not white space. */
export const NOT_BLANK = new RegExp(`[^${PYTHON_SPACE}]`);

/** True if a text is empty or all white space, as Python and Reyn define it. */
export const isBlank = (text: string): boolean => !NOT_BLANK.test(text);

/** Trims white space as Python does. */
export function trimPythonSpace(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isBlank(text.charAt(from))) from += 1;
  // A regular expression with `$` would try each run of white space in the text.
  while (to > from && isBlank(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

/** Compares by UTF-8 bytes, which is code point order, so that the result does not depend on the locale. */
export function compareByBytes(a: string, b: string): number {
  // Stepping by code units is safe: the second half of a surrogate pair is compared only if the first halves are equal.
  for (let at = 0; at < a.length && at < b.length; at++) {
    const difference = (a.codePointAt(at) ?? 0) - (b.codePointAt(at) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Decodes UTF-8 without a byte order mark; null if the bytes are not UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string | null => utf8Bytes(bytes)?.toString() ?? null;

/** The bytes without a byte order mark; null if they are not UTF-8. */
export const utf8Bytes = (bytes: Uint8Array): Buffer | null => (isUtf8(bytes) ? withoutMark(bytes) : null);

/** Decodes any bytes; each that is not UTF-8 becomes U+FFFD. */
export function decodeUtf8Lossy(bytes: Uint8Array): { readonly text: string; readonly isUtf8: boolean } {
  return { text: withoutMark(bytes).toString(), isUtf8: isUtf8(bytes) };
}

function withoutMark(bytes: Uint8Array): Buffer {
  // Not TextDecoder: its first use loads as much code as the whole payload parser. What was read is mostly a Buffer.
  const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf ? buffer.subarray(3) : buffer;
}

/** The name of the program in an argument. A program can overwrite its command line with a title, so that more text follows its name. */
export const programName = (arg: string): string =>
  (arg.trim().split(" ", 1)[0]?.split("/").at(-1) ?? "").replace(/^-/, "").replace(/\.(?:exe|js|mjs|cjs)$/, "");

export const MAX_LISTED_NAMES = 5;

/** The first names of a list, and how many more there are. */
export const listNames = (names: readonly string[]): string =>
  names.slice(0, MAX_LISTED_NAMES).join(", ") +
  (names.length > MAX_LISTED_NAMES ? ` and ${names.length - MAX_LISTED_NAMES} more` : "");
