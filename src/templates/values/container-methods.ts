import { raise } from "../faults.ts";
import { asCount } from "./arguments.ts";
import { Dict, DictView } from "./dict.ts";
import type { Method, Methods } from "./methods.ts";
import { isEqual } from "./operators.ts";
import { itemsOfSequence, iterate, sorted } from "./sequence.ts";
import { checkLength } from "./text.ts";
import { Callable, orElse, Tuple, type Value } from "./value.ts";

const position = (
  items: readonly Value[],
  [wanted = null, start = 0n, stop]: readonly (Value | undefined)[],
): bigint => {
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

const changing = (
  change: (items: Value[], args: readonly (Value | undefined)[]) => void,
  names: readonly string[] = [],
): Method<Value[]> => ({
  names,
  required: names.length,
  run: (items, args) => {
    change(items, args);
    checkLength(items.length);
    return null;
  },
});

export const LIST_METHODS: Methods<Value[]> = new Map<string, Method<Value[]>>([
  ["append", changing((items, [item = null]) => items.push(item), ["_object"])],
  ["clear", changing((items) => items.splice(0))],
  ["copy", { run: (items) => [...items] }],
  ["count", { names: ["_value"], required: 1, run: (items, [value = null]) => countOf(items, value) }],
  [
    "extend",
    changing(
      (items, [more = null]) => {
        for (const item of itemsOfSequence(more)) items.push(item);
      },
      ["_iterable"],
    ),
  ],
  ["index", { names: ["_value", "_start", "_stop"], required: 1, run: position }],
  ["insert", changing((items, [at = null, item = null]) => items.splice(asCount(at), 0, item), ["_index", "_object"])],
  ["pop", { names: ["_index"], run: (items, [at = -1n]) => items.splice(place(items, at), 1)[0] ?? null }],
  ["remove", changing((items, [value]) => items.splice(Number(position(items, [value])), 1), ["_value"])],
  ["reverse", changing((items) => items.reverse())],
  ["sort", { names: ["key", "reverse"], run: (items, [key, reverse]) => sortInPlace(items, key, reverse) }],
]);

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

export const TUPLE_METHODS: Methods<Tuple> = new Map<string, Method<Tuple>>([
  ["count", { names: ["_value"], required: 1, run: ({ items }, [value = null]) => countOf(items, value) }],
  ["index", { names: ["_value", "_start", "_stop"], required: 1, run: ({ items }, args) => position(items, args) }],
]);

function clear(dict: Dict): null {
  dict.clear();
  return null;
}

export const DICT_METHODS: Methods<Dict> = new Map<string, Method<Dict>>([
  ["clear", { run: clear }],
  ["copy", { run: (dict) => new Dict(dict.entries()) }],
  [
    "fromkeys",
    {
      names: ["_iterable", "_value"],
      required: 1,
      run: (_, [keys = null, value = null]) => new Dict([...iterate(keys)].map((key) => [key, value] as const)),
    },
  ],
  [
    "get",
    {
      names: ["_key", "_default"],
      required: 1,
      run: (dict, [key = null, fallback = null]) => orElse(dict.get(key), () => fallback),
    },
  ],
  ["items", { run: (dict) => new DictView(dict, "items") }],
  ["keys", { run: (dict) => new DictView(dict, "keys") }],
  [
    "pop",
    {
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
  ],
  [
    "popitem",
    {
      run: (dict) => {
        const [key, value] = [...dict.entries()].at(-1) ?? raise("KeyError", "popitem(): dictionary is empty");
        dict.delete(key);
        return new Tuple([key, value]);
      },
    },
  ],
  [
    "setdefault",
    {
      names: ["_key", "_default"],
      required: 1,
      run: (dict, [key = null, fallback = null]) => {
        const value = dict.get(key);
        if (value === undefined) dict.set(key, fallback);
        return value === undefined ? fallback : value;
      },
    },
  ],
  ["values", { run: (dict) => new DictView(dict, "values") }],
]);

/** The pairs that `dict()` and `update()` take: of a dict, or of a list of pairs. */
export function pairsOf(source: Value): readonly (readonly [Value, Value])[] {
  if (source instanceof Dict) return [...source.entries()];
  return itemsOfSequence(source).map((item) => {
    const [key, value, ...more] = itemsOfSequence(item);
    const isPair = key !== undefined && value !== undefined && more.length === 0;
    return isPair ? ([key, value] as const) : raise("ValueError", "a dict is made of pairs");
  });
}
