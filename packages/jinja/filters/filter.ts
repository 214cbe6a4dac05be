import type { Environment } from "../run/scope.ts";
import { bind, type Given, parameters } from "../values/arguments.ts";
import type { Arguments, Value } from "../values/value.ts";

/** A filter or a test: gets a value and arguments. */
export type Filter<Result extends Value = Value> = (value: Value, args: Arguments, env: Environment) => Result;

/** A filter with parameters: see `parameters`. */
export function filter(declaration: string, run: (value: Value, args: Given, env: Environment) => Value): Filter {
  const declared = parameters(declaration);
  return (value, args, env) => run(value, bind("the filter", declared, args), env);
}
