import { raise } from "../faults.ts";
import { Dict, DictView } from "./dict.ts";
import { charactersOf, lengthOf } from "./text.ts";
import {
  Iterator,
  isInteger,
  isText,
  Markup,
  Range,
  Slice,
  Tuple,
  textOf,
  typeNameOf,
  Undefined,
  type Value,
} from "./value.ts";

/** The items of a value, one after the other. */
export function* iterate(value: Value): Generator<Value> {
  if (value instanceof Undefined) return value.check();
  if (isText(value)) yield* charactersOf(textOf(value));
  else if (Array.isArray(value)) yield* value;
  else if (value instanceof Tuple) yield* value.items;
  else if (value instanceof Dict) for (const [key] of value.entries()) yield key;
  else if (value instanceof DictView) yield* value.values();
  else if (value instanceof Range) for (let at = 0; at < value.length; at += 1) yield value.at(at);
  else if (value instanceof Iterator) {
    for (let next = value.next(); next.done !== true; next = value.next()) yield next.value;
  } else raise("TypeError", `'${typeNameOf(value)}' object is not iterable`);
}

export const itemsOfSequence = (value: Value): Value[] => [...iterate(value)];

/** Python's `len()`; null if the value has no length. */
export function sizeOf(value: Value): number | null {
  if (value instanceof Undefined) {
    value.check();
    return 0;
  }
  if (isText(value)) return lengthOf(textOf(value));
  if (Array.isArray(value)) return value.length;
  if (value instanceof Tuple) return value.items.length;
  if (value instanceof Dict) return value.size;
  if (value instanceof DictView) return value.dict.size;
  return value instanceof Range ? value.length : null;
}

export const requireSize = (value: Value): number =>
  sizeOf(value) ?? raise("TypeError", `object of type '${typeNameOf(value)}' has no len()`);

const isSized = (value: Value): boolean => !(value instanceof Undefined) && sizeOf(value) !== null;

export const isIterable = (value: Value): boolean =>
  value instanceof Undefined ? !value.isStrict : isSized(value) || value instanceof Iterator;

/** True for a value with a length and items by position or key. */
export const isSequence = (value: Value): boolean => isSized(value) && !(value instanceof DictView);

/** Python's `reversed()`; null if the value has no order. */
export const reversedItems = (value: Value): Value[] | null =>
  isSized(value) ? itemsOfSequence(value).reverse() : null;

/** `object[key]`; undefined if the key is missing or the object has no items. */
export function itemOf(object: Value, key: Value): Value | undefined {
  if (object instanceof Undefined) return object.fail();
  if (object instanceof Dict) return isHashable(key) ? object.get(key) : undefined;
  if (key instanceof Slice) return sliceOf(object, key);
  if (!isInteger(key)) return undefined;
  const size = object instanceof DictView ? 0 : (sizeOf(object) ?? 0);
  const index = BigInt(key) < 0n ? BigInt(key) + BigInt(size) : BigInt(key);
  return index < 0n || index >= BigInt(size) ? undefined : itemAt(object, Number(index));
}

function isHashable(key: Value): boolean {
  if (key instanceof Tuple) return key.items.every(isHashable);
  if (key instanceof Undefined) key.check();
  return !(Array.isArray(key) || key instanceof Dict || key instanceof Slice || key instanceof DictView);
}

function itemAt(object: Value, index: number): Value | undefined {
  if (typeof object === "string") return charactersOf(object)[index];
  if (object instanceof Markup) return new Markup(charactersOf(object.text)[index] ?? "");
  if (Array.isArray(object)) return object[index];
  if (object instanceof Tuple) return object.items[index];
  return object instanceof Range ? object.at(index) : undefined;
}

/** `object[start:stop:step]`; undefined if the object has no order. */
export function sliceOf(object: Value, slice: Slice): Value | undefined {
  if (typeof object === "string") return sliced(charactersOf(object), slice).join("");
  if (object instanceof Markup) return new Markup(sliced(charactersOf(object.text), slice).join(""));
  if (Array.isArray(object)) return sliced(object, slice);
  if (object instanceof Tuple) return new Tuple(sliced(object.items, slice));
  if (!(object instanceof Range)) return undefined;
  const [start, stop, step] = boundsOf(slice, object.length);
  return new Range(object.start + start * object.step, object.start + stop * object.step, object.step * step);
}

function sliced<T>(items: readonly T[], slice: Slice): T[] {
  const [start, stop, step] = boundsOf(slice, items.length);
  const found: T[] = [];
  for (let at = start; step > 0 ? at < stop : at > stop; at += step) {
    const item = items[at];
    if (item !== undefined) found.push(item);
  }
  return found;
}

/** Start, stop and step of a slice for a given number of items. */
function boundsOf({ bounds }: Slice, length: number): readonly [number, number, number] {
  const [start = null, stop = null, step = null] = bounds;
  if (step === 0n) raise("ValueError", "slice step cannot be zero");
  const by = step === null ? 1 : clamp(step, -length - 1, length + 1);
  const [low, high] = by > 0 ? [0, length] : [-1, length - 1];
  const index = (bound: bigint): number => clamp(bound < 0n ? bound + BigInt(length) : bound, low, high);
  const first = start === null ? (by > 0 ? low : high) : index(start);
  const last = stop === null ? (by > 0 ? high : low) : index(stop);
  return [first, last, by];
}

const clamp = (value: bigint, low: number, high: number): number =>
  value < BigInt(low) ? low : value > BigInt(high) ? high : Number(value);
