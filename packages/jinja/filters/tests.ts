import type { CompareOperator } from "../syntax/nodes.ts";
import { bind, parameters } from "../values/arguments.ts";
import { compare, contains, isEqual } from "../values/compare.ts";
import { Dict } from "../values/dict.ts";
import { calculate } from "../values/operators.ts";
import { str } from "../values/represent.ts";
import { isIterable, isSequence } from "../values/sequence.ts";
import { hasCase } from "../values/text.ts";
import { Callable, isNumber, isText, Markup, PythonObject, Undefined, type Value } from "../values/value.ts";
import type { Filter } from "./filter.ts";

/** A test with at most one argument. */
function compares(test: (value: Value, other: Value) => boolean, parameter = "_other"): Filter<boolean> {
  const declared = parameters(parameter);
  return (value, args) => {
    const [other = null] = bind("the test", declared, args);
    return test(value, other);
  };
}

const is = (test: (value: Value) => boolean): Filter<boolean> => compares(test, "");

const comparison = (operator: CompareOperator): Filter<boolean> =>
  compares((value, other) => compare(value, operator, other));

const isRest = (value: Value, divisor: Value, rest: bigint): boolean => isEqual(calculate(value, "%", divisor), rest);

const isCallable = (value: Value): boolean =>
  value instanceof Callable || value instanceof Undefined || (value instanceof PythonObject && "call" in value);

/** The tests of Jinja2 3.1, without those for the names of filters and tests. */
export const VALUE_TESTS: Readonly<Record<string, Filter<boolean>>> = {
  "!=": comparison("!="),
  "<": comparison("<"),
  "<=": comparison("<="),
  "==": comparison("=="),
  ">": comparison(">"),
  ">=": comparison(">="),
  boolean: is((value) => typeof value === "boolean"),
  callable: is(isCallable),
  defined: is((value) => !(value instanceof Undefined)),
  divisibleby: compares((value, by) => isRest(value, by, 0n), "num"),
  eq: comparison("=="),
  equalto: comparison("=="),
  escaped: is((value) => value instanceof Markup),
  even: is((value) => isRest(value, 2n, 0n)),
  false: is((value) => value === false),
  float: is((value) => typeof value === "number"),
  ge: comparison(">="),
  greaterthan: comparison(">"),
  gt: comparison(">"),
  in: compares((value, container) => contains(container, value), "seq"),
  integer: is((value) => typeof value === "bigint"),
  iterable: is((value) => (value instanceof Undefined && value.isStrict ? value.fail() : isIterable(value))),
  le: comparison("<="),
  lessthan: comparison("<"),
  lower: is((value) => hasCase(str(value), "lower")),
  lt: comparison("<"),
  mapping: is((value) => value instanceof Dict),
  ne: comparison("!="),
  none: is((value) => value === null),
  number: is(isNumber),
  odd: is((value) => isRest(value, 2n, 1n)),
  // The same object; for numbers, texts and constants the same type and value.
  sameas: compares((value, other) => value === other, "other"),
  sequence: is((value) => (value instanceof Undefined ? !value.isStrict : isSequence(value))),
  string: is(isText),
  true: is((value) => value === true),
  undefined: is((value) => value instanceof Undefined),
  upper: is((value) => hasCase(str(value), "upper")),
};
