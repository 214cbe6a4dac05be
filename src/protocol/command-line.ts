import { escapeControls } from "./text.ts";

/** A text as one word for a shell. What would steer a terminal is written in a way that a shell turns back (`$'\x1b'`). */
export function shellQuote(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return escapeControls(text) === text ? `'${text.replaceAll("'", "'\\''")}'` : `$'${escaped(text)}'`;
}

/** Names of hooks, or other words, behind a verb and its flags: one that begins like a flag is none. */
export const quoteHookNames = (names: readonly string[]): string =>
  [...(names.some((name) => name.startsWith("-")) ? ["--"] : []), ...names.map(shellQuote)].join(" ");
export const quoteHookName = (name: string): string => quoteHookNames([name]);

/** Older shells know `\x1b` and not `\u001b`. */
const escaped = (text: string): string =>
  Array.from(text, (char) =>
    char === "\\" || char === "'" ? `\\${char}` : escapeControls(char).replace(/^\\u00([0-7].)$/, "\\x$1"),
  ).join("");

/**
 * Is a word of the command line a path? Only one that begins with `./`, `../` or `/`, and `.` and `..` themselves: the
 * hook of a plugin has a name with slashes, and the project could hold a file at the same words.
 */
export const isPathArgument = (word: string): boolean => /^(?:\/|\.{1,2}(?:\/|$))/.test(word);
