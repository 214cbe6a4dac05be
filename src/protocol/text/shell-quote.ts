import { escapeControls } from "./text.ts";

/**
 * Quotes a text as one shell argument. Control characters are written as escapes (`$'\x1b'`), which the shell decodes
 * and a terminal does not obey.
 */
export function shellQuote(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return escapeControls(text) === text ? `'${text.replaceAll("'", "'\\''")}'` : `$'${escaped(text)}'`;
}

/** Quotes hook names for the end of a command line, after `--` if one of them looks like an option. */
export const quoteHookNames = (names: readonly string[]): string =>
  [...(names.some((name) => name.startsWith("-")) ? ["--"] : []), ...names.map(shellQuote)].join(" ");
export const quoteHookName = (name: string): string => quoteHookNames([name]);

/** Older shells know `\x1b` and not `\u001b`. */
const escaped = (text: string): string =>
  Array.from(text, (char) =>
    char === "\\" || char === "'" ? `\\${char}` : escapeControls(char).replace(/^\\u00([0-7].)$/, "\\x$1"),
  ).join("");

/**
 * True if a command-line argument is a path: it begins with `../`, `../../` or `/`, or is `.` or `..`. A name with slashes is
 * the hook of a plugin, even if the project has a file of that path.
 */
export const isPathArgument = (word: string): boolean => /^(?:\/|\.{1,2}(?:\/|$))/.test(word);
