import { raise } from "../faults.ts";
import { Dict } from "./dict.ts";
import { characterOf, formatDigits, formatFloat, formatPlainText, inField, type Spec } from "./format-number.ts";
import { escapeHtml } from "./html.ts";
import { toFloat, truncated } from "./numbers.ts";
import { ascii, htmlOf, repr, str } from "./represent.ts";
import { lengthOf } from "./text.ts";
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
const CONVERSION = /%(?:\(((?:[^()]|\([^()]*\))*)\))?([-+ #0]*)(\*|\d{1,9})?(?:\.(\*|\d{0,9}))?[hlL]?(.)?/gsu;

/** Python's `text % values`. If the format is HTML, every value is escaped. */
export function formatPercent(format: string | Markup, values: Value): Value {
  const source = new Values(values);
  const isHtml = format instanceof Markup;
  const text = textOf(format).replace(CONVERSION, (_, key?: string, ...rest: (string | undefined)[]) => {
    if (key !== undefined) source.choose(key);
    const spec = specOf(rest, source);
    return spec.type === "%" ? "%" : converted(source.next(), spec, isHtml);
  });
  source.checkAllUsed();
  return isHtml ? new Markup(text) : text;
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

  /** A width or a precision; `*` takes the next value. */
  number(written: string): number {
    if (written !== "*") return Number(written);
    const value = this.next();
    return isInteger(value) ? Number(value) : raise("TypeError", "* wants int");
  }

  checkAllUsed(): void {
    if (this.mapping === null && this.used < this.all.length) {
      raise("TypeError", "not all arguments converted during string formatting");
    }
  }
}

/** A conversion as the specification that `format()` takes. */
function specOf([flags = "", width = "", precision, type]: readonly (string | undefined)[], source: Values): Spec {
  const signedWidth = source.number(width);
  const places = precision === undefined ? null : source.number(precision);
  if (type === undefined) return raise("ValueError", "incomplete format");
  const isLeft = flags.includes("-") || signedWidth < 0;
  const isZeroPadded = flags.includes("0") && !isLeft && "diuoxXeEfFgG".includes(type);
  return {
    fill: isZeroPadded ? "0" : " ",
    align: isZeroPadded ? "=" : isLeft ? "<" : ">",
    sign: flags.includes("+") ? "+" : flags.includes(" ") ? " " : "",
    isAlternate: flags.includes("#"),
    isZeroPadded,
    hasNoNegativeZero: false,
    width: Math.abs(signedWidth),
    grouping: "",
    precision: places,
    type,
  };
}

function converted(value: Value, spec: Spec, isHtml: boolean): string {
  const { type, precision } = spec;
  const html = isHtml ? escapeHtml : (text: string) => text;
  const text = (shown: string): string => formatPlainText(shown, { ...spec, type: "s", sign: "", isAlternate: false });
  if (type === "s") return text(isHtml ? htmlOf(value) : str(value));
  if (type === "r") return text(html(repr(value)));
  if (type === "a") return text(html(ascii(value)));
  if (type === "c") return inField("", characterIn(value), spec);
  if ("diuoxX".includes(type)) return formatDigits(integerIn(value, type), spec, precision ?? 0);
  if (!"eEfFgG".includes(type)) return raise("ValueError", `unsupported format character '${type}'`);
  if (!isNumber(value)) return raise("TypeError", `must be real number, not ${typeNameOf(value)}`);
  return formatFloat(toFloat(value), spec);
}

function characterIn(value: Value): string {
  if (isText(value) && lengthOf(textOf(value)) === 1) return textOf(value);
  return isInteger(value) ? characterOf(BigInt(value)) : raise("TypeError", "%c requires int or char");
}

/** Only the decimal forms take a float. */
function integerIn(value: Value, type: string): bigint {
  const isDecimal = "diu".includes(type);
  if (typeof value === "number" && isDecimal) return truncated(value);
  if (isInteger(value)) return BigInt(value);
  const needed = isDecimal ? "a real number" : "an integer";
  return raise("TypeError", `%${type} format: ${needed} is required, not ${typeNameOf(value)}`);
}
