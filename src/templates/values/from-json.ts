import { itemsOf, type JsonSpan, membersOf, stringOf } from "../../protocol/json/read.ts";
import { Dict } from "./dict.ts";
import type { Value } from "./value.ts";

/** What lies deeper is its JSON text: no template looks so far. */
const MOST_LEVELS = 512;
/** Python reads no longer int. */
const MOST_DIGITS = 4300;

/** A JSON value as Python reads it: `1` is an int of any size, `1.0` and `1e2` are floats. */
export function fromJson(span: JsonSpan, depth = 0): Value {
  if (depth > MOST_LEVELS) return span.raw;
  switch (span.kind) {
    case "object":
      return new Dict([...membersOf(span)].map(([key, value]) => [key, fromJson(value, depth + 1)] as const));
    case "array":
      return itemsOf(span).map((item) => fromJson(item, depth + 1));
    case "string":
      return stringOf(span);
    case "number":
      return numberOf(span.raw);
    case "boolean":
      return span.raw === "true";
    case "null":
      return null;
  }
}

function numberOf(raw: string): Value {
  if (!/^-?\d+$/.test(raw)) return Number(raw);
  return raw.length > MOST_DIGITS ? raw : BigInt(raw);
}
