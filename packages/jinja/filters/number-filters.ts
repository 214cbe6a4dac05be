import { RenderError, raise } from "../faults.ts";
import { asCount, asInteger, type Given } from "../values/arguments.ts";
import { isTrue } from "../values/compare.ts";
import { floatDigits } from "../values/format-number.ts";
import { divideHalfEven, scaledRound, toFloat, toInteger, truncated } from "../values/numbers.ts";
import { calculate } from "../values/operators.ts";
import { isInteger, isNumber, typeNameOf, Undefined, type Value } from "../values/value.ts";
import { type Filter, filter } from "./filter.ts";

/** The value of `read`, or null where Python raises a TypeError or a ValueError. */
function unlessWrong<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const isWrong = error instanceof RenderError && (error.kind === "TypeError" || error.kind === "ValueError");
    if (isWrong) return null;
    throw error;
  }
}

function int(value: Value, [fallback = 0n, base = 10n]: Given): Value {
  const radix = Number(asInteger(base));
  const direct = unlessWrong(() => toInteger(value, radix));
  return direct ?? unlessWrong(() => truncated(toFloat(value))) ?? fallback;
}

function abs(value: Value): Value {
  if (value instanceof Undefined) return value.fail();
  if (typeof value === "number") return Math.abs(value);
  if (!isInteger(value)) return raise("TypeError", `bad operand type for abs(): '${typeNameOf(value)}'`);
  const number = BigInt(value);
  return number < 0n ? -number : number;
}

function filesizeformat(value: Value, [binary = false]: Given): Value {
  const bytes = toFloat(value);
  const [base, suffix] = isTrue(binary) ? [1024, "iB"] : [1000, "B"];
  if (bytes === 1) return "1 Byte";
  if (bytes < base) return `${truncated(bytes)} Bytes`;
  const prefixes = `${isTrue(binary) ? "K" : "k"}MGTPEZY`;
  let index = 0;
  while (index < prefixes.length - 1 && bytes >= base ** (index + 2)) index += 1;
  const shown = floatDigits((base * bytes) / base ** (index + 2), { type: "f", precision: 1, isAlternate: false });
  return `${shown} ${prefixes[index]}${suffix}`;
}

function round(value: Value, [precision = 0n, method = "common"]: Given): Value {
  if (method === "common") return roundHalfEven(value, precision);
  const up = method === "ceil";
  if (!up && method !== "floor") return raise("TypeError", "method must be common, ceil or floor");
  const scale = calculate(10n, "**", precision);
  const scaled = calculate(value, "*", scale);
  if (!isNumber(scaled)) return raise("TypeError", `must be real number, not ${typeNameOf(scaled)}`);
  const whole = typeof scaled === "number" ? truncated(up ? Math.ceil(scaled) : Math.floor(scaled)) : BigInt(scaled);
  return calculate(whole, "/", scale);
}

/** Python's `round(value, places)`: to the nearest, and to the even one of two. */
function roundHalfEven(value: Value, precision: Value): Value {
  if (value instanceof Undefined) return value.fail();
  const isWhole = precision === null;
  const places = isWhole ? 0 : asCount(precision);
  if (isInteger(value)) return roundInteger(BigInt(value), places);
  if (typeof value !== "number") {
    return raise("TypeError", `type ${typeNameOf(value)} doesn't define __round__ method`);
  }
  if (isWhole) return truncated(value) === 0n && !Number.isFinite(value) ? 0n : signed(scaledRound(value, 0), value);
  if (!Number.isFinite(value) || places > 323) return value;
  if (places < -308) return 0 * Math.sign(value);
  if (places < 0)
    return Number(signed(divideHalfEven(scaledRound(value, 0), 10n ** BigInt(-places)), value)) * 10 ** -places;
  return sign(value) * Number(`${scaledRound(value, places)}e-${places}`);
}

const sign = (value: number): number => (value < 0 || Object.is(value, -0) ? -1 : 1);
const signed = (digits: bigint, value: number): bigint => (value < 0 ? -digits : digits);

function roundInteger(value: bigint, places: number): bigint {
  if (places >= 0) return value;
  if (places < -5000) return 0n;
  const unit = 10n ** BigInt(-places);
  const rounded = divideHalfEven(value < 0n ? -value : value, unit) * unit;
  return value < 0n ? -rounded : rounded;
}

export const NUMBER_FILTERS: Readonly<Record<string, Filter>> = {
  abs: filter("", abs),
  filesizeformat: filter("binary?", filesizeformat),
  float: filter("default?", (value, [fallback = 0]) => unlessWrong(() => toFloat(value)) ?? fallback),
  int: filter("default? base?", int),
  round: filter("precision? method?", round),
};
