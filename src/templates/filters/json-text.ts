import { raise } from "../faults.ts";
import { Dict } from "../values/dict.ts";
import { floatText, integerText } from "../values/represent.ts";
import { sorted } from "../values/sequence.ts";
import { isText, Tuple, textOf, typeNameOf, type Value } from "../values/value.ts";

/** What is nested deeper is a value in itself. */
const MOST_LEVELS = 900;

/** Python's `json.dumps` with sorted keys; `indent`: one level of it, or null for one line. */
export function jsonOf(value: Value, indent: string | null, depth = 0): string {
  if (depth > MOST_LEVELS) return raise("ValueError", "Circular reference detected");
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "bigint") return integerText(value);
  if (typeof value === "number") return numberText(value);
  if (isText(value)) return jsonString(textOf(value));
  if (value instanceof Dict) return objectText(value, indent, depth);
  if (!Array.isArray(value) && !(value instanceof Tuple)) {
    return raise("TypeError", `Object of type ${typeNameOf(value)} is not JSON serializable`);
  }
  const items = Array.isArray(value) ? value : value.items;
  return inBrackets(
    "[]",
    items.map((item) => jsonOf(item, indent, depth + 1)),
    { indent, depth },
  );
}

function objectText(dict: Dict, indent: string | null, depth: number): string {
  const keys = sorted([...dict.entries()].map(([key]) => key));
  const members = keys.map((key) => `${jsonString(keyText(key))}: ${jsonOf(dict.get(key) ?? null, indent, depth + 1)}`);
  return inBrackets("{}", members, { indent, depth });
}

function inBrackets(
  brackets: string,
  parts: readonly string[],
  { indent, depth }: { indent: string | null; depth: number },
): string {
  const [open, close] = brackets;
  if (indent === null || parts.length === 0) return `${open}${parts.join(", ")}${close}`;
  const inner = `\n${indent.repeat(depth + 1)}`;
  return `${open}${inner}${parts.join(`,${inner}`)}\n${indent.repeat(depth)}${close}`;
}

function keyText(key: Value): string {
  if (isText(key)) return textOf(key);
  if (key === null || typeof key !== "object") return jsonOf(key, null);
  return raise("TypeError", `keys must be str, int, float, bool or None, not ${typeNameOf(key)}`);
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return floatText(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

/** In ASCII: every other character is an escape. */
function jsonString(text: string): string {
  return JSON.stringify(text).replace(
    /[^\0-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
