import { raise } from "../faults.ts";
import { attributeOf, pathReader } from "../run/lookup.ts";
import type { Environment } from "../run/scope.ts";
import { asCount, asText, type Given } from "../values/arguments.ts";
import { isEqual, isLess, isTrue, sorted } from "../values/compare.ts";
import { Dict, hashOf } from "../values/dict.ts";
import { calculate } from "../values/operators.ts";
import { htmlOf, str } from "../values/represent.ts";
import { itemOf, iterate, requireSize, reversedItems } from "../values/sequence.ts";
import { charactersOf } from "../values/text.ts";
import {
  Group,
  Iterator,
  isText,
  Markup,
  orElse,
  Tuple,
  textOf,
  typeNameOf,
  Undefined,
  type Value,
} from "../values/value.ts";
import { type Filter, filter } from "./filter.ts";

const lowered = (value: Value): Value => (isText(value) ? textOf(value).toLowerCase() : value);

/** Returns a function that reads a sort key, in lower case unless case-sensitive. */
const keyReader = (read: (item: Value) => Value, caseSensitive: Value): ((item: Value) => Value) =>
  isTrue(caseSensitive) ? read : (item) => lowered(read(item));

function* batches(value: Value, [count = null, fill = null]: Given): Generator<Value> {
  let batch: Value[] = [];
  for (const item of iterate(value)) {
    if (isEqual(BigInt(batch.length), count)) {
      yield batch;
      batch = [];
    }
    batch.push(item);
  }
  if (batch.length === 0) return;
  if (fill !== null) while (batch.length < asCount(count)) batch.push(fill);
  yield batch;
}

function* slices(value: Value, [slicesGiven = null, fill = null]: Given): Generator<Value> {
  const items = [...iterate(value)];
  const count = asCount(slicesGiven);
  if (count === 0) raise("ZeroDivisionError", "integer division or modulo by zero");
  const size = Math.floor(items.length / count);
  const longer = items.length - size * count;
  let start = 0;
  for (let at = 0; at < count; at += 1) {
    const end = start + size + (at < longer ? 1 : 0);
    yield [...items.slice(start, end), ...(fill !== null && at >= longer ? [fill] : [])];
    start = end;
  }
}

function dictsort(value: Value, [caseSensitive = false, by = "key", reverse = false]: Given): Value {
  if (by !== "key" && by !== "value") return raise("TypeError", 'dictsort sorts by "key" or "value"');
  if (!(value instanceof Dict))
    return raise("AttributeError", `'${typeNameOf(value)}' object has no attribute 'items'`);
  const pairs = [...value.entries()].map((pair) => new Tuple(pair));
  const part = (pair: Value): Value => (pair instanceof Tuple ? (pair.items[by === "key" ? 0 : 1] ?? null) : null);
  return sorted(pairs, { isReverse: isTrue(reverse), keyOf: keyReader(part, caseSensitive) });
}

function sort(value: Value, args: Given, env: Environment): Value {
  const [reverse = false, caseSensitive = false, attribute = null] = args;
  // Several attributes are separated by commas.
  const paths = isText(attribute) ? textOf(attribute).split(",") : [attribute];
  const readers = paths.map((path) => keyReader(pathReader(env, path), caseSensitive));
  const keyOf = (item: Value): Value => new Tuple(readers.map((read) => read(item)));
  return sorted(iterate(value), { isReverse: isTrue(reverse), keyOf });
}

function* unique(value: Value, [caseSensitive = false, attribute = null]: Given, env: Environment): Generator<Value> {
  const keyOf = keyReader(pathReader(env, attribute), caseSensitive);
  const seen = new Set<unknown>();
  for (const item of iterate(value)) {
    const key = hashOf(keyOf(item));
    if (seen.has(key)) continue;
    seen.add(key);
    yield item;
  }
}

/** The first of the items that is less, or greater, than the others. */
const extreme = (isBetter: (left: Value, right: Value) => boolean): Filter =>
  filter("case_sensitive? attribute?", (value, [caseSensitive = false, attribute = null], env) => {
    const keyOf = keyReader(pathReader(env, attribute), caseSensitive);
    const [first, ...others] = [...iterate(value)].map((item) => ({ item, key: keyOf(item) }));
    if (first === undefined) return env.undefined("the sequence is empty");
    return others.reduce((best, one) => (isBetter(one.key, best.key) ? one : best), first).item;
  });

function groupby(value: Value, args: Given, env: Environment): Value {
  const [attribute = null, fallback = null, caseSensitive = false] = args;
  const read = pathReader(env, attribute, fallback);
  const keyOf = keyReader(read, caseSensitive);
  const groups: { readonly key: Value; readonly items: Value[] }[] = [];
  for (const item of sorted(iterate(value), { keyOf })) {
    const key = keyOf(item);
    const last = groups.at(-1);
    if (last !== undefined && isEqual(last.key, key)) last.items.push(item);
    else groups.push({ key, items: [item] });
  }
  return groups.map(({ key, items }) => new Group([isTrue(caseSensitive) ? key : read(items[0] ?? null), items]));
}

function join(value: Value, [separator = "", attribute = null]: Given, env: Environment): Value {
  const items = [...iterate(value)].map(attribute === null ? (item) => item : pathReader(env, attribute));
  const isHtml = env.isAutoescaped && [separator, ...items].some((item) => item instanceof Markup);
  if (!isHtml) return items.map(str).join(str(separator));
  return new Markup(items.map(htmlOf).join(htmlOf(separator)));
}

function sum(value: Value, [attribute = null, start = 0n]: Given, env: Environment): Value {
  if (isText(start)) return raise("TypeError", "sum() can't sum strings [use ''.join(seq) instead]");
  const read = attribute === null ? (item: Value) => item : pathReader(env, attribute);
  let total: Value = start;
  for (const item of iterate(value)) total = calculate(total, "+", read(item));
  return total;
}

function first(value: Value, _: Given, env: Environment): Value {
  const next = value instanceof Iterator ? value.next() : iterate(value).next();
  return next.done === true ? env.undefined("there is no first item: the sequence is empty") : next.value;
}

function last(value: Value, _: Given, env: Environment): Value {
  if (value instanceof Undefined) value.check();
  const items = value instanceof Undefined ? [] : reversedItems(value);
  if (items === null) return raise("TypeError", `'${typeNameOf(value)}' object is not reversible`);
  return orElse(items[0], () => env.undefined("there is no last item: the sequence is empty"));
}

function random(value: Value, _: Given, env: Environment): Value {
  const size = requireSize(value);
  if (size === 0) return env.undefined("there is no random item: the sequence is empty");
  return orElse(itemOf(value, BigInt(Math.floor(env.random() * size))), () => raise("KeyError", "no such item"));
}

function reverse(value: Value): Value {
  if (isText(value)) {
    const text = [...charactersOf(textOf(value))].reverse().join("");
    return value instanceof Markup ? new Markup(text) : text;
  }
  const items = reversedItems(value);
  return items === null ? [...iterate(value)].reverse() : new Iterator(items.values(), "list_reverseiterator");
}

function* itemPairs(value: Value): Generator<Value> {
  if (value instanceof Undefined) return;
  if (!(value instanceof Dict)) return raise("TypeError", "Can only get item pairs from a mapping.");
  for (const pair of value.entries()) yield new Tuple(pair);
}

function fallback(value: Value, [replacement = "", forFalse = false]: Given): Value {
  return value instanceof Undefined || (isTrue(forFalse) && !isTrue(value)) ? replacement : value;
}

function attr(value: Value, [name = null]: Given, env: Environment): Value {
  const label = asText(name);
  if (value instanceof Undefined) value.fail();
  return orElse(attributeOf(env, value, label), () =>
    env.undefined(`${typeNameOf(value)} has no attribute "${label}"`),
  );
}

/** The items of a generator. */
const lazily = (parameters: string, generate: (...args: Parameters<typeof unique>) => Generator<Value>): Filter =>
  filter(parameters, (value, args, env) => new Iterator(generate(value, args, env)));

const length = filter("", (value) => BigInt(requireSize(value)));
const orDefault = filter("default_value? boolean?", fallback);

export const SEQUENCE_FILTERS: Readonly<Record<string, Filter>> = {
  attr: filter("name", attr),
  batch: lazily("linecount fill_with?", batches),
  count: length,
  d: orDefault,
  default: orDefault,
  dictsort: filter("case_sensitive? by? reverse?", dictsort),
  first: filter("", first),
  groupby: filter("attribute default? case_sensitive?", groupby),
  items: lazily("", itemPairs),
  join: filter("d? attribute?", join),
  last: filter("", last),
  length,
  list: filter("", (value) => [...iterate(value)]),
  max: extreme((left, right) => isLess(right, left)),
  min: extreme(isLess),
  random: filter("", random),
  reverse: filter("", reverse),
  slice: lazily("slices fill_with?", slices),
  sort: filter("reverse? case_sensitive? attribute?", sort),
  sum: filter("attribute? start?", sum),
  unique: lazily("case_sensitive? attribute?", unique),
};
