import { raise } from "../faults.ts";
import { divideHalfEven, exactDecimal, scaledRound, toFloat } from "./numbers.ts";
import { floatText, integerText, str } from "./represent.ts";
import { charactersOf, lengthOf, repeat } from "./text.ts";
import { isNumber, isText, textOf, typeNameOf, type Value } from "./value.ts";

/** The parsed specification of a format: `[[fill]align][sign][#][0][width][grouping][.precision][type]`. */
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
  if (isText(value)) return formatText(textOf(value), spec);
  if (typeof value === "number") return formatNumber(value, spec);
  if (isNumber(value)) return formatInteger(BigInt(value), spec);
  return raise("TypeError", `unsupported format string passed to ${typeNameOf(value)}.__format__`);
}

function parseSpec(text: string, value: Value): Spec {
  const found = SPEC.exec(text);
  if (found?.[8] !== undefined && found[10] === "n") raise("ValueError", `Cannot specify '${found[8]}' with 'n'.`);
  if (found === null)
    return raise("ValueError", `Invalid format specifier '${text}' for object of type '${typeNameOf(value)}'`);
  const [, fill, align, sign, noNegativeZero, alternate, zero, width, grouping, precision, type] = found;
  return {
    fill: fill ?? (zero === undefined || align !== undefined ? (zero !== undefined ? "0" : " ") : "0"),
    align: align ?? (zero === undefined ? "" : "="),
    sign: sign ?? "",
    isAlternate: alternate !== undefined,
    isZeroPadded: zero !== undefined,
    hasNoNegativeZero: noNegativeZero !== undefined,
    width: Number(width ?? 0),
    grouping: grouping ?? "",
    precision: precision === undefined ? null : Number(precision),
    type: type ?? "",
  };
}

function formatText(text: string, spec: Spec): string {
  const { type, sign, grouping, isAlternate, precision } = spec;
  if (!["", "s"].includes(type)) raise("ValueError", `Unknown format code '${type}' for object of type 'str'`);
  const isNumeric = sign !== "" || grouping !== "" || isAlternate || (spec.align === "=" && !spec.isZeroPadded);
  if (isNumeric) raise("ValueError", "a format for numbers does not fit a text");
  const shown = precision === null ? text : charactersOf(text).slice(0, precision).join("");
  const align = spec.align === "=" || spec.align === "" ? "<" : spec.align;
  return padded("", shown, { ...spec, align });
}

const INTEGER_TYPES: ReadonlyMap<string, readonly [number, string]> = new Map([
  ["b", [2, "0b"]],
  ["o", [8, "0o"]],
  ["x", [16, "0x"]],
  ["X", [16, "0X"]],
  ["d", [10, ""]],
  ["n", [10, ""]],
  ["", [10, ""]],
]);

function formatInteger(value: bigint, spec: Spec): string {
  if (spec.type === "c") return padded("", String.fromCodePoint(codeOf(value)), { ...spec, align: spec.align || "<" });
  const form = INTEGER_TYPES.get(spec.type);
  if (form === undefined) return formatNumber(toFloat(value), spec);
  const [radix] = form;
  if (spec.precision !== null) raise("ValueError", "Precision not allowed in integer format specifier");
  if (spec.grouping === "," && radix !== 10) raise("ValueError", `Cannot specify ',' with '${spec.type}'.`);
  const { before, digits } = integerParts(value, spec);
  return padded(before, digits, { ...spec, size: radix === 10 ? 3 : 4 });
}

/** The sign with the prefix of the base, and the digits. */
export function integerParts(value: bigint, spec: Spec): { readonly before: string; readonly digits: string } {
  const [radix, prefix] = INTEGER_TYPES.get(spec.type) ?? [10, ""];
  const positive = value < 0n ? -value : value;
  const digits = radix === 10 ? integerText(positive) : positive.toString(radix);
  const before = signOf(value < 0n, spec) + (spec.isAlternate ? prefix : "");
  return { before, digits: spec.type === "X" ? digits.toUpperCase() : digits };
}

export function codeOf(value: bigint): number {
  return value >= 0n && value <= 0x10ffffn ? Number(value) : raise("OverflowError", "%c arg not in range(0x110000)");
}

const FLOAT_TYPES = ["", "e", "E", "f", "F", "g", "G", "n", "%"];

export function formatNumber(value: number, spec: Spec): string {
  if (!FLOAT_TYPES.includes(spec.type))
    raise("ValueError", `Unknown format code '${spec.type}' for object of type 'float'`);
  const type = spec.type === "n" ? "g" : spec.type;
  const text = formatFloat(value, { type, precision: spec.precision, isAlternate: spec.isAlternate });
  const isNegative = value < 0 || Object.is(value, -0);
  const isShownNegative = isNegative && !(spec.hasNoNegativeZero && !/[1-9]/.test(text));
  return padded(signOf(isShownNegative, spec), text, { ...spec, size: 3 });
}

const signOf = (isNegative: boolean, { sign }: Spec): string => (isNegative ? "-" : sign === "-" ? "" : sign);

/** Sign and digits, in groups, in a field. */
export function padded(before: string, digits: string, spec: Spec & { readonly size?: number }): string {
  const { fill, width, grouping, size = 3 } = spec;
  const align = spec.align === "" ? ">" : spec.align;
  const isZeroFill = align === "=" && fill === "0";
  const body =
    grouping === "" ? digits : grouped(digits, { grouping, size, width: isZeroFill ? width - before.length : 0 });
  const missing = width - lengthOf(before) - lengthOf(body);
  if (missing <= 0) return before + body;
  if (align === "=") return before + repeat(fill, missing) + body;
  const left = align === "<" ? 0 : align === ">" ? missing : Math.floor(missing / 2);
  return repeat(fill, left) + before + body + repeat(fill, missing - left);
}

interface Grouping {
  readonly grouping: string;
  readonly size: number;
  /** Zeros in front are part of the groups. */
  readonly width: number;
}

function grouped(digits: string, { grouping, size, width }: Grouping): string {
  const [, whole = "", rest = ""] = /^([0-9a-fA-F]*)(.*)$/.exec(digits) ?? [];
  // In "1e+10" the digits end before the e, which is a digit only in hexadecimal.
  const end = size === 3 ? whole.search(/[^0-9]/) : -1;
  const [integer, tail] = end === -1 ? [whole, rest] : [whole.slice(0, end), whole.slice(end) + rest];
  let filled = integer;
  while (filled.length + Math.floor((filled.length - 1) / size) + tail.length < width) filled = `0${filled}`;
  const first = filled.length % size;
  const groups = filled.slice(first).match(new RegExp(`.{${size}}`, "g")) ?? [];
  return [...(first > 0 ? [filled.slice(0, first)] : []), ...groups].join(grouping) + tail;
}

const MOST_PLACES = 5_000;

interface FloatFormat {
  /** One of `e`, `f`, `g`, `%`, or empty for the shortest digits. A capital letter prints a capital E. */
  readonly type: string;
  readonly precision: number | null;
  /** `#`: the point and zeros at the end stay. */
  readonly isAlternate: boolean;
}

/** The digits of a number without its sign. */
export function formatFloat(value: number, { type, precision, isAlternate }: FloatFormat): string {
  if ((precision ?? 0) > MOST_PLACES) raise("LimitError", `a number would have more than ${MOST_PLACES} digits`);
  const magnitude = Math.abs(type === "%" ? value * 100 : value);
  const digits = textOfInfinite(magnitude) ?? digitsOf(magnitude, { type: type.toLowerCase(), precision, isAlternate });
  const text = type === "%" ? `${digits}%` : digits;
  return /[A-Z]/.test(type) ? text.toUpperCase() : text;
}

function textOfInfinite(value: number): string | null {
  if (Number.isFinite(value)) return null;
  return Number.isNaN(value) ? "nan" : "inf";
}

function digitsOf(value: number, { type, precision, isAlternate }: FloatFormat): string {
  const point = isAlternate ? "." : "";
  if (type === "f" || type === "%") return withPoint(fixed(value, precision ?? 6), point);
  if (type === "e") return exponential(value, precision ?? 6, point);
  if (type === "")
    return precision === null ? floatText(value) : general(value, { precision, isAlternate, isFloat: true });
  return general(value, { precision: precision ?? 6, isAlternate, isFloat: false });
}

const withPoint = (text: string, point: string): string => (text.includes(".") ? text : text + point);

/** Formats with a fixed number of decimals, rounded half to even from the exact value. */
function fixed(value: number, places: number): string {
  const digits = scaledRound(value, places)
    .toString()
    .padStart(places + 1, "0");
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

function exponential(value: number, places: number, point: string): string {
  const { digits, exponent } = significant(value, places + 1);
  const mantissa = places === 0 ? digits + point : `${digits[0]}.${digits.slice(1)}`;
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

interface General {
  readonly precision: number;
  readonly isAlternate: boolean;
  /** At least one digit stays behind the point. */
  readonly isFloat: boolean;
}

function general(value: number, { precision, isAlternate, isFloat }: General): string {
  const places = Math.max(1, precision);
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
