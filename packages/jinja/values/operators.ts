import { raise } from "../faults.ts";
import type { ArithmeticOperator } from "../syntax/nodes.ts";
import { numberOf } from "./compare.ts";
import { formatPercent } from "./format-percent.ts";
import { floorDivide, modulo, power } from "./numbers.ts";
import { htmlOf } from "./represent.ts";
import { checkLength, repeat } from "./text.ts";
import { isInteger, isNumber, isText, Markup, Tuple, textOf, typeNameOf, Undefined, type Value } from "./value.ts";

/** Python's arithmetic, which also joins and repeats texts and lists. A plain text that meets HTML is escaped. */
export function calculate(left: Value, operator: ArithmeticOperator, right: Value): Value {
  const isFormat = operator === "%" && isText(left);
  for (const side of [left, right]) if (side instanceof Undefined && !isFormat) side.fail();
  const special = operator === "+" ? joined(left, right) : operator === "*" ? repeated(left, right) : undefined;
  if (special !== undefined) return special;
  if (isFormat) return formatPercent(left, right);
  if (isNumber(left) && isNumber(right)) return arithmetic(numberOf(left), operator, numberOf(right));
  const types = `'${typeNameOf(left)}' and '${typeNameOf(right)}'`;
  return raise("TypeError", `unsupported operand type(s) for ${operator}: ${types}`);
}

function joined(left: Value, right: Value): Value | undefined {
  if (isText(left) && isText(right)) {
    checkLength(textOf(left).length + textOf(right).length);
    if (typeof left === "string" && typeof right === "string") return left + right;
    return new Markup(htmlOf(left) + htmlOf(right));
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    checkLength(left.length + right.length);
    return [...left, ...right];
  }
  return left instanceof Tuple && right instanceof Tuple ? new Tuple([...left.items, ...right.items]) : undefined;
}

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

function arithmetic(left: bigint | number, operator: ArithmeticOperator, right: bigint | number): Value {
  if (operator === "**") return power(left, right);
  if (operator === "//") return floorDivide(left, right);
  if (operator === "%") return modulo(left, right);
  if (operator === "/" && Number(right) === 0) raise("ZeroDivisionError", "division by zero");
  if (operator !== "/" && typeof left === "bigint" && typeof right === "bigint") {
    return operator === "+" ? left + right : operator === "-" ? left - right : left * right;
  }
  const [one, other] = [Number(left), Number(right)];
  if (operator === "/") return one / other;
  return operator === "+" ? one + other : operator === "-" ? one - other : one * other;
}
