import { raise } from "../faults.ts";
import { asCount, bind, type Given, type Method, type Methods, methods } from "./arguments.ts";
import { isEqual, sorted } from "./compare.ts";
import { Dict, DictView } from "./dict.ts";
import { exactDecimal } from "./numbers.ts";
import { itemsOfSequence, iterate } from "./sequence.ts";
import { checkLength } from "./text.ts";
import { TEXT_METHODS } from "./text-methods.ts";
import { type Arguments, Callable, isInteger, isText, Markup, orElse, Tuple, typeNameOf, type Value } from "./value.ts";

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

const INTEGER_METHODS = methods<bigint>({
  as_integer_ratio: { run: (value) => new Tuple([value, 1n]) },
  bit_count: { run: (value) => BigInt(bitsOf(value).replaceAll("0", "").length) },
  bit_length: { run: (value) => BigInt(bitsOf(value).length) },
  conjugate: { run: (value) => value },
});

const FLOAT_METHODS = methods<number>({
  as_integer_ratio: { run: ratioOf },
  conjugate: { run: (value) => value },
  is_integer: { run: (value) => Number.isInteger(value) },
});

function ratioOf(value: number): Value {
  const { digits, scale } = exactDecimal(value);
  let [top, bottom] = [value < 0 ? -digits : digits, 10n ** BigInt(scale)];
  for (const prime of [2n, 5n]) {
    while (bottom % prime === 0n && top % prime === 0n && bottom > 1n) [top, bottom] = [top / prime, bottom / prime];
  }
  return new Tuple([top, bottom]);
}

const position = (items: readonly Value[], [wanted = null, start = 0n, stop]: Given): bigint => {
  const from = (bound: number): number => (bound < 0 ? Math.max(0, bound + items.length) : bound);
  const end = stop === undefined ? items.length : from(asCount(stop));
  const at = items.findIndex((item, index) => index >= from(asCount(start)) && index < end && isEqual(item, wanted));
  return at === -1 ? raise("ValueError", "the item is not in the list") : BigInt(at);
};
const countOf = (items: readonly Value[], wanted: Value): bigint =>
  BigInt(items.filter((item) => item === wanted || isEqual(item, wanted)).length);

/** The position of an item in a list; a negative one counts from the end. */
function place(items: readonly Value[], at: Value): number {
  const index = asCount(at);
  const found = index < 0 ? index + items.length : index;
  return found >= 0 && found < items.length ? found : raise("IndexError", "list index out of range");
}

const changing = (change: (items: Value[], args: Given) => void, names: readonly string[] = []): Method<Value[]> => ({
  names,
  required: names.length,
  run: (items, args) => {
    change(items, args);
    checkLength(items.length);
    return null;
  },
});

const LIST_METHODS = methods<Value[]>({
  append: changing((items, [item = null]) => items.push(item), ["_object"]),
  clear: changing((items) => items.splice(0)),
  copy: { run: (items) => [...items] },
  count: { names: ["_value"], required: 1, run: (items, [value = null]) => countOf(items, value) },
  extend: changing(
    (items, [more = null]) => {
      for (const item of itemsOfSequence(more)) items.push(item);
    },
    ["_iterable"],
  ),

  index: { names: ["_value", "_start", "_stop"], required: 1, run: position },
  insert: changing((items, [at = null, item = null]) => items.splice(asCount(at), 0, item), ["_index", "_object"]),
  pop: { names: ["_index"], run: (items, [at = -1n]) => items.splice(place(items, at), 1)[0] ?? null },
  remove: changing((items, [value]) => items.splice(Number(position(items, [value])), 1), ["_value"]),
  reverse: changing((items) => items.reverse()),
  sort: { names: ["key", "reverse"], run: (items, [key, reverse]) => sortInPlace(items, key, reverse) },
});

function sortInPlace(items: Value[], key: Value | undefined, reverse: Value | undefined): null {
  const keyOf =
    key instanceof Callable ? (item: Value) => key.call({ positional: [item], keywords: new Map() }) : undefined;
  items.splice(
    0,
    items.length,
    ...sorted(items, { isReverse: reverse === true || reverse === 1n, ...(keyOf && { keyOf }) }),
  );
  return null;
}

const TUPLE_METHODS = methods<Tuple>({
  count: { names: ["_value"], required: 1, run: ({ items }, [value = null]) => countOf(items, value) },
  index: { names: ["_value", "_start", "_stop"], required: 1, run: ({ items }, args) => position(items, args) },
});

function clear(dict: Dict): null {
  dict.clear();
  return null;
}

const DICT_METHODS = methods<Dict>({
  clear: { run: clear },
  copy: { run: (dict) => new Dict(dict.entries()) },
  fromkeys: {
    names: ["_iterable", "_value"],
    required: 1,
    run: (_, [keys = null, value = null]) => new Dict([...iterate(keys)].map((key) => [key, value] as const)),
  },

  get: {
    names: ["_key", "_default"],
    required: 1,
    run: (dict, [key = null, fallback = null]) => orElse(dict.get(key), () => fallback),
  },

  items: { run: (dict) => new DictView(dict, "items") },
  keys: { run: (dict) => new DictView(dict, "keys") },
  pop: {
    names: ["_key", "_default"],
    required: 1,
    run: (dict, [key = null, fallback]) => {
      const value = orElse(dict.get(key), () =>
        fallback === undefined ? raise("KeyError", "the key is not in the dict") : fallback,
      );
      dict.delete(key);
      return value;
    },
  },

  popitem: {
    run: (dict) => {
      const [key, value] = [...dict.entries()].at(-1) ?? raise("KeyError", "popitem(): dictionary is empty");
      dict.delete(key);
      return new Tuple([key, value]);
    },
  },

  setdefault: {
    names: ["_key", "_default"],
    required: 1,
    run: (dict, [key = null, fallback = null]) => {
      const value = dict.get(key);
      if (value === undefined) dict.set(key, fallback);
      return value === undefined ? fallback : value;
    },
  },

  values: { run: (dict) => new DictView(dict, "values") },
});

/** The pairs for `dict()` and `update()`: of a dict, or of a list of pairs. */
export function pairsOf(source: Value): readonly (readonly [Value, Value])[] {
  if (source instanceof Dict) return [...source.entries()];
  return itemsOfSequence(source).map((item) => {
    const [key, value, ...more] = itemsOfSequence(item);
    const isPair = key !== undefined && value !== undefined && more.length === 0;
    return isPair ? ([key, value] as const) : raise("ValueError", "a dict is made of pairs");
  });
}
