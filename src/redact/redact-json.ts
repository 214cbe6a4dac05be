import { readJson, stringOf } from "../protocol/json/read.ts";

/** How the strings of a JSON text are redacted. */
export interface StringRedactor {
  /** Redacts one decoded string. */
  readonly redact: (text: string) => string;
  /** Returns the replacement of a member's value; null if its name does not suggest a secret. */
  readonly redactMember: (name: string, value: string) => string | null;
}

/** Strings, numbers and punctuation. Text between them is copied. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*|[{}[\],:]/g;

/** An object or a list that is open at the reader's position. */
interface Level {
  readonly isObject: boolean;
  /** The name of the member or list; items of a list have the name of the list. */
  name: string;
  /** True from a colon to the comma, or in a list: the next string is a value. */
  isValue: boolean;
  /**
   * The name for the next value: of the member `"name": "DB_PASSWORD"` for the value beside it, or of an option for the
   * next argument.
   */
  namedByText: string;
  /** The keys that were redacted, so that no two become equal. */
  redactedKeys: number;
}

/** Members whose text is the name of another member's value: `{"name": "DB_PASSWORD", "value": "…"}`. */
const NAMING_KEYS = new Set(["name", "key", "variable", "field", "header", "id", "option"]);
const NAMED_KEYS = new Set(["value", "val", "content", "data", "default", "text"]);
const OPTION = /^--?[A-Za-z][\w-]{0,60}$/;

/**
 * Replaces secrets in JSON text, string by string, so that it stays valid JSON. Returns null for any other text. No depth is
 * too deep, and the time is linear.
 */
export const redactJsonStrings = (raw: string, redactor: StringRedactor): string | null =>
  redactNested(raw, redactor, DEEPEST_TEXT);

/** How many levels of JSON inside JSON strings are read. */
const DEEPEST_TEXT = 6;

function redactNested(raw: string, { redact, redactMember }: StringRedactor, mayNest: number): string | null {
  if (!readJson(raw, Number.POSITIVE_INFINITY).ok) return null;
  const levels: Level[] = [{ isObject: false, name: "", isValue: true, namedByText: "", redactedKeys: 0 }];
  const redactor: StringRedactor = {
    redactMember,
    redact: (text) =>
      redact(
        (mayNest > 0 && MAY_BE_JSON.test(text) ? redactNested(text, { redact, redactMember }, mayNest - 1) : null) ??
          text,
      ),
  };
  return raw.replace(TOKENS, (token) => redactToken(token, levels, redactor));
}

const MAY_BE_JSON = /^\s{0,100}[[{"]/;

function redactToken(token: string, levels: Level[], redactor: StringRedactor): string {
  const level = levels.at(-1);
  if (level === undefined) return token;
  switch (token) {
    case "{":
    case "[": {
      const isObject = token === "{";
      levels.push({ isObject, name: level.name, isValue: !isObject, namedByText: "", redactedKeys: 0 });
      return token;
    }
    case "}":
    case "]":
      levels.pop();
      return token;
    case ":":
      level.isValue = true;
      return token;
    case ",":
      level.isValue = !level.isObject;
      return token;
  }
  if (!token.startsWith('"')) return redactNumber(token, level, redactor);
  return level.isValue ? redactValue(token, level, redactor) : redactKey(token, level, redactor);
}

function redactKey(token: string, level: Level, { redact }: StringRedactor): string {
  const name = decodeString(token);
  level.name = name;
  const redacted = redact(name);
  if (redacted === name) return token;
  level.redactedKeys += 1;
  return JSON.stringify(level.redactedKeys === 1 ? redacted : `${redacted} ${level.redactedKeys}`);
}

/** A string without a secret keeps its escapes. */
function redactValue(token: string, level: Level, { redact, redactMember }: StringRedactor): string {
  const text = decodeString(token);
  const given = nameFor(level);
  const instead = redactMember(level.name, text) ?? (given === "" ? null : redactMember(given, text)) ?? redact(text);
  noteName(text, level);
  return instead === text ? token : JSON.stringify(instead);
}

/** A number under the name of a password is redacted. */
const redactNumber = (token: string, level: Level, { redactMember }: StringRedactor): string => {
  const isPassword = /(?:passw(?:or)?d|passphrase|secret|(?:^|_)pin)$/i.test(level.name) && token.length >= 4;
  const instead = isPassword ? redactMember("password", `${token}x`) : null;
  return instead === null ? token : JSON.stringify(instead);
};

function nameFor({ isObject, name, namedByText }: Level): string {
  return !isObject || NAMED_KEYS.has(name.toLowerCase()) ? namedByText : "";
}

/** Remembers a text that may name the next value. */
function noteName(text: string, level: Level): void {
  if (level.isObject) {
    if (NAMING_KEYS.has(level.name.toLowerCase()) && text.length <= 200) level.namedByText = text;
  } else level.namedByText = OPTION.test(text) ? text.replace(/^-+/, "").replaceAll("-", "_") : "";
}

const decodeString = (raw: string): string => stringOf({ kind: "string", raw });
