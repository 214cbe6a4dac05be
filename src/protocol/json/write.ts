import { escapeControls } from "../text.ts";

const RAW = Symbol("raw JSON");

/** JSON text that is written out as it came in. */
export interface RawJson {
  readonly [RAW]: string;
}

export type JsonValue = string | number | boolean | null | RawJson | readonly JsonValue[] | JsonRecord;
/** A member that is `undefined` is left out. */
export interface JsonRecord {
  readonly [key: string]: JsonValue | undefined;
}

export const rawJson = (text: string): RawJson => ({ [RAW]: text });

/** One line of JSON for a person or a program: values stay, but no character of it can steer a terminal. */
export function printableJson(value: JsonValue): string {
  // Inside a JSON string a line break is always escaped, so a raw one is white space between two tokens.
  return escapeControls(jsonText(value).replace(/[\n\r\t]+/g, " "));
}

/** JSON text without the escaping for terminals: what a hook gets on stdin. */
export function jsonText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map((item) => jsonText(item)).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isRaw(value)) return value[RAW];
  const members = Object.entries(value).flatMap(([key, item]) =>
    item === undefined ? [] : [`${JSON.stringify(key)}:${jsonText(item)}`],
  );
  return `{${members.join(",")}}`;
}

function isRaw(value: object): value is RawJson {
  return RAW in value;
}
