import type { Random } from "./random.ts";

/** Characters without a special meaning anywhere in a word. */
export const isPlain = (value: string): boolean => /^[\w./:@%+-]+$/.test(value);

export const singleQuoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;
export const doubleQuoted = (value: string): string => `"${value.replace(/[\\"$`]/g, "\\$&")}"`;
export const ansiQuoted = (value: string): string => `$'${value.replace(/[\\']/g, "\\$&")}'`;

/** Escapes one plain character, or every special one, with a backslash. */
export function backslashed(value: string, random: Random): string | null {
  if (value === "") return null;
  if (!isPlain(value)) return value.replace(/[^\w./:@%+-]/gu, "\\$&");
  const at = random.below(value.length);
  return `${value.slice(0, at)}\\${value.slice(at)}`;
}

/** Writes each ASCII character as an escape of `$'…'`. */
export const escaped = (value: string, digits: (code: number) => string): string =>
  `$'${Array.from(value, (char) => (char < "\u0080" ? `\\${digits(char.charCodeAt(0))}` : char)).join("")}'`;

export const hexDigits = (code: number): string => `x${code.toString(16).padStart(2, "0")}`;
export const octalDigits = (code: number): string => code.toString(8).padStart(3, "0");

/** `r"m"`: quotes one half of a word. */
export function halfQuoted(value: string, random: Random): string | null {
  if (!isPlain(value) || value.length < 2) return null;
  const at = 1 + random.below(value.length - 1);
  const [head, tail] = [value.slice(0, at), value.slice(at)];
  return random.pick([`${head}"${tail}"`, `${head}'${tail}'`, `'${head}'${tail}`, `"${head}"'${tail}'`]);
}

/** `r''m`: quotes around nothing. */
export function withEmptyQuotes(value: string, random: Random): string | null {
  if (!isPlain(value)) return null;
  const at = random.below(value.length + 1);
  return `${value.slice(0, at)}${random.pick(["''", '""'])}${value.slice(at)}`;
}

/** `r`, a backslash and a line end, `m`. */
export function continued(value: string, random: Random): string | null {
  if (!isPlain(value) || value.length < 2) return null;
  const at = 1 + random.below(value.length - 1);
  return `${value.slice(0, at)}\\\n${value.slice(at)}`;
}
