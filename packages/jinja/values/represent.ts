import { ownValue } from "../../../src/protocol/own-value.ts";
import { raise } from "../faults.ts";
import { Dict, DictView } from "./dict.ts";
import { escapeHtml } from "./html.ts";
import { charactersOf, escapeCode, MOST_DIGITS } from "./text.ts";
import { Iterator, Markup, type PythonObject, Range, Slice, Tuple, Undefined, type Value } from "./value.ts";

/** Python's `str()`. */
export function str(value: Value): string {
  if (typeof value === "string") return value;
  if (value instanceof Markup) return value.text;
  if (value instanceof Undefined) {
    value.check();
    return "";
  }
  return repr(value);
}

/** The text of a value as HTML: escaped, unless it is HTML already. */
export const htmlOf = (value: Value): string => (value instanceof Markup ? value.text : escapeHtml(str(value)));

/** Python's `repr()`. A list or a dict in itself is `[...]` or `{...}`. */
export function repr(value: Value, around: readonly Value[] = []): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "bigint") return integerText(value);
  if (typeof value === "number") return floatText(value);
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) {
    return around.includes(value) ? "[...]" : `[${value.map((item) => repr(item, [...around, value])).join(", ")}]`;
  }
  return objectText(value, around);
}

function objectText(value: PythonObject, around: readonly Value[]): string {
  if (value instanceof Markup) return `Markup(${quoted(value.text)})`;
  if (value instanceof Tuple) return around.includes(value) ? "(...)" : tupleText(value, [...around, value]);
  if (value instanceof Dict) return around.includes(value) ? "{...}" : dictText(value, [...around, value]);
  if (value instanceof DictView) {
    return `${value.typeName}([${[...value.values()].map((item) => repr(item, around)).join(", ")}])`;
  }
  if (value instanceof Range) {
    return `range(${value.start}, ${value.stop}${value.step === 1 ? "" : `, ${value.step}`})`;
  }
  if (value instanceof Slice) return `slice(${value.bounds.map((bound) => repr(bound)).join(", ")})`;
  if (value instanceof Undefined) return "Undefined";
  return value instanceof Iterator ? `<${value.typeName} object>` : value.describe(around);
}

function tupleText({ items }: Tuple, around: readonly Value[]): string {
  const texts = items.map((item) => repr(item, around));
  return texts.length === 1 ? `(${texts[0]},)` : `(${texts.join(", ")})`;
}

const dictText = (dict: Dict, around: readonly Value[]): string =>
  `{${[...dict.entries()].map(([key, value]) => `${repr(key, around)}: ${repr(value, around)}`).join(", ")}}`;

export function integerText(value: bigint): string {
  // Compared as a number: a number that is far too long is not written first.
  const isHuge = value > TOO_LARGE || value < -TOO_LARGE;
  if (isHuge) raise("ValueError", `Exceeds the limit (${MOST_DIGITS} digits) for integer string conversion`);
  return value.toString();
}
const TOO_LARGE = 10n ** BigInt(MOST_DIGITS) - 1n;

/** The shortest digits that identify the number, with an exponent below 1e-4 and from 1e16. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const [mantissa = "", exponent = 0] = value.toExponential().split("e");
  if (Number(exponent) < -4 || Number(exponent) >= 16) return mantissa + exponentText(Number(exponent));
  const plain = Object.is(value, -0) ? "-0" : String(value);
  return plain.includes(".") ? plain : `${plain}.0`;
}

export const exponentText = (exponent: number): string =>
  `e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A text as Python writes it: in single quotes, unless only those are in it. */
export function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let written = "";
  for (const one of charactersOf(text))
    written += one === quote ? `\\${quote}` : (ownValue(ESCAPES, one) ?? printable(one));
  return quote + written + quote;
}

export const isPrintable = (character: string): boolean =>
  character === " " || !/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Zs}]/u.test(character);

const printable = (character: string): string => (isPrintable(character) ? character : escapeCode(character));

/** Python's `ascii()`: the same, with every other character as an escape. */
export function ascii(value: Value): string {
  return repr(value).replace(/[^\0-\x7f]/gu, escapeCode);
}
