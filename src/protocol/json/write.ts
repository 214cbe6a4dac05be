import { escapeControls } from "../text/text.ts";

const RAW = Symbol("raw JSON");

/** JSON text that is written out unchanged. */
export interface RawJson {
  readonly [RAW]: string;
}

export type JsonValue = string | number | boolean | null | RawJson | readonly JsonValue[] | JsonRecord;
/** A member that is `undefined` is left out. */
export interface JsonRecord {
  readonly [key: string]: JsonValue | undefined;
}

export const rawJson = (text: string): RawJson => ({ [RAW]: text });

/** Returns one line of JSON in which control characters are escaped, so that it is safe to print on a terminal. */
export function printableJson(value: JsonValue): string {
  // Inside a JSON string a line break is always escaped, so a raw one is only space between two tokens.
  return escapeControls(jsonText(value).replace(/[\n\r\t]+/g, " "));
}

/** Returns JSON text without the escaping for terminals, as a hook gets it on stdin. */
export const jsonText = (value: JsonValue): string =>
  // The runtime writes a value in a tenth of the time.
  hasRaw(value) ? textInParts(value) : JSON.stringify(value);

function hasRaw(value: JsonValue | undefined): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isRaw(value) || Object.values(value).some(hasRaw);
}

function textInParts(value: JsonValue): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => textInParts(item)).join(",")}]`;
  if (isRaw(value)) return value[RAW];
  let members = "";
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) members += `${members === "" ? "" : ","}${JSON.stringify(key)}:${textInParts(item)}`;
  }
  return `{${members}}`;
}

function isRaw(value: object): value is RawJson {
  return RAW in value;
}
