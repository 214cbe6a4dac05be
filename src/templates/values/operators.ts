import { raise } from "../faults.ts";
import type { BinaryOperator, CompareOperator } from "../syntax/nodes.ts";
import { Dict, DictView } from "./dict.ts";
import { formatPercent } from "./format-percent.ts";
import { escapeHtml } from "./html.ts";
import { floorDivide, modulo, power } from "./numbers.ts";
import { contains, isEmpty, itemsOfSequence } from "./sequence.ts";
import { checkLength, compareTexts, repeat } from "./text.ts";
import {
  isInteger,
  isNumber,
  isText,
  Markup,
  Range,
  Tuple,
  textOf,
  typeNameOf,
  Undefined,
  type Value,
} from "./value.ts";

/** Python's `bool()`. */
export function isTrue(value: Value): boolean {
  if (value === null || value === false || value === "" || value === 0n) return false;
  if (typeof value === "number") return value !== 0;
  if (value instanceof Undefined) value.check();
  return !isEmpty(value);
}

/** Python's `==`. */
export function isEqual(left: Value, right: Value): boolean {
  if (left instanceof Undefined || right instanceof Undefined) return undefinedEqual(left, right);
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

function undefinedEqual(left: Value, right: Value): boolean {
  for (const side of [left, right]) if (side instanceof Undefined) side.check();
  return left instanceof Undefined && right instanceof Undefined;
}

const numberOf = (value: bigint | number | boolean): bigint | number =>
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

/** Below 0: the left is less. Null: neither is less, as with NaN. Values of kinds that have no order are an error. */
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

/** Python's arithmetic, which also joins and repeats texts and lists. */
export function calculate(left: Value, operator: BinaryOperator, right: Value): Value {
  for (const side of [left, right]) if (side instanceof Undefined && !isFormat(left, operator)) side.fail();
  const special = operator === "+" ? joined(left, right) : operator === "*" ? repeated(left, right) : undefined;
  if (special !== undefined) return special;
  if (operator === "%" && isText(left)) return formatPercent(left, right);
  if (isNumber(left) && isNumber(right)) return arithmetic(numberOf(left), operator, numberOf(right));
  const types = `'${typeNameOf(left)}' and '${typeNameOf(right)}'`;
  return raise("TypeError", `unsupported operand type(s) for ${operator}: ${types}`);
}

const isFormat = (left: Value, operator: BinaryOperator): boolean => operator === "%" && isText(left);

function joined(left: Value, right: Value): Value | undefined {
  if (isText(left) && isText(right)) return joinTexts(left, right);
  if (Array.isArray(left) && Array.isArray(right)) {
    checkLength(left.length + right.length);
    return [...left, ...right];
  }
  return left instanceof Tuple && right instanceof Tuple ? new Tuple([...left.items, ...right.items]) : undefined;
}

/** A plain text that meets HTML is escaped. */
function joinTexts(left: string | Markup, right: string | Markup): Value {
  checkLength(textOf(left).length + textOf(right).length);
  if (typeof left === "string" && typeof right === "string") return left + right;
  return new Markup(htmlOf(left) + htmlOf(right));
}

export const htmlOf = (value: string | Markup): string => (typeof value === "string" ? escapeHtml(value) : value.text);

function repeated(left: Value, right: Value): Value | undefined {
  if (isInteger(left) && !isNumber(right)) return repeated(right, left);
  if (!isInteger(right) || isNumber(left)) return undefined;
  const count = BigInt(right);
  if (isText(left)) {
    const text = repeat(textOf(left), count);
    return left instanceof Markup ? new Markup(text) : text;
  }
  if (Array.isArray(left)) return repeatedItems(left, count);
  return left instanceof Tuple ? new Tuple(repeatedItems(left.items, count)) : undefined;
}

function repeatedItems(items: readonly Value[], count: bigint): Value[] {
  if (count <= 0n || items.length === 0) return [];
  checkLength(BigInt(items.length) * count);
  return Array.from({ length: Number(count) }, () => items).flat();
}

type Numeric = bigint | number;

function arithmetic(left: Numeric, operator: BinaryOperator, right: Numeric): Value {
  if (operator === "**") return power(left, right);
  if (operator === "/") return divide(left, right);
  if (operator === "//") return floorDivide(left, right);
  if (operator === "%") return modulo(left, right);
  if (typeof left === "bigint" && typeof right === "bigint") {
    return operator === "+" ? left + right : operator === "-" ? left - right : left * right;
  }
  const [one, other] = [Number(left), Number(right)];
  return operator === "+" ? one + other : operator === "-" ? one - other : one * other;
}

function divide(left: Numeric, right: Numeric): number {
  if (Number(right) === 0) raise("ZeroDivisionError", "division by zero");
  return Number(left) / Number(right);
}
