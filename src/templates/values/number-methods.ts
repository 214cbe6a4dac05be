import type { Method, Methods } from "./methods.ts";
import { exactDecimal } from "./numbers.ts";
import { Tuple, type Value } from "./value.ts";

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);
const bitsOf = (value: bigint): string => (value === 0n ? "" : magnitude(value).toString(2));

export function INTEGER_ATTRIBUTES(value: bigint, name: string): Value | undefined {
  if (name === "real" || name === "numerator") return value;
  if (name === "imag") return 0n;
  return name === "denominator" ? 1n : undefined;
}

export const INTEGER_METHODS: Methods<bigint> = new Map<string, Method<bigint>>([
  ["as_integer_ratio", { run: (value) => new Tuple([value, 1n]) }],
  ["bit_count", { run: (value) => BigInt(bitsOf(value).replaceAll("0", "").length) }],
  ["bit_length", { run: (value) => BigInt(bitsOf(value).length) }],
  ["conjugate", { run: (value) => value }],
]);

export const FLOAT_METHODS: Methods<number> = new Map<string, Method<number>>([
  ["as_integer_ratio", { run: ratioOf }],
  ["conjugate", { run: (value) => value }],
  ["is_integer", { run: (value) => Number.isInteger(value) }],
]);

function ratioOf(value: number): Value {
  const { digits, scale } = exactDecimal(value);
  let [top, bottom] = [value < 0 ? -digits : digits, 10n ** BigInt(scale)];
  for (const prime of [2n, 5n]) {
    while (bottom % prime === 0n && top % prime === 0n && bottom > 1n) [top, bottom] = [top / prime, bottom / prime];
  }
  return new Tuple([top, bottom]);
}
