import { raise } from "../faults.ts";
import type { CompareOperator } from "../syntax/nodes.ts";
import { Dict, DictView } from "./dict.ts";
import { itemsOfSequence, iterate, sizeOf } from "./sequence.ts";
import { compareTexts } from "./text.ts";
import { isNumber, isText, Range, Tuple, textOf, typeNameOf, Undefined, type Value } from "./value.ts";

/** Python's `bool()`. */
export function isTrue(value: Value): boolean {
  if (value === null || value === false || value === "" || value === 0n) return false;
  if (typeof value === "number") return value !== 0;
  if (value instanceof Undefined) value.check();
  return sizeOf(value) !== 0;
}

/** Python's `==`. */
export function isEqual(left: Value, right: Value): boolean {
  for (const side of [left, right]) if (side instanceof Undefined) side.check();
  if (left instanceof Undefined || right instanceof Undefined) return typeNameOf(left) === typeNameOf(right);
  if (isNumber(left) && isNumber(right)) return isSameNumber(numberOf(left), numberOf(right));
  if (isText(left) && isText(right)) return textOf(left) === textOf(right);
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) return areEqual(left, right);
  if (left instanceof Tuple && right instanceof Tuple) return areEqual(left.items, right.items);
  if (left instanceof Dict && right instanceof Dict) return areEqualDicts(left, right);
  if (left instanceof Range && right instanceof Range) return areEqual(itemsOfSequence(left), itemsOfSequence(right));
  if (left instanceof DictView && right instanceof DictView && left.typeName === right.typeName) {
    return (
      left.typeName !== "dict_values" &&
      left.dict.size === right.dict.size &&
      [...left.values()].every((item) => [...right.values()].some((other) => isEqual(item, other)))
    );
  }
  return false;
}

/** An int and a float are equal by their exact values; NaN is equal to nothing. */
const isSameNumber = (left: bigint | number, right: bigint | number): boolean => left <= right && left >= right;

export const numberOf = (value: bigint | number | boolean): bigint | number =>
  typeof value === "boolean" ? BigInt(value) : value;

function areEqual(left: readonly Value[], right: readonly Value[]): boolean {
  return (
    left.length === right.length && left.every((item, at) => item === right[at] || isEqual(item, right[at] ?? null))
  );
}

function areEqualDicts(left: Dict, right: Dict): boolean {
  if (left.size !== right.size) return false;
  return [...left.entries()].every(([key, value]) => {
    const other = right.get(key);
    return other !== undefined && isEqual(value, other);
  });
}

/** Negative if the left value is less, null if neither is (NaN). Values of kinds without an order are an error. */
function order(left: Value, right: Value, operator: string): number | null {
  for (const side of [left, right]) if (side instanceof Undefined) side.fail();
  if (isNumber(left) && isNumber(right)) {
    const [one, other] = [numberOf(left), numberOf(right)];
    return one < other ? -1 : one > other ? 1 : isSameNumber(one, other) ? 0 : null;
  }
  if (isText(left) && isText(right)) return compareTexts(textOf(left), textOf(right));
  if (Array.isArray(left) && Array.isArray(right)) return orderItems(left, right, operator);
  if (left instanceof Tuple && right instanceof Tuple) return orderItems(left.items, right.items, operator);
  const types = `'${typeNameOf(left)}' and '${typeNameOf(right)}'`;
  return raise("TypeError", `'${operator}' not supported between instances of ${types}`);
}

function orderItems(left: readonly Value[], right: readonly Value[], operator: string): number | null {
  for (const [at, item] of left.entries()) {
    const other = right[at];
    if (other === undefined) return 1;
    if (!isEqual(item, other)) return order(item, other, operator);
  }
  return left.length - right.length;
}

export const isLess = (left: Value, right: Value): boolean => (order(left, right, "<") ?? 0) < 0;

const ORDERS = {
  "<": (found: number) => found < 0,
  "<=": (found: number) => found <= 0,
  ">": (found: number) => found > 0,
  ">=": (found: number) => found >= 0,
} as const;

export function compare(left: Value, operator: CompareOperator, right: Value): boolean {
  switch (operator) {
    case "==":
      return isEqual(left, right);
    case "!=":
      return !isEqual(left, right);
    case "in":
      return contains(right, left);
    case "not in":
      return !contains(right, left);
    default: {
      const found = order(left, right, operator);
      return found !== null && ORDERS[operator](found);
    }
  }
}

/** Python's `item in container`. */
export function contains(container: Value, item: Value): boolean {
  if (isText(container)) {
    if (item instanceof Undefined) item.fail();
    if (isText(item)) return textOf(container).includes(textOf(item));
    return raise("TypeError", `'in <string>' requires string as left operand, not ${typeNameOf(item)}`);
  }
  if (container instanceof Dict) return container.has(item);
  if (isNumber(container) || container === null) {
    return raise("TypeError", `argument of type '${typeNameOf(container)}' is not iterable`);
  }
  for (const one of iterate(container)) if (one === item || isEqual(one, item)) return true;
  return false;
}

/** Python's `sorted()`: items that are equal keep their order, in reverse too. */
export function sorted(
  items: Iterable<Value>,
  { isReverse = false, keyOf = (item: Value): Value => item } = {},
): Value[] {
  const direction = isReverse ? -1 : 1;
  return [...items]
    .map((item) => [keyOf(item), item] as const)
    .sort(([left], [right]) => (isLess(left, right) ? -direction : isLess(right, left) ? direction : 0))
    .map(([, item]) => item);
}
