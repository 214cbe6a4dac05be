import { raise } from "../faults.ts";
import { type Arguments, isInteger, isText, textOf, typeNameOf, Undefined, type Value } from "./value.ts";

/** The arguments of a call in the order of the parameters; undefined if the caller left an argument out. */
export type Given = readonly (Value | undefined)[];

/** A method of a Python type. `label` is its name for messages, as `str.center`. */
export type Method<Self> = (self: Self, args: Arguments, label: string) => Value;
/** A map, because a template may ask for the method `constructor`, which every object has. */
export type Methods<Self> = ReadonlyMap<string, Method<Self>>;

export const methods = <Self>(table: Readonly<Record<string, Method<Self>>>): Methods<Self> =>
  new Map(Object.entries(table));

/** A method with parameters: see `bind`. */
export const method =
  <Self>(parameters: string, run: (self: Self, args: Given) => Value): Method<Self> =>
  (self, args, label) =>
    run(self, bind(label, parameters, args));

/**
 * Assigns arguments to parameters such as `"_width _fillchar?"`. A `?` marks an optional parameter; one that begins with
 * `_` cannot be passed by its name. `label` names the function in messages.
 */
export function bind(label: string, parameters: string, { positional, keywords }: Arguments): Given {
  const declared = parameters.split(" ").filter((one) => one !== "");
  const names = declared.map((one) => one.replace("?", ""));
  if (positional.length > names.length) {
    raise("TypeError", `${label}() takes at most ${names.length} arguments (${positional.length} given)`);
  }
  const bound: (Value | undefined)[] = names.map((_, at) => positional[at]);
  for (const [keyword, value] of keywords) {
    const at = names.indexOf(keyword);
    if (at === -1) raise("TypeError", `${label}() got an unexpected keyword argument '${keyword}'`);
    if (bound[at] !== undefined) raise("TypeError", `${label}() got multiple values for argument '${keyword}'`);
    bound[at] = value;
  }
  const missing = declared.find((one, at) => !one.endsWith("?") && bound[at] === undefined);
  if (missing !== undefined) raise("TypeError", `${label}() needs the argument '${missing.replace(/^_/, "")}'`);
  return bound;
}

export function asInteger(value: Value): bigint {
  if (value instanceof Undefined) value.fail();
  if (isInteger(value)) return BigInt(value);
  return raise("TypeError", `'${typeNameOf(value)}' object cannot be interpreted as an integer`);
}

/** A count or a position, limited to the safe integers: no text or list is longer. */
export function asCount(value: Value): number {
  const count = asInteger(value);
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  return Number(count > most ? most : count < -most ? -most : count);
}

export function asText(value: Value): string {
  if (value instanceof Undefined) value.fail();
  return isText(value) ? textOf(value) : raise("TypeError", `must be str, not ${typeNameOf(value)}`);
}
