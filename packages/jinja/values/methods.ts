import { raise } from "../faults.ts";
import { asCount, type Given, type Methods, method, methods } from "./arguments.ts";
import { isEqual, sorted } from "./compare.ts";
import { Dict, DictView } from "./dict.ts";
import { exactDecimal } from "./numbers.ts";
import { itemsOfSequence, iterate } from "./sequence.ts";
import { checkLength } from "./text.ts";
import { TEXT_METHODS } from "./text-methods.ts";
import { Callable, isInteger, isText, Markup, orElse, Tuple, typeNameOf, type Value } from "./value.ts";

/** A method of Python's own types, bound to its object. */
export function methodOf(object: Value, name: string): Value | undefined {
  if (isText(object)) return bound(TEXT_METHODS, object, name);
  if (Array.isArray(object)) return bound(LIST_METHODS, object, name);
  if (object instanceof Dict) return bound(DICT_METHODS, object, name);
  if (object instanceof Tuple) return bound(TUPLE_METHODS, object, name);
  if (name === "real" && typeof object === "number") return object;
  if (name === "imag" && typeof object === "number") return 0;
  if (typeof object === "number") return bound(FLOAT_METHODS, object, name);
  if (!isInteger(object)) return undefined;
  if (name === "real" || name === "numerator") return BigInt(object);
  if (name === "imag" || name === "denominator") return name === "imag" ? 0n : 1n;
  return bound(INTEGER_METHODS, BigInt(object), name);
}

function bound<T extends Value>(methods: Methods<T>, self: T, name: string): Value | undefined {
  const method = methods.get(name);
  if (method === undefined) return undefined;
  const label = `${self instanceof Markup ? "str" : typeNameOf(self)}.${name}`;
  return new Callable(`method ${name} of ${typeNameOf(self)} object`, (args) => method(self, args, label), "built-in");
}

const bitsOf = (value: bigint): string => (value === 0n ? "" : value.toString(2).replace("-", ""));

const INTEGER_METHODS = methods<bigint>({
  as_integer_ratio: method("", (value) => new Tuple([value, 1n])),
  bit_count: method("", (value) => BigInt(bitsOf(value).replaceAll("0", "").length)),
  bit_length: method("", (value) => BigInt(bitsOf(value).length)),
  conjugate: method("", (value) => value),
});

const FLOAT_METHODS = methods<number>({
  as_integer_ratio: method("", ratioOf),
  conjugate: method("", (value) => value),
  is_integer: method("", Number.isInteger),
});

function ratioOf(value: number): Value {
  const { digits, scale } = exactDecimal(value);
  let [top, bottom] = [value < 0 ? -digits : digits, 10n ** BigInt(scale)];
  for (const prime of [2n, 5n]) {
    while (bottom % prime === 0n && top % prime === 0n && bottom > 1n) [top, bottom] = [top / prime, bottom / prime];
  }
  return new Tuple([top, bottom]);
}

function positionOf(items: readonly Value[], [wanted = null, start = 0n, stop]: Given): bigint {
  const from = (bound: number): number => (bound < 0 ? Math.max(0, bound + items.length) : bound);
  const end = stop === undefined ? items.length : from(asCount(stop));
  const at = items.findIndex((item, index) => index >= from(asCount(start)) && index < end && isEqual(item, wanted));
  return at === -1 ? raise("ValueError", "the item is not in the list") : BigInt(at);
}

const countOf = (items: readonly Value[], wanted: Value): bigint =>
  BigInt(items.filter((item) => item === wanted || isEqual(item, wanted)).length);

function pop(items: Value[], at: Value): Value {
  const index = asCount(at);
  const from = index < 0 ? index + items.length : index;
  const isThere = from >= 0 && from < items.length;
  return isThere ? (items.splice(from, 1)[0] ?? null) : raise("IndexError", "list index out of range");
}

/** A method that changes a list and returns nothing. */
const changing = (parameters: string, change: (items: Value[], args: Given) => void) =>
  method<Value[]>(parameters, (items, args) => {
    change(items, args);
    checkLength(items.length);
    return null;
  });

const LIST_METHODS = methods<Value[]>({
  append: changing("_object", (items, [item = null]) => items.push(item)),
  clear: changing("", (items) => items.splice(0)),
  copy: method("", (items) => [...items]),
  count: method("_value", (items, [value = null]) => countOf(items, value)),
  extend: changing("_iterable", (items, [more = null]) => {
    for (const item of itemsOfSequence(more)) items.push(item);
  }),
  index: method("_value _start? _stop?", positionOf),
  insert: changing("_index _object", (items, [at = null, item = null]) => items.splice(asCount(at), 0, item)),
  pop: method("_index?", (items, [at = -1n]) => pop(items, at)),
  remove: changing("_value", (items, [value]) => items.splice(Number(positionOf(items, [value])), 1)),
  reverse: changing("", (items) => items.reverse()),
  sort: changing("key? reverse?", (items, [key, reverse]) => {
    const keyOf =
      key instanceof Callable ? (item: Value) => key.call({ positional: [item], keywords: new Map() }) : undefined;
    const inOrder = sorted(items, { isReverse: reverse === true || reverse === 1n, ...(keyOf && { keyOf }) });
    items.splice(0, items.length, ...inOrder);
  }),
});

const TUPLE_METHODS = methods<Tuple>({
  count: method("_value", ({ items }, [value = null]) => countOf(items, value)),
  index: method("_value _start? _stop?", ({ items }, args) => positionOf(items, args)),
});

/** Removes a member and returns its value. */
function taken(dict: Dict, key: Value, fallback: Value | undefined): Value {
  const value = dict.has(key) ? dict.get(key) : fallback;
  dict.delete(key);
  return orElse(value, () => raise("KeyError", "the key is not in the dict"));
}

const DICT_METHODS = methods<Dict>({
  clear: method("", (dict) => {
    dict.clear();
    return null;
  }),
  copy: method("", (dict) => new Dict(dict.entries())),
  fromkeys: method(
    "_iterable _value?",
    (_, [keys = null, value = null]) => new Dict([...iterate(keys)].map((key) => [key, value] as const)),
  ),
  get: method("_key _default?", (dict, [key = null, fallback = null]) => orElse(dict.get(key), () => fallback)),
  items: method("", (dict) => new DictView(dict, "items")),
  keys: method("", (dict) => new DictView(dict, "keys")),
  pop: method("_key _default?", (dict, [key = null, fallback]) => taken(dict, key, fallback)),
  popitem: method("", (dict) => {
    const [key, value] = [...dict.entries()].at(-1) ?? raise("KeyError", "popitem(): dictionary is empty");
    dict.delete(key);
    return new Tuple([key, value]);
  }),
  setdefault: method("_key _default?", (dict, [key = null, fallback = null]) => {
    if (!dict.has(key)) dict.set(key, fallback);
    return dict.get(key) ?? null;
  }),
  update: (dict, { positional: [source], keywords }) => {
    for (const [key, value] of [...(source === undefined ? [] : pairsOf(source)), ...keywords]) dict.set(key, value);
    return null;
  },
  values: method("", (dict) => new DictView(dict, "values")),
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
