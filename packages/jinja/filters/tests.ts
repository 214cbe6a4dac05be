import { raise } from "../faults.ts";
import type { Environment } from "../run/scope.ts";
import type { CompareOperator } from "../syntax/nodes.ts";
import { bind } from "../values/arguments.ts";
import { compare, contains, isEqual } from "../values/compare.ts";
import { Dict, hashOf } from "../values/dict.ts";
import { calculate } from "../values/operators.ts";
import { str } from "../values/represent.ts";
import { isIterable, isSequence } from "../values/sequence.ts";
import { hasCase } from "../values/text.ts";
import {
  type Arguments,
  Callable,
  isNumber,
  isText,
  Markup,
  PythonObject,
  textOf,
  Undefined,
  type Value,
} from "../values/value.ts";

export type Test = (env: Environment, value: Value, args: Arguments) => boolean;

const testOf = (test: (value: Value, args: readonly Value[]) => boolean, names: readonly string[] = []): Test => {
  return (_, value, args) =>
    test(
      value,
      bind({ name: "the test", names, required: names.length }, args).map((one) => one ?? null),
    );
};

const comparison = (operator: CompareOperator): Test =>
  testOf((value, [other = null]) => compare(value, operator, other), ["_other"]);

const rest = (value: Value, divisor: Value): Value => calculate(value, "%", divisor);

/** True if the name is in the table. A list or a dict is no name and cannot be looked up. */
const isKnown = (value: Value, isName: (name: string) => boolean): boolean => {
  hashOf(value);
  return isText(value) && isName(textOf(value));
};

/** The same object; for numbers, texts and constants the same type and value. */
const isSame = (value: Value, other: Value): boolean => value === other;

const isCallable = (value: Value): boolean =>
  value instanceof Callable || value instanceof Undefined || (value instanceof PythonObject && "call" in value);

const isSequenceOrUndefined = (value: Value): boolean =>
  value instanceof Undefined ? !value.isStrict : isSequence(value);

const BY_NAME: Readonly<Record<string, Test>> = {
  "!=": comparison("!="),
  "<": comparison("<"),
  "<=": comparison("<="),
  "==": comparison("=="),
  ">": comparison(">"),
  ">=": comparison(">="),
  boolean: testOf((value) => typeof value === "boolean"),
  callable: testOf(isCallable),
  defined: testOf((value) => !(value instanceof Undefined)),
  divisibleby: testOf((value, [by = null]) => isEqual(rest(value, by), 0n), ["num"]),
  eq: comparison("=="),
  equalto: comparison("=="),
  escaped: testOf((value) => value instanceof Markup),
  even: testOf((value) => isEqual(rest(value, 2n), 0n)),
  false: testOf((value) => value === false),
  filter: (env, value) => isKnown(value, (name) => env.isFilter(name)),
  float: testOf((value) => typeof value === "number"),
  ge: comparison(">="),
  greaterthan: comparison(">"),
  gt: comparison(">"),
  in: testOf((value, [container = null]) => contains(container, value), ["seq"]),
  integer: testOf((value) => typeof value === "bigint"),
  iterable: testOf((value) => (value instanceof Undefined && value.isStrict ? value.fail() : isIterable(value))),
  le: comparison("<="),
  lessthan: comparison("<"),
  lower: testOf((value) => hasCase(str(value), "lower")),
  lt: comparison("<"),
  mapping: testOf((value) => value instanceof Dict),
  ne: comparison("!="),
  none: testOf((value) => value === null),
  number: testOf(isNumber),
  odd: testOf((value) => isEqual(rest(value, 2n), 1n)),
  sameas: testOf((value, [other = null]) => isSame(value, other), ["other"]),
  sequence: testOf(isSequenceOrUndefined),
  string: testOf(isText),
  test: testOf((value) => isKnown(value, (name) => TESTS.has(name))),
  true: testOf((value) => value === true),
  undefined: testOf((value) => value instanceof Undefined),
  upper: testOf((value) => hasCase(str(value), "upper")),
};

export const TESTS: ReadonlyMap<string, Test> = new Map(Object.entries(BY_NAME));

export const testNamed = (name: string): Test =>
  TESTS.get(name) ?? raise("TemplateRuntimeError", `there is no test "${name}"`);
