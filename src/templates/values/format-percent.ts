import { raise } from "../faults.ts";
import { Dict } from "./dict.ts";
import { codeOf, formatFloat } from "./format-float.ts";
import { escapeHtml } from "./html.ts";
import { toFloat, truncated } from "./numbers.ts";
import { ascii, integerText, repr, str } from "./represent.ts";
import { charactersOf, lengthOf, repeat } from "./text.ts";
import {
  isInteger,
  isNumber,
  isText,
  Markup,
  orElse,
  Range,
  Tuple,
  textOf,
  typeNameOf,
  Undefined,
  type Value,
} from "./value.ts";

/** `%(key)-8.3f`: the key, flags, width, precision and type; `*` takes the width or precision from the values. */
const CONVERSION = /%(?:\(((?:[^()]|\([^()]*\))*)\))?([-+ #0]*)(\*|\d{1,9})?(\.(?:\*|\d{1,9})?)?[hlL]?(.)?/gsu;

interface Conversion {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | null;
  readonly type: string;
}

/** Python's `text % values`. If the format is HTML, every value is escaped. */
export function formatPercent(format: string | Markup, values: Value): Value {
  const source = new Values(values);
  const isHtml = format instanceof Markup;
  const text = textOf(format).replace(CONVERSION, (_, key?: string, ...rest: (string | undefined)[]) => {
    if (key !== undefined) source.choose(key);
    const conversion = conversionOf(rest, source);
    return conversion.type === "%" ? "%" : converted(source.next(), conversion, isHtml);
  });
  source.checkAllUsed();
  return isHtml ? new Markup(text) : text;
}

function conversionOf([flags = "", width, point, type]: readonly (string | undefined)[], source: Values): Conversion {
  const signedWidth = width === "*" ? source.nextNumber() : Number(width ?? 0);
  const precision = point === undefined ? null : point === ".*" ? source.nextNumber() : Number(point.slice(1));
  if (type === undefined) return raise("ValueError", "incomplete format");
  return { flags: signedWidth < 0 ? `${flags}-` : flags, width: Math.abs(signedWidth), precision, type };
}

/** The values on the right of `%`: the items of a tuple, a dict by key, or one value. */
class Values {
  private readonly all: readonly Value[];
  private readonly mapping: Value | null;
  private used = 0;
  private chosen: Value | undefined;

  constructor(values: Value) {
    this.all = values instanceof Tuple ? values.items : [values];
    const hasItems = values instanceof Dict || values instanceof Range || values instanceof Undefined;
    this.mapping = hasItems || Array.isArray(values) ? values : null;
  }

  choose(key: string): void {
    const mapping = this.mapping instanceof Dict ? this.mapping : raise("TypeError", "format requires a mapping");
    this.chosen = orElse(mapping.get(key), () => raise("KeyError", key));
  }

  next(): Value {
    const { chosen } = this;
    this.chosen = undefined;
    if (chosen !== undefined) return chosen;
    const value = this.all[this.used];
    this.used += 1;
    return value === undefined ? raise("TypeError", "not enough arguments for format string") : value;
  }

  nextNumber(): number {
    const value = this.next();
    return isInteger(value) ? Number(value) : raise("TypeError", "* wants int");
  }

  checkAllUsed(): void {
    if (this.mapping === null && this.used < this.all.length) {
      raise("TypeError", "not all arguments converted during string formatting");
    }
  }
}

function converted(value: Value, conversion: Conversion, isHtml: boolean): string {
  const { type } = conversion;
  const html = isHtml ? escapeHtml : (text: string) => text;
  if (type === "s")
    return field("", cut(isHtml && value instanceof Markup ? value.text : html(str(value)), conversion), conversion);
  if (type === "r") return field("", cut(html(repr(value)), conversion), conversion);
  if (type === "a") return field("", cut(html(ascii(value)), conversion), conversion);
  if (type === "c") return field("", characterOf(value), conversion);
  if ("diu".includes(type)) return integer(integerOf(value, type), conversion);
  if ("oxX".includes(type)) return radix(value, conversion);
  if ("eEfFgG".includes(type)) return float(value, conversion);
  return raise("ValueError", `unsupported format character '${type}'`);
}

const cut = (text: string, { precision }: Conversion): string =>
  precision === null ? text : charactersOf(text).slice(0, precision).join("");

function characterOf(value: Value): string {
  if (isText(value) && lengthOf(textOf(value)) === 1) return textOf(value);
  return isInteger(value) ? String.fromCodePoint(codeOf(BigInt(value))) : raise("TypeError", "%c requires int or char");
}

function integerOf(value: Value, type: string): bigint {
  if (typeof value === "number") return truncated(value);
  if (isNumber(value)) return BigInt(value);
  return raise("TypeError", `%${type} format: a real number is required, not ${typeNameOf(value)}`);
}

function integer(value: bigint, conversion: Conversion): string {
  const digits = integerText(value < 0n ? -value : value).padStart(conversion.precision ?? 0, "0");
  return field(signOf(value < 0n, conversion), digits, conversion);
}

const RADIX: ReadonlyMap<string, readonly [number, string]> = new Map([
  ["o", [8, "0o"]],
  ["x", [16, "0x"]],
  ["X", [16, "0X"]],
]);

function radix(value: Value, conversion: Conversion): string {
  const { type, flags, precision } = conversion;
  if (!isInteger(value)) return raise("TypeError", `%${type} format: an integer is required, not ${typeNameOf(value)}`);
  const [base, prefix] = RADIX.get(type) ?? [10, ""];
  const number = BigInt(value);
  const digits = (number < 0n ? -number : number).toString(base).padStart(precision ?? 0, "0");
  const before = signOf(number < 0n, conversion) + (flags.includes("#") ? prefix : "");
  return field(before, type === "X" ? digits.toUpperCase() : digits, conversion);
}

function float(value: Value, conversion: Conversion): string {
  const { type, flags, precision } = conversion;
  const number = isNumber(value) ? toFloat(value) : raise("TypeError", `must be real number, not ${typeNameOf(value)}`);
  const digits = formatFloat(number, { type, precision: precision ?? 6, isAlternate: flags.includes("#") });
  return field(signOf(number < 0 || Object.is(number, -0), conversion), digits, conversion);
}

function signOf(isNegative: boolean, { flags }: Conversion): string {
  if (isNegative) return "-";
  return flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
}

function field(before: string, body: string, { flags, width, type }: Conversion): string {
  const missing = width - lengthOf(before) - lengthOf(body);
  if (missing <= 0) return before + body;
  if (flags.includes("-")) return before + body + repeat(" ", missing);
  const isZeroPadded = flags.includes("0") && "diuoxXeEfFgG".includes(type);
  return isZeroPadded ? before + repeat("0", missing) + body : repeat(" ", missing) + before + body;
}
