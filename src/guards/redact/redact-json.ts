import { readJson, stringOf } from "../../protocol/json/read.ts";

/** How the strings of a JSON text are redacted. */
export interface StringRedactor {
  /** Redacts one decoded string. */
  readonly redact: (text: string) => string;
  /** Returns the text in place of the value of a member; null if it is not a secret because of its name. */
  readonly redactMember: (name: string, value: string) => string | null;
}

/**
 * Replaces secrets in JSON text, string by string, so that it stays valid JSON. Returns null for any other text. Strings
 * are found with one pattern, so no depth is too deep and the time is linear.
 */
export function redactJsonStrings(raw: string, { redact, redactMember }: StringRedactor): string | null {
  if (!readJson(raw, Number.POSITIVE_INFINITY).ok) return null;
  const redacted = (string: string): string => unlessSame(string, redact);
  return raw.replace(JSON_STRING, (_found, string: string, colon: string | undefined, value: string | undefined) => {
    if (colon === undefined) return redacted(string);
    if (value === undefined) return redacted(string) + colon;
    const instead = redactMember(decodeString(string), decodeString(value));
    return redacted(string) + colon + (instead === null ? redacted(value) : JSON.stringify(instead));
  });
}

/** A string without a secret keeps its escapes. */
function unlessSame(string: string, redact: (text: string) => string): string {
  const text = decodeString(string);
  const redacted = redact(text);
  return redacted === text ? string : JSON.stringify(redacted);
}

const decodeString = (raw: string): string => stringOf({ kind: "string", raw });

/** A JSON string, or a key with its colon and the string after it. */
const JSON_STRING = /("[^"\\]*(?:\\.[^"\\]*)*")(?:(\s*:\s*)("[^"\\]*(?:\\.[^"\\]*)*")?)?/g;
