import type { Environment } from "../run/scope.ts";
import { bind } from "../values/arguments.ts";
import type { Arguments, Value } from "../values/value.ts";

/** A filter: what it makes of a value and the arguments behind its name. */
export type Filter = (env: Environment, value: Value, args: Arguments) => Value;

type Given = readonly (Value | undefined)[];

/** A filter with named parameters, of which so many are required. An argument that is not given is undefined. */
export const filterOf = (
  run: (value: Value, args: Given, env: Environment) => Value,
  names: readonly string[] = [],
  required = 0,
): Filter => {
  return (env, value, args) => run(value, bind({ name: "the filter", names, required }, args), env);
};
