const RAW = Symbol("raw JSON");

/** JSON text that is written out as it came in. */
export interface RawJson {
  readonly [RAW]: string;
}

export type JsonOut = string | number | boolean | null | RawJson | readonly JsonOut[] | JsonRecord;
/** A member that is `undefined` is left out. */
export interface JsonRecord {
  readonly [key: string]: JsonOut | undefined;
}

export const rawJson = (text: string): RawJson => ({ [RAW]: text });

/** One line of JSON for a person or a program: values stay, but no character of it can steer a terminal. */
export function writeJson(value: JsonOut): string {
  // Inside a JSON string a line break is always escaped, so a raw one is white space between two tokens.
  return safeText(jsonText(value).replace(/[\n\r\t]+/g, " "));
}

/** JSON text without the escaping for terminals: what a hook gets on stdin. */
export function jsonText(value: JsonOut): string {
  if (Array.isArray(value)) return `[${value.map((item) => jsonText(item)).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isRaw(value)) return value[RAW];
  const members = Object.entries(value).flatMap(([key, item]) =>
    item === undefined ? [] : [`${JSON.stringify(key)}:${jsonText(item)}`],
  );
  return `{${members.join(",")}}`;
}

/** Control, C1, bidi and line-separator characters written as `\uXXXX` (SPEC 2): nothing else is changed. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** No longer than `limit` characters. */
export const cut = (text: string, limit: number): string => (text.length > limit ? `${text.slice(0, limit)}…` : text);

/** For one line on a screen: safe, and no longer than `limit` characters. */
export function clipped(text: string, limit: number): string {
  return cut(safeText(text.length > limit * 8 ? text.slice(0, limit * 8) : text), limit);
}

/** The characters themselves, for a program that has to do the same without us. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to take out.
export const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function isRaw(value: object): value is RawJson {
  return RAW in value;
}
