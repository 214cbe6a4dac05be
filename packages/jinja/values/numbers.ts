import { raise } from "../faults.ts";
import { MOST_DIGITS, strip } from "./text.ts";
import { isNumber, isText, textOf, typeNameOf, Undefined, type Value } from "./value.ts";

type Numeric = bigint | number;

/** The quotient rounded down, as Python's `//`. */
export function floorDivide(left: Numeric, right: Numeric): Numeric {
  if (Number(right) === 0) raise("ZeroDivisionError", "integer division or modulo by zero");
  if (typeof left !== "bigint" || typeof right !== "bigint") {
    const [one, other] = [Number(left), Number(right)];
    const rest = one % other;
    const quotient = (one - rest) / other - (rest !== 0 && rest < 0 !== other < 0 ? 1 : 0);
    // Python keeps the sign of a zero quotient.
    return quotient === 0 ? 0 * Math.sign(one / other) : Math.floor(quotient + 0.5);
  }
  const quotient = left / right;
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient;
}

/** The rest with the sign of the divisor, as Python's `%`. */
export function modulo(left: Numeric, right: Numeric): Numeric {
  if (Number(right) === 0) raise("ZeroDivisionError", "integer division or modulo by zero");
  if (typeof left === "bigint" && typeof right === "bigint") {
    const rest = left % right;
    return rest !== 0n && rest < 0n !== right < 0n ? rest + right : rest;
  }
  const [one, other] = [Number(left), Number(right)];
  const rest = one % other;
  if (rest === 0) return other < 0 ? -0 : 0;
  return rest < 0 !== other < 0 ? rest + other : rest;
}

/** A larger int is refused, because computing and printing it would take long. */
const MOST_BITS = 1_000_000;

export function power(base: Numeric, exponent: Numeric): Numeric {
  if (typeof base === "bigint" && typeof exponent === "bigint" && exponent >= 0n) {
    const bits = BigInt(base.toString(2).length) * exponent;
    if (bits > MOST_BITS && base !== 1n && base !== -1n && base !== 0n)
      raise("LimitError", "a number would be too large");
    return base ** exponent;
  }
  const [one, other] = [Number(base), Number(exponent)];
  if (one === 0 && other < 0) raise("ZeroDivisionError", "0.0 cannot be raised to a negative power");
  if (one < 0 && Number.isFinite(other) && !Number.isInteger(other))
    raise("TypeError", "complex numbers are not supported");
  // In Python 1 ** nan is 1, in JavaScript it is NaN.
  const result = one === 1 ? 1 : one ** other;
  if (!Number.isFinite(result) && Number.isFinite(one) && Number.isFinite(other)) {
    raise("OverflowError", "(34, 'Numerical result out of range')");
  }
  return result;
}

const INTEGER_DIGITS = /^[0-9a-z]+(?:_[0-9a-z]+)*$/;
const PREFIXES: readonly (readonly [number, string])[] = [2, 8, 16].map((radix, at) => [radix, `0${"box"[at]}`]);

/** Python's `int(text, base)`; null: it is no int. */
function parseInteger(text: string, base: number): bigint | null {
  const trimmed = withAsciiDigits(strip(text, null)).toLowerCase();
  const [digits, radix] = withoutPrefix(trimmed.replace(/^[+-]/, ""), base);
  if (digits.length > MOST_DIGITS || !INTEGER_DIGITS.test(digits)) return null;
  if (base === 0 && radix === 10 && /^0[0_]*[1-9]/.test(digits)) return null;
  let value = 0n;
  for (const digit of digits.replaceAll("_", "")) {
    const number = Number.parseInt(digit, 36);
    if (number >= radix) return null;
    value = value * BigInt(radix) + BigInt(number);
  }
  return trimmed.startsWith("-") ? -value : value;
}

function withoutPrefix(text: string, base: number): readonly [string, number] {
  for (const [radix, prefix] of PREFIXES) {
    const hasPrefix = text.startsWith(prefix) && (base === radix || base === 0);
    if (hasPrefix) return [text.slice(2).replace(/^_/, ""), radix];
  }
  return [text, base === 0 ? 10 : base];
}

/** Digits of other scripts are accepted, as in Python. */
function withAsciiDigits(text: string): string {
  return text.replace(/[^\0-\x7f]/gu, (one) => (/\p{Nd}/u.test(one) ? String(decimalValue(one)) : one));
}

/** Unicode has decimal digits in runs from 0 to 9. */
function decimalValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && code - zero < 9) zero -= 1;
  // Mathematical digits are in several adjacent runs, the first at 1d7ce.
  return code >= 0x1d7ce && code <= 0x1d7ff ? (code - 0x1d7ce) % 10 : code - zero;
}

const FLOAT = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i;
const SPECIAL = /^([+-]?)(?:(inf|infinity)|nan)$/i;

/** Python's `float(text)`; null: it is no float. */
function floatOf(text: string): number | null {
  const trimmed = withAsciiDigits(strip(text, null));
  const special = SPECIAL.exec(trimmed);
  if (special !== null) return special[2] === undefined ? Number.NaN : special[1] === "-" ? -Infinity : Infinity;
  return trimmed.length < 10_000 && FLOAT.test(trimmed) ? Number(trimmed.replaceAll("_", "")) : null;
}

/** Python's `int()` of a value. */
export function toInteger(value: Value, base = 10): bigint {
  if (value instanceof Undefined) value.fail();
  if (typeof value === "number") return truncated(value);
  if (isNumber(value)) return BigInt(value);
  if (!isText(value))
    return raise("TypeError", `int() argument must be a string or a number, not '${typeNameOf(value)}'`);
  return parseInteger(textOf(value), base) ?? raise("ValueError", `invalid literal for int() with base ${base}`);
}

export function truncated(value: number): bigint {
  if (Number.isNaN(value)) raise("ValueError", "cannot convert float NaN to integer");
  if (!Number.isFinite(value)) raise("OverflowError", "cannot convert float infinity to integer");
  return BigInt(Math.trunc(value));
}

/** Python's `float()` of a value. */
export function toFloat(value: Value): number {
  if (value instanceof Undefined) value.fail();
  if (typeof value === "number") return value;
  if (isNumber(value)) {
    const number = Number(value);
    return Number.isFinite(number) ? number : raise("OverflowError", "int too large to convert to float");
  }
  if (!isText(value))
    return raise("TypeError", `float() argument must be a string or a number, not '${typeNameOf(value)}'`);
  return floatOf(textOf(value)) ?? raise("ValueError", "could not convert string to float");
}

/** The exact decimal digits of a double: its value is digits / 10^scale. */
export function exactDecimal(value: number): { readonly digits: bigint; readonly scale: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, Math.abs(value));
  const raw = bits.getBigUint64(0);
  const biased = Number(raw >> 52n);
  const mantissa = biased === 0 ? raw & MANTISSA : (raw & MANTISSA) | (1n << 52n);
  const exponent = (biased === 0 ? 1 : biased) - 1075;
  if (exponent >= 0) return { digits: mantissa << BigInt(exponent), scale: 0 };
  return { digits: mantissa * 5n ** BigInt(-exponent), scale: -exponent };
}
const MANTISSA = (1n << 52n) - 1n;

/** The absolute value with the given number of decimals, rounded half to even from the exact value, as an int. */
export function scaledRound(value: number, places: number): bigint {
  const { digits, scale } = exactDecimal(value);
  return divideHalfEven(
    digits * 10n ** BigInt(Math.max(0, places - scale)),
    10n ** BigInt(Math.max(0, scale - places)),
  );
}

export function divideHalfEven(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  const twice = (value % divisor) * 2n;
  if (twice > divisor || (twice === divisor && quotient % 2n === 1n)) return quotient + 1n;
  return quotient;
}
