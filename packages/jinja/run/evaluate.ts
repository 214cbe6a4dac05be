import { raise } from "../faults.ts";
import { filterNamed, testNamed } from "../filters/filters.ts";

import type { ArgumentNodes, Expression, FilterNode } from "../syntax/nodes.ts";
import { compare, isTrue, numberOf } from "../values/compare.ts";
import { Dict } from "../values/dict.ts";
import { calculate } from "../values/operators.ts";
import { htmlOf, repr, str } from "../values/represent.ts";
import { iterate, sliceOf } from "../values/sequence.ts";
import { checkLength } from "../values/text.ts";
import {
  type Arguments,
  Callable,
  isInteger,
  isNumber,
  isText,
  Markup,
  orElse,
  Slice,
  Tuple,
  textOf,
  typeNameOf,
  Undefined,
  type Value,
} from "../values/value.ts";
import { attributeOrItem, itemOrAttribute } from "./lookup.ts";
import type { Scope } from "./scope.ts";

type NodeOf<K extends Expression["kind"]> = Extract<Expression, { kind: K }>;

/** The value of an expression. */
export function evaluate(node: Expression, scope: Scope): Value {
  const { env } = scope;
  env.step();
  switch (node.kind) {
    case "literal":
      return node.value;
    case "name":
      return orElse(scope.get(node.name), () => env.undefined(`there is no "${node.name}"`));
    case "list":
      return evaluateAll(node.items, scope);
    case "tuple":
      return new Tuple(evaluateAll(node.items, scope));
    case "concat":
      return concat(evaluateAll(node.items, scope), env.isAutoescaped);
    case "dict":
      return new Dict(node.pairs.map(([key, value]) => [evaluate(key, scope), evaluate(value, scope)] as const));
    case "attribute":
      return attributeOrItem(env, evaluate(node.object, scope), node.name, pathOf(node));
    case "item":
      return item(node, scope);
    case "slice":
      return new Slice(node.bounds.map((bound) => (bound === null ? null : boundOf(evaluate(bound, scope)))));
    case "call":
      return call(evaluate(node.callee, scope), argumentsOf(node.args, scope));
    case "filter":
      return applyFilter(node, node.operand === null ? null : evaluate(node.operand, scope), scope);
    case "test":
      return testNamed(node.name)(evaluate(node.operand, scope), argumentsOf(node.args, scope), env);
    case "unary":
      return unary(node.operator, evaluate(node.operand, scope));
    case "binary":
      return binary(node, scope);
    case "compare":
      return compareAll(node, scope);
    case "conditional":
      return conditional(node, scope);
  }
}

const evaluateAll = (nodes: readonly Expression[], scope: Scope): Value[] => nodes.map((node) => evaluate(node, scope));

/** A slice that Python rejects is an error; any other missing key is undefined. */
function item(node: NodeOf<"item">, scope: Scope): Value {
  const object = evaluate(node.object, scope);
  const key = evaluate(node.key, scope);
  if (!(key instanceof Slice)) return itemOrAttribute(scope.env, object, key, pathOf(node));
  if (object instanceof Undefined) return object.fail();
  return orElse(sliceOf(object, key), () => raise("TypeError", `'${typeNameOf(object)}' object is not subscriptable`));
}

function unary(operator: "not" | "+" | "-", value: Value): Value {
  if (operator === "not") return !isTrue(value);
  if (value instanceof Undefined) return value.fail();
  if (!isNumber(value)) return raise("TypeError", `bad operand type for unary ${operator}: '${typeNameOf(value)}'`);
  return operator === "-" ? -numberOf(value) : numberOf(value);
}

function binary({ operator, left, right }: NodeOf<"binary">, scope: Scope): Value {
  const value = evaluate(left, scope);
  if (operator !== "and" && operator !== "or") return calculate(value, operator, evaluate(right, scope));
  return isTrue(value) === (operator === "and") ? evaluate(right, scope) : value;
}

/** Without `else` it is undefined, and that prints as nothing everywhere. */
function conditional({ test, yes, no }: NodeOf<"conditional">, scope: Scope): Value {
  if (isTrue(evaluate(test, scope))) return evaluate(yes, scope);
  return no === null ? new Undefined("an inline `if` was false and has no `else`", false) : evaluate(no, scope);
}

/** `1 < x < 3`: each value is evaluated once, and only as far as needed. */
function compareAll({ first, rest }: NodeOf<"compare">, scope: Scope): boolean {
  let left = evaluate(first, scope);
  for (const [operator, operand] of rest) {
    const right = evaluate(operand, scope);
    if (!compare(left, operator, right)) return false;
    left = right;
  }
  return true;
}

function concat(values: readonly Value[], isAutoescaped: boolean): Value {
  const isHtml = isAutoescaped && values.some((value) => value instanceof Markup);
  const texts = values.map(isHtml ? htmlOf : str);
  checkLength(texts.reduce((sum, { length }) => sum + length, 0));
  return isHtml ? new Markup(texts.join("")) : texts.join("");
}

function boundOf(value: Value): bigint | null {
  if (value === null || isInteger(value)) return value === null ? null : BigInt(value);
  if (value instanceof Undefined) return value.fail();
  return raise("TypeError", "slice indices must be integers or None or have an __index__ method");
}

export const applyFilter = (node: FilterNode, value: Value, scope: Scope): Value =>
  filterNamed(node.name)(value, argumentsOf(node.args, scope), scope.env);

export function call(callee: Value, args: Arguments): Value {
  if (callee instanceof Undefined) return callee.fail();
  if (callee instanceof Callable) return callee.call(args);
  return raise("TypeError", `'${typeNameOf(callee)}' object is not callable`);
}

export function argumentsOf(nodes: ArgumentNodes, scope: Scope): Arguments {
  const positional = evaluateAll(nodes.positional, scope);
  if (nodes.spread !== null) positional.push(...iterate(evaluate(nodes.spread, scope)));
  const keywords = new Map(nodes.keywords.map(([name, node]) => [name, evaluate(node, scope)] as const));
  if (nodes.keywordSpread !== null) spreadKeywords(keywords, evaluate(nodes.keywordSpread, scope));
  return { positional, keywords };
}

function spreadKeywords(keywords: Map<string, Value>, value: Value): void {
  const members =
    value instanceof Dict
      ? value.entries()
      : raise("TypeError", `argument after ** must be a mapping, not ${typeNameOf(value)}`);
  for (const [key, item] of members) {
    const name = isText(key) ? textOf(key) : raise("TypeError", "keywords must be strings");
    if (keywords.has(name)) raise("TypeError", `got multiple values for keyword argument '${name}'`);
    keywords.set(name, item);
  }
}

/** A name with its attributes and items as the template writes it: `task.id`. */
function pathOf(node: Expression): string {
  if (node.kind === "name") return node.name;
  if (node.kind === "attribute") return `${pathOf(node.object)}.${node.name}`;
  if (node.kind !== "item") return "(…)";
  const key = node.key.kind === "literal" ? repr(node.key.value) : "…";
  return `${pathOf(node.object)}[${key}]`;
}
