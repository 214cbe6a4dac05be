import { bind } from "./arguments.ts";
import { DICT_METHODS, LIST_METHODS, pairsOf, TUPLE_METHODS } from "./container-methods.ts";
import { Dict } from "./dict.ts";
import { exactDecimal } from "./numbers.ts";
import { TEXT_METHODS } from "./text-methods.ts";
import { type Arguments, Callable, isInteger, isText, Markup, Tuple, typeNameOf, type Value } from "./value.ts";

/** A method: its parameters, how many are needed, and what it does with the object and its arguments. */
export interface Method<T> {
  readonly names?: readonly string[];
  readonly required?: number;
  readonly run: (self: T, args: readonly (Value | undefined)[]) => Value;
}
export type Methods<T> = ReadonlyMap<string, Method<T>>;

/** A method of Python's own types, bound to its object. */
export function methodOf(object: Value, name: string): Value | undefined {
  if (isText(object)) return bound(TEXT_METHODS, object, name);
  if (Array.isArray(object)) return bound(LIST_METHODS, object, name);
  if (object instanceof Dict && name === "update")
    return new Callable(name, (args) => update(object, args), "built-in");
  if (object instanceof Dict) return bound(DICT_METHODS, object, name);
  if (object instanceof Tuple) return bound(TUPLE_METHODS, object, name);
  if (isInteger(object)) return integerAttribute(BigInt(object), name) ?? bound(INTEGER_METHODS, BigInt(object), name);
  if (typeof object !== "number") return undefined;
  if (name === "real" || name === "imag") return name === "real" ? object : 0;
  return bound(FLOAT_METHODS, object, name);
}

function bound<T extends Value>(methods: Methods<T>, self: T, name: string): Value | undefined {
  const method = methods.get(name);
  if (method === undefined) return undefined;
  const { names = [], required = 0, run } = method;
  const label = `${self instanceof Markup ? "str" : typeNameOf(self)}.${name}`;
  const call = (args: Arguments): Value => run(self, bind({ name: label, names, required }, args));
  return new Callable(`method ${name} of ${typeNameOf(self)} object`, call, "built-in");
}

function update(dict: Dict, { positional: [source], keywords }: Arguments): null {
  for (const [key, value] of [...(source === undefined ? [] : pairsOf(source)), ...keywords]) dict.set(key, value);
  return null;
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);
const bitsOf = (value: bigint): string => (value === 0n ? "" : magnitude(value).toString(2));

function integerAttribute(value: bigint, name: string): Value | undefined {
  if (name === "real" || name === "numerator") return value;
  if (name === "imag") return 0n;
  return name === "denominator" ? 1n : undefined;
}

const INTEGER_METHODS: Methods<bigint> = new Map<string, Method<bigint>>([
  ["as_integer_ratio", { run: (value) => new Tuple([value, 1n]) }],
  ["bit_count", { run: (value) => BigInt(bitsOf(value).replaceAll("0", "").length) }],
  ["bit_length", { run: (value) => BigInt(bitsOf(value).length) }],
  ["conjugate", { run: (value) => value }],
]);

const FLOAT_METHODS: Methods<number> = new Map<string, Method<number>>([
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
