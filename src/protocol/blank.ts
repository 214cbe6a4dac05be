/** White space as Python's `str.strip` has it, for a set in a pattern. JavaScript's own lacks some of it and has U+FEFF. */
export const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

/** At least one character that is no white space, as a pattern. */
export const NOT_BLANK = new RegExp(`[^${SPACE}]`);

/** True if a message, a command, a name or a reason says nothing, as Reyn and Python would have it. */
export const isBlank = (text: string): boolean => !NOT_BLANK.test(text);

/** The text without the white space at its ends. */
export function stripped(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isBlank(text.charAt(from))) from += 1;
  // A pattern with `$` would look at each run of white space in the text.
  while (to > from && isBlank(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}
