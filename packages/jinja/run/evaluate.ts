import { raise } from "../faults.ts";
import { filterNamed } from "../filters/filters.ts";
import { testNamed } from "../filters/tests.ts";
import { escaped } from "../filters/text-filters.ts";
import type { ArgumentNodes, Expression, FilterNode } from "../syntax/nodes.ts";
import { compare, isTrue } from "../values/compare.ts";
import { Dict } from "../values/dict.ts";
import { calculate } from "../values/operators.ts";
import { repr, str } from "../values/represent.ts";
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
import type { Environment, Scope } from "./scope.ts";

type NodeOf<K extends Expression["kind"]> = Extract<Expression, { kind: K }>;

/** The scope and environment in which an expression is evaluated. */
export interface Place {
  readonly env: Environment;
  readonly scope: Scope;
}

/** The value of an expression. */
export function evaluate(node: Expression, place: Place): Value {
  const { env, scope } = place;
  env.step();
  switch (node.kind) {
    case "literal":
      return node.value;
    case "name":
      return orElse(scope.get(node.name), () => env.undefined(`there is no "${node.name}"`));
    case "list":
      return node.items.map((item) => evaluate(item, place));
    case "tuple":
      return new Tuple(node.items.map((item) => evaluate(item, place)));
    case "dict":
      return new Dict(node.pairs.map(([key, value]) => [evaluate(key, place), evaluate(value, place)] as const));
    case "concat":
      return concat(node, place);
    case "attribute":
      return attributeOrItem(env, evaluate(node.object, place), node.name, pathOf(node));
    case "item":
      return item(evaluate(node.object, place), node, place);
    case "slice":
      return new Slice(node.bounds.map((bound) => (bound === null ? null : boundOf(evaluate(bound, place)))));
    case "call":
      return call(evaluate(node.callee, place), argumentsOf(node.args, place));
    case "filter":
      return applyFilter(node, node.operand === null ? null : evaluate(node.operand, place), place);
    case "test":
      return testNamed(node.name)(env, evaluate(node.operand, place), argumentsOf(node.args, place));
    default:
      return evaluateOperator(node, place);
  }
}

/** A slice that Python rejects is an error; any other missing key is undefined. */
function item(object: Value, node: NodeOf<"item">, place: Place): Value {
  const key = evaluate(node.key, place);
  if (!(key instanceof Slice)) return itemOrAttribute(place.env, object, key, pathOf(node));
  if (object instanceof Undefined) return object.fail();
  return orElse(sliceOf(object, key), () => raise("TypeError", `'${typeNameOf(object)}' object is not subscriptable`));
}

type Operator = NodeOf<"not" | "negative" | "positive" | "binary" | "compare" | "and" | "or" | "conditional">;

function evaluateOperator(node: Operator, place: Place): Value {
  switch (node.kind) {
    case "not":
      return !isTrue(evaluate(node.operand, place));
    case "negative":
    case "positive":
      return signed(evaluate(node.operand, place), node.kind);
    case "binary":
      return calculate(evaluate(node.left, place), node.operator, evaluate(node.right, place));
    case "compare":
      return compareAll(node, place);
    case "and": {
      const left = evaluate(node.left, place);
      return isTrue(left) ? evaluate(node.right, place) : left;
    }
    case "or": {
      const left = evaluate(node.left, place);
      return isTrue(left) ? left : evaluate(node.right, place);
    }
    case "conditional":
      return conditional(node, place);
  }
}

/** Without `else` it is undefined, and that prints as nothing everywhere. */
function conditional({ test, yes, no }: NodeOf<"conditional">, place: Place): Value {
  if (isTrue(evaluate(test, place))) return evaluate(yes, place);
  return no === null ? new Undefined("an inline `if` was false and has no `else`", false) : evaluate(no, place);
}

/** `1 < x < 3`: each value is evaluated once, and only as far as needed. */
function compareAll({ first, rest }: NodeOf<"compare">, place: Place): boolean {
  let left = evaluate(first, place);
  for (const [operator, operand] of rest) {
    const right = evaluate(operand, place);
    if (!compare(left, operator, right)) return false;
    left = right;
  }
  return true;
}

function signed(value: Value, kind: "negative" | "positive"): Value {
  if (value instanceof Undefined) return value.fail();
  if (!isNumber(value))
    return raise("TypeError", `bad operand type for unary ${kind === "negative" ? "-" : "+"}: '${typeNameOf(value)}'`);
  const number = typeof value === "boolean" ? BigInt(value) : value;
  return kind === "negative" ? -number : number;
}

function concat({ items }: NodeOf<"list" | "tuple" | "concat">, place: Place): Value {
  const values = items.map((item) => evaluate(item, place));
  const isHtml = place.env.isAutoescaped && values.some((value) => value instanceof Markup);
  const texts = values.map((value) => (isHtml ? escaped(value).text : str(value)));
  checkLength(texts.reduce((sum, { length }) => sum + length, 0));
  return isHtml ? new Markup(texts.join("")) : texts.join("");
}

function boundOf(value: Value): bigint | null {
  if (value === null || isInteger(value)) return value === null ? null : BigInt(value);
  if (value instanceof Undefined) return value.fail();
  return raise("TypeError", "slice indices must be integers or None or have an __index__ method");
}

/** A filter on a value; `name` may come with arguments of its own. */
export const applyFilter = (node: FilterNode, value: Value, place: Place): Value =>
  filterNamed(node.name)(place.env, value, argumentsOf(node.args, place));

export function call(callee: Value, args: Arguments): Value {
  if (callee instanceof Undefined) return callee.fail();
  return callee instanceof Callable
    ? callee.call(args)
    : raise("TypeError", `'${typeNameOf(callee)}' object is not callable`);
}

export function argumentsOf(nodes: ArgumentNodes, place: Place): Arguments {
  const positional = nodes.positional.map((node) => evaluate(node, place));
  if (nodes.spread !== null) positional.push(...iterate(evaluate(nodes.spread, place)));
  const keywords = new Map(nodes.keywords.map(([name, node]) => [name, evaluate(node, place)] as const));
  if (nodes.keywordSpread !== null) spreadKeywords(keywords, evaluate(nodes.keywordSpread, place));
  return { positional, keywords };
}

function spreadKeywords(keywords: Map<string, Value>, value: Value): void {
  const entries =
    value instanceof Dict
      ? value.entries()
      : raise("TypeError", `argument after ** must be a mapping, not ${typeNameOf(value)}`);
  for (const [key, item] of entries) {
    if (!isText(key)) raise("TypeError", "keywords must be strings");
    const name = isText(key) ? textOf(key) : "";
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
