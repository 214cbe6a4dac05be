import type { Environment } from "../run/scope.ts";
import { bind, type Given } from "../values/arguments.ts";
import type { Arguments, Value } from "../values/value.ts";

/** A filter: takes a value and arguments, and returns the filtered value. */
export type Filter = (env: Environment, value: Value, args: Arguments) => Value;

/** A filter with named parameters, of which the first `required` must be passed. A missing argument is undefined. */
export const filterOf = (
  run: (value: Value, args: Given, env: Environment) => Value,
  names: readonly string[] = [],
  required = 0,
): Filter => {
  return (env, value, args) => run(value, bind({ name: "the filter", names, required }, args), env);
};
