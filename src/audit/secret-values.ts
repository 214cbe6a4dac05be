/** Shorter values also occur by chance. */
export const MIN_SECRET_LENGTH = 6;

/**
 * False for most variables, without the patterns, which take a moment to compile. Most parts are in no name at all, so that
 * they are searched in all names at once.
 */
export function secretNamesIn(env: Readonly<Record<string, string | undefined>>): (name: string) => boolean {
  const all = Object.keys(env).join("\n").toUpperCase();
  const parts = SECRET_PARTS.filter((part) => all.includes(part));
  return (name) => {
    const upper = name.toUpperCase();
    return upper.endsWith("PAT") || parts.some((part) => upper.includes(part));
  };
}

/** False for most names, without the patterns. */
export const mayNameSecret = (name: string): boolean => secretNamesIn({ [name]: "" })(name);

const SECRET_PARTS = "SECRET TOKEN PASS _PWD KEY CRED AUTH COOKIE DSN JWT SESSION WEBHOOK SALT SIGNATURE".split(" ");

/** The forms in which programs print a value: plain, in JSON (also nested), in a URL, in base64, in hexadecimal, reversed. */
export function writtenForms(value: string): readonly string[] {
  const json = inJson(value);
  const ascii = inAscii(json);
  const capitals = ascii.replace(/\\u[0-9a-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`);
  const inText = [value, json, inJson(json), ascii, capitals, inJson(ascii), json.replaceAll("/", "\\/")];
  return [...inText, ...longLines(value), ...inUrl(value), ...inBase64(value), ...reshaped(value)];
}

/** In hexadecimal, also with each byte apart as in a dump, a fingerprint or an address, and reversed as `rev` does. */
function reshaped(value: string): readonly string[] {
  if (value.length < MIN_RESHAPED_LENGTH || value.length > MOST_RESHAPED_LENGTH) return [];
  const hex = Buffer.from(value).toString("hex");
  const apart = [" $&", ":$&", "%$&", "\\x$&"].map((byte) => hex.replace(/../g, byte).replace(/^[ :]/, ""));
  return [
    ...[hex, ...apart].flatMap((form) => [form, form.replace(/[a-f]/g, (digit) => digit.toUpperCase())]),
    [...value].reverse().join(""),
  ];
}

/** The reverse of a shorter value occurs by chance. */
const MIN_RESHAPED_LENGTH = 8;
const MOST_RESHAPED_LENGTH = 16_384;

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
  const strict = encoded.replace(/[!'()*~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return [encoded, encoded.replaceAll("%20", "+"), inLower, strict, strict.replaceAll("%20", "+")];
}

/** Returns null for a lone surrogate, which cannot be encoded. */
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

/** Replaces the secrets in a text. */
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
