import { readJson, stringOf } from "../protocol/json/read.ts";
import { ASSIGNMENT, isSecretVariable, looksRandom, SECRET_PATTERNS, SECRETS_AFTER_PREFIX } from "./secret-patterns.ts";

export type Redact = (text: string) => string;

export const REDACTED = "[redacted]";

/** Shorter values also occur by chance. */
const MIN_SECRET_LENGTH = 6;

/** The secrets of an environment, which is searched only once. */
const secretsByEnv = new WeakMap<object, readonly string[]>();

/**
 * Returns a function that replaces secrets in a text: the values of variables with secret names, and known token patterns.
 * It takes linear time.
 */
export function createRedactor(env: Readonly<Record<string, string | undefined>>): Redact {
  return (text) => {
    if (text.length < MIN_SECRET_LENGTH) return text;
    const secrets = secretsByEnv.get(env) ?? secretsOf(env);
    secretsByEnv.set(env, secrets);
    const named = secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
    const shaped = SECRET_PATTERNS.reduce((rest, shape) => rest.replace(shape, REDACTED), named);
    const withoutPrefixed = SECRETS_AFTER_PREFIX.reduce(
      (rest, behind) => rest.replace(behind, `$1${REDACTED}`),
      shaped,
    );
    return withoutPrefixed.replace(ASSIGNMENT, (whole, name: string, between: string, value: string) =>
      looksRandom(value) && isSecretVariable(name, value) ? name + between + REDACTED : whole,
    );
  };
}

/**
 * Replaces secrets in JSON text, string by string, so that it stays valid JSON. A string under a secret name is replaced
 * as a whole. Strings are found with one pattern, so no depth is too deep and the time is linear.
 */
export function redactJson(raw: string, redact: Redact): string {
  if (!readJson(raw, Number.POSITIVE_INFINITY).ok) return redact(raw);
  const redacted = (string: string): string => JSON.stringify(redact(decodeString(string)));
  return raw.replace(JSON_STRING, (_found, string: string, colon: string | undefined, value: string | undefined) => {
    if (colon === undefined) return redacted(string);
    if (value === undefined) return redacted(string) + colon;
    const isSecret =
      isSecretVariable(decodeString(string), decodeString(value)) && decodeString(value).length >= MIN_SECRET_LENGTH;
    return redacted(string) + colon + (isSecret ? JSON.stringify(REDACTED) : redacted(value));
  });
}

const decodeString = (raw: string): string => stringOf({ kind: "string", raw });

/** A JSON string, or a key with its colon and the string after it. */
const JSON_STRING = /("[^"\\]*(?:\\.[^"\\]*)*")(?:(\s*:\s*)("[^"\\]*(?:\\.[^"\\]*)*")?)?/g;

/** Longest first, so that a secret that contains another one is replaced as a whole. */
function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= MIN_SECRET_LENGTH && isSecretVariable(name, value)
      ? writtenForms(value)
      : [],
  );
  return [...new Set(values)].sort((a, b) => b.length - a.length);
}

/** The forms in which programs print a value: plain, in JSON (also nested), in a URL, in base64. */
function writtenForms(value: string): readonly string[] {
  const json = inJson(value);
  const ascii = inAscii(json);
  const capitals = ascii.replace(/\\u[0-9a-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`);
  const inText = [value, json, inJson(json), ascii, capitals, inJson(ascii), json.replaceAll("/", "\\/")];
  return [...inText, ...longLines(value), ...inUrl(value), ...inBase64(value)];
}

/** A message may quote a single line of a secret. */
const longLines = (value: string): readonly string[] =>
  value.includes("\n") ? value.split(/\r?\n/).filter((line) => line.length >= MIN_ENCODED_LENGTH) : [];

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const inAscii = (text: string): string =>
  text.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

function inUrl(value: string): readonly string[] {
  const encoded = urlForm(value);
  if (encoded === null) return [];
  const inLower = encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  return [encoded, encoded.replaceAll("%20", "+"), inLower];
}

/** Null for a lone surrogate, which cannot be encoded. */
function urlForm(value: string): string | null {
  try {
    return encodeURIComponent(value);
  } catch {
    return null;
  }
}

/** The base64 forms at each offset, without the characters at the ends that depend on the neighbouring text. */
function inBase64(value: string): readonly string[] {
  if (value.length < MIN_ENCODED_LENGTH) return [];
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const end = (before + bytes.length) % 3 === 0 ? encoded.length : encoded.length - 1;
    const form = encoded.slice(Math.ceil((before * 8) / 6), end);
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** The base64 form of a shorter value is too short to be recognised. */
const MIN_ENCODED_LENGTH = 10;
