import { raise } from "../faults.ts";
import { type Arguments, isInteger, isText, textOf, typeNameOf, Undefined, type Value } from "./value.ts";

/** The arguments of a call in the order of the parameters; undefined if the caller left an argument out. */
export type Given = readonly (Value | undefined)[];

/** A method: its parameters, the number of required ones, and its code. */
export interface Method<T> {
  readonly names?: readonly string[];
  readonly required?: number;
  readonly run: (self: T, args: Given) => Value;
}
export type Methods<T> = ReadonlyMap<string, Method<T>>;

/** A map, because a template may ask for the method `constructor`, which every object has. */
export const methods = <T>(table: Readonly<Record<string, Method<T>>>): Methods<T> => new Map(Object.entries(table));

/** The parameters of a function. A parameter that begins with _ cannot be passed by its name. */
export interface Parameters {
  readonly name: string;
  readonly names: readonly string[];
  readonly required: number;
}

export function bind({ name, names, required }: Parameters, args: Arguments): Given {
  if (args.positional.length > names.length) {
    raise("TypeError", `${name}() takes at most ${names.length} arguments (${args.positional.length} given)`);
  }
  const bound: (Value | undefined)[] = names.map((_, at) => args.positional[at]);
  for (const [keyword, value] of args.keywords) {
    const at = names.indexOf(keyword);
    if (at === -1) raise("TypeError", `${name}() got an unexpected keyword argument '${keyword}'`);
    if (bound[at] !== undefined) raise("TypeError", `${name}() got multiple values for argument '${keyword}'`);
    bound[at] = value;
  }
  const lacking = names.slice(0, required).find((_, at) => bound[at] === undefined);
  if (lacking !== undefined) raise("TypeError", `${name}() needs the argument '${lacking.replace(/^_/, "")}'`);
  return bound;
}

export function asInteger(value: Value): bigint {
  if (value instanceof Undefined) value.fail();
  if (isInteger(value)) return BigInt(value);
  return raise("TypeError", `'${typeNameOf(value)}' object cannot be interpreted as an integer`);
}

/** A count or a position, bounded by the safe integers: no text or list is longer. */
export function asCount(value: Value): number {
  const count = asInteger(value);
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  return Number(count > most ? most : count < -most ? -most : count);
}

export function asText(value: Value): string {
  if (value instanceof Undefined) value.fail();
  return isText(value) ? textOf(value) : raise("TypeError", `must be str, not ${typeNameOf(value)}`);
}
