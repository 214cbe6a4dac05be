import { bind } from "./arguments.ts";
import { DICT_METHODS, LIST_METHODS, pairsOf, TUPLE_METHODS } from "./container-methods.ts";
import { Dict } from "./dict.ts";
import { FLOAT_METHODS, INTEGER_ATTRIBUTES, INTEGER_METHODS } from "./number-methods.ts";
import { TEXT_METHODS } from "./text-methods.ts";
import { type Arguments, Callable, isInteger, isText, Markup, Tuple, typeNameOf, type Value } from "./value.ts";

/** A method: its parameters, how many are needed, and what it does with the object and its arguments. */
export interface Method<T> {
  readonly names?: readonly string[];
  readonly required?: number;
  readonly run: (self: T, args: readonly (Value | undefined)[]) => Value;
}
export type Methods<T> = ReadonlyMap<string, Method<T>>;

/** A method of Python's own types, bound to its object. */
export function methodOf(object: Value, name: string): Value | undefined {
  if (isText(object)) return bound(TEXT_METHODS, object, name);
  if (Array.isArray(object)) return bound(LIST_METHODS, object, name);
  if (object instanceof Dict && name === "update")
    return new Callable(name, (args) => update(object, args), "built-in");
  if (object instanceof Dict) return bound(DICT_METHODS, object, name);
  if (object instanceof Tuple) return bound(TUPLE_METHODS, object, name);
  if (isInteger(object))
    return INTEGER_ATTRIBUTES(BigInt(object), name) ?? bound(INTEGER_METHODS, BigInt(object), name);
  if (typeof object !== "number") return undefined;
  if (name === "real" || name === "imag") return name === "real" ? object : 0;
  return bound(FLOAT_METHODS, object, name);
}

function bound<T extends Value>(methods: Methods<T>, self: T, name: string): Value | undefined {
  const method = methods.get(name);
  if (method === undefined) return undefined;
  const { names = [], required = 0, run } = method;
  const label = `${self instanceof Markup ? "str" : typeNameOf(self)}.${name}`;
  const call = (args: Arguments): Value => run(self, bind({ name: label, names, required }, args));
  return new Callable(`method ${name} of ${typeNameOf(self)} object`, call, "built-in");
}

function update(dict: Dict, { positional: [source], keywords }: Arguments): null {
  for (const [key, value] of [...(source === undefined ? [] : pairsOf(source)), ...keywords]) dict.set(key, value);
  return null;
}
