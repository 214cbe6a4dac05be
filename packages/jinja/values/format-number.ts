import { ownValue } from "../../../src/protocol/own-value.ts";
import { raise } from "../faults.ts";
import { divideHalfEven, exactDecimal, scaledRound, toFloat } from "./numbers.ts";
import { exponentText, floatText, integerText, str } from "./represent.ts";
import { charactersOf, lengthOf, repeat } from "./text.ts";
import { isNumber, isText, textOf, typeNameOf, type Value } from "./value.ts";

/** The parsed specification of a format: `[[fill]align][sign][z][#][0][width][grouping][.precision][type]`. */
export interface Spec {
  readonly fill: string;
  readonly align: string;
  readonly sign: string;
  readonly isAlternate: boolean;
  readonly isZeroPadded: boolean;
  readonly hasNoNegativeZero: boolean;
  readonly width: number;
  readonly grouping: string;
  readonly precision: number | null;
  readonly type: string;
}

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d{1,9})?([,_])?(?:\.(\d{1,9}))?([a-zA-Z%])?$/su;

/** Python's `format(value, spec)`. */
export function formatValue(value: Value, text: string): string {
  if (text === "") return str(value);
  const spec = parseSpec(text, value);
  if (isText(value)) return formatPlainText(textOf(value), spec);
  if (typeof value === "number") return formatFloat(value, spec);
  if (isNumber(value)) return formatInteger(BigInt(value), spec);
  return raise("TypeError", `unsupported format string passed to ${typeNameOf(value)}.__format__`);
}

function parseSpec(text: string, value: Value): Spec {
  const [isValid, fill, align, sign = "", z, alternate, zero, width = 0, grouping = "", precision, type = ""] =
    SPEC.exec(text) ?? [];
  if (isValid === undefined) {
    raise("ValueError", `Invalid format specifier '${text}' for object of type '${typeNameOf(value)}'`);
  }
  if (grouping !== "" && type === "n") raise("ValueError", `Cannot specify '${grouping}' with 'n'.`);
  return {
    fill: fill ?? (zero === undefined ? " " : "0"),
    align: align ?? (zero === undefined ? "" : "="),
    sign,
    isAlternate: alternate !== undefined,
    isZeroPadded: zero !== undefined,
    hasNoNegativeZero: z !== undefined,
    width: Number(width),
    grouping,
    precision: precision === undefined ? null : Number(precision),
    type,
  };
}

export function formatPlainText(text: string, spec: Spec): string {
  const { type, sign, grouping, isAlternate, precision, align } = spec;
  if (!["", "s"].includes(type)) raise("ValueError", `Unknown format code '${type}' for object of type 'str'`);
  const isNumeric = sign !== "" || grouping !== "" || isAlternate || (align === "=" && !spec.isZeroPadded);
  if (isNumeric) raise("ValueError", "a format for numbers does not fit a text");
  const shown = precision === null ? text : charactersOf(text).slice(0, precision).join("");
  return inField("", shown, { ...spec, align: align === "=" || align === "" ? "<" : align });
}

const RADIXES: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16, X: 16, d: 10, n: 10, "": 10 };

function formatInteger(value: bigint, spec: Spec): string {
  const { type, align, precision, grouping } = spec;
  if (type === "c") return inField("", characterOf(value), { ...spec, align: align || "<" });
  const radix = ownValue(RADIXES, type);
  if (radix === undefined) return formatFloat(toFloat(value), spec);
  if (precision !== null) raise("ValueError", "Precision not allowed in integer format specifier");
  if (grouping === "," && radix !== 10) raise("ValueError", `Cannot specify ',' with '${type}'.`);
  return formatDigits(value, spec, 0);
}

/** An int with at least so many digits. */
export function formatDigits(value: bigint, spec: Spec, leastDigits: number): string {
  const { type, isAlternate } = spec;
  const radix = ownValue(RADIXES, type) ?? 10;
  const positive = value < 0n ? -value : value;
  const digits = (radix === 10 ? integerText(positive) : positive.toString(radix)).padStart(leastDigits, "0");
  const before = signOf(value < 0n, spec) + (isAlternate && radix !== 10 ? `0${type}` : "");
  return inField(before, type === "X" ? digits.toUpperCase() : digits, spec, radix === 10 ? 3 : 4);
}

export function characterOf(code: bigint): string {
  const isCharacter = code >= 0n && code <= 0x10ffffn;
  return isCharacter ? String.fromCodePoint(Number(code)) : raise("OverflowError", "%c arg not in range(0x110000)");
}

export function formatFloat(value: number, spec: Spec): string {
  if (!/^[efgn%]?$/i.test(spec.type) || spec.type === "N") {
    raise("ValueError", `Unknown format code '${spec.type}' for object of type 'float'`);
  }
  const text = floatDigits(value, spec);
  const isNegative = value < 0 || Object.is(value, -0);
  const isShownNegative = isNegative && !(spec.hasNoNegativeZero && !/[1-9]/.test(text));
  return inField(signOf(isShownNegative, spec), text, spec);
}

const signOf = (isNegative: boolean, { sign }: Spec): string => (isNegative ? "-" : sign === "-" ? "" : sign);

/** Sign and digits, in groups, in a field. */
export function inField(before: string, digits: string, spec: Spec, groupSize = 3): string {
  const { fill, width, grouping, align } = spec;
  const zerosWidth = align === "=" && fill === "0" ? width - before.length : 0;
  const body = grouping === "" ? digits : grouped(digits, { separator: grouping, size: groupSize, width: zerosWidth });
  const missing = width - lengthOf(before) - lengthOf(body);
  if (missing <= 0) return before + body;
  if (align === "=") return before + repeat(fill, missing) + body;
  const left = align === "<" ? 0 : align === "^" ? Math.floor(missing / 2) : missing;
  return repeat(fill, left) + before + body + repeat(fill, missing - left);
}

interface Groups {
  readonly separator: string;
  readonly size: number;
  /** Zeros in front fill this width, and are part of the groups. */
  readonly width: number;
}

function grouped(digits: string, { separator, size, width }: Groups): string {
  // In "1e+10" the digits end before the e, which is a digit only in hexadecimal.
  const pattern = size === 3 ? /^(\d*)(.*)$/ : /^([\da-fA-F]*)(.*)$/;
  const [, whole = "", tail = ""] = pattern.exec(digits) ?? [];
  let filled = whole;
  while (filled.length + Math.floor((filled.length - 1) / size) + tail.length < width) filled = `0${filled}`;
  const first = filled.length % size;
  const groups = filled.slice(first).match(new RegExp(`.{${size}}`, "g")) ?? [];
  return [...(first > 0 ? [filled.slice(0, first)] : []), ...groups].join(separator) + tail;
}

const MOST_PLACES = 5_000;

/** How the digits of a float are written; without a type it is the shortest way. */
type FloatForm = Pick<Spec, "type" | "precision" | "isAlternate">;

/** The digits of a float without its sign. */
export function floatDigits(value: number, { type, precision, isAlternate }: FloatForm): string {
  if ((precision ?? 0) > MOST_PLACES) raise("LimitError", `a number would have more than ${MOST_PLACES} digits`);
  const magnitude = Math.abs(type === "%" ? value * 100 : value);
  const form = { type: type.toLowerCase(), precision, isAlternate };
  const digits = Number.isFinite(magnitude) ? finiteDigits(magnitude, form) : floatText(magnitude);
  if (type === "%") return `${digits}%`;
  return /[A-Z]/.test(type) ? digits.toUpperCase() : digits;
}

function finiteDigits(value: number, { type, precision, isAlternate }: FloatForm): string {
  const point = isAlternate ? "." : "";
  if (type === "f" || type === "%") return withPoint(fixed(value, precision ?? 6), point);
  if (type === "e") return exponential(value, precision ?? 6, point);
  return type === "" && precision === null ? floatText(value) : general(value, { type, precision, isAlternate });
}

const withPoint = (text: string, point: string): string => (text.includes(".") ? text : text + point);

/** A fixed number of decimals, rounded half to even from the exact value. */
function fixed(value: number, places: number): string {
  const digits = scaledRound(value, places)
    .toString()
    .padStart(places + 1, "0");
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

function exponential(value: number, places: number, point: string): string {
  const { digits, exponent } = significant(value, places + 1);
  return (places === 0 ? digits + point : `${digits[0]}.${digits.slice(1)}`) + exponentText(exponent);
}

/** Fixed or exponential, whichever is shorter. Without a type one digit stays behind the point. */
function general(value: number, { type, precision, isAlternate }: FloatForm): string {
  const isFloat = type === "";
  const places = Math.max(1, precision ?? 6);
  const { exponent } = significant(value, places);
  const isPlain = exponent >= -4 && exponent < places - (isFloat ? 1 : 0);
  const text = isPlain ? fixed(value, places - 1 - exponent) : exponential(value, places - 1, isAlternate ? "." : "");
  if (isAlternate) return withPoint(text, ".");
  const [mantissa = "", rest = ""] = text.split(/(?=e)/);
  const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  return isPlain && isFloat && !short.includes(".") ? `${short}.0` : short + rest;
}

/** Returns the given number of significant digits, rounded half to even, and the exponent of the first. */
function significant(value: number, count: number): { readonly digits: string; readonly exponent: number } {
  if (value === 0) return { digits: "0".repeat(count), exponent: 0 };
  const { digits, scale } = exactDecimal(value);
  const length = digits.toString().length;
  const excess = length - count;
  const rounded = excess > 0 ? divideHalfEven(digits, 10n ** BigInt(excess)) : digits * 10n ** BigInt(-excess);
  const text = rounded.toString();
  return { digits: text.slice(0, count), exponent: length - 1 - scale + (text.length - count) };
}
