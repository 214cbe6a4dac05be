import { raise } from "../faults.ts";
import { Dict } from "./dict.ts";
import { codeOf, formatNumber, integerParts, padded, type Spec } from "./format-float.ts";
import { escapeHtml } from "./html.ts";
import { toFloat, truncated } from "./numbers.ts";
import { ascii, repr, str } from "./represent.ts";
import { charactersOf, lengthOf } from "./text.ts";
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
  const text = (shown: string): string => padded("", cut(shown, conversion), specOf(conversion));
  if (type === "s") return text(isHtml && value instanceof Markup ? value.text : html(str(value)));
  if (type === "r") return text(html(repr(value)));
  if (type === "a") return text(html(ascii(value)));
  if (type === "c") return padded("", characterOf(value), specOf(conversion));
  if ("diuoxX".includes(type)) return integer(integerOf(value, type), conversion);
  if ("eEfFgG".includes(type)) return formatNumber(realOf(value), specOf(conversion));
  return raise("ValueError", `unsupported format character '${type}'`);
}

const cut = (text: string, { precision }: Conversion): string =>
  precision === null ? text : charactersOf(text).slice(0, precision).join("");

function characterOf(value: Value): string {
  if (isText(value) && lengthOf(textOf(value)) === 1) return textOf(value);
  return isInteger(value) ? String.fromCodePoint(codeOf(BigInt(value))) : raise("TypeError", "%c requires int or char");
}

/** Only the decimal forms take a float. */
function integerOf(value: Value, type: string): bigint {
  const isDecimal = "diu".includes(type);
  if (typeof value === "number" && isDecimal) return truncated(value);
  if (isInteger(value)) return BigInt(value);
  const needed = isDecimal ? "a real number" : "an integer";
  return raise("TypeError", `%${type} format: ${needed} is required, not ${typeNameOf(value)}`);
}

const realOf = (value: Value): number =>
  isNumber(value) ? toFloat(value) : raise("TypeError", `must be real number, not ${typeNameOf(value)}`);

/** An integer has at least as many digits as its precision. */
function integer(value: bigint, conversion: Conversion): string {
  const spec = specOf(conversion);
  const { before, digits } = integerParts(value, "oxX".includes(spec.type) ? spec : { ...spec, type: "d" });
  return padded(before, digits.padStart(conversion.precision ?? 0, "0"), spec);
}

/** A conversion as the specification that `format()` takes. */
function specOf({ flags, width, precision, type }: Conversion): Spec {
  const isZeroPadded = flags.includes("0") && !flags.includes("-") && "diuoxXeEfFgG".includes(type);
  return {
    fill: isZeroPadded ? "0" : " ",
    align: isZeroPadded ? "=" : flags.includes("-") ? "<" : ">",
    sign: flags.includes("+") ? "+" : flags.includes(" ") ? " " : "",
    isAlternate: flags.includes("#"),
    isZeroPadded,
    hasNoNegativeZero: false,
    width,
    grouping: "",
    precision: precision ?? 6,
    type,
  };
}
