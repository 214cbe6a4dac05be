export type Redact = (text: string) => string;

/** More than any value that the environment can hold, so that truncation never splits such a secret. */
const LONGEST_SECRET = 128 * 1024;
/** How much of a long text is redacted. */
const EXAMINED_CHARACTERS = 2 * LONGEST_SECRET;

/** Redacts the start of a long text. What follows is left out, with the part in which half a secret could stand. */
export function redactedStart(text: string, redact: Redact): string {
  if (text.length <= EXAMINED_CHARACTERS) return redact(text);
  return `${redact(text.slice(0, EXAMINED_CHARACTERS)).slice(0, -LONGEST_SECRET)}…`;
}
