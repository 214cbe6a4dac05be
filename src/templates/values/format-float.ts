import { raise } from "../faults.ts";
import { divideHalfEven, exactDecimal, scaledRound } from "./numbers.ts";
import { floatText } from "./represent.ts";

const MOST_PLACES = 5_000;

export interface FloatFormat {
  /** One of `e`, `f`, `g`, `%`, or empty: the shortest digits. In capitals: an E in capitals. */
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

/** So many places after the point, rounded half to even of the exact value. */
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

/** So many digits of a number, rounded half to even, and the exponent of the first. */
function significant(value: number, count: number): { readonly digits: string; readonly exponent: number } {
  if (value === 0) return { digits: "0".repeat(count), exponent: 0 };
  const { digits, scale } = exactDecimal(value);
  const length = digits.toString().length;
  const excess = length - count;
  const rounded = excess > 0 ? divideHalfEven(digits, 10n ** BigInt(excess)) : digits * 10n ** BigInt(-excess);
  const text = rounded.toString();
  return { digits: text.slice(0, count), exponent: length - 1 - scale + (text.length - count) };
}
