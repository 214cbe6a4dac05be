import { raise } from "../faults.ts";
import { type Arguments, isInteger, isText, textOf, typeNameOf, Undefined, type Value } from "./value.ts";

/** The parameters of a function. One that begins with _ takes no keyword. */
export interface Parameters {
  readonly name: string;
  readonly names: readonly string[];
  readonly required: number;
}

/** The arguments in the order of the parameters; undefined: not given. */
export function bind({ name, names, required }: Parameters, args: Arguments): readonly (Value | undefined)[] {
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

/** A count or a position; one beyond what any text or list has is as good as any other. */
export function asCount(value: Value): number {
  const count = asInteger(value);
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  return Number(count > most ? most : count < -most ? -most : count);
}

export function asText(value: Value): string {
  if (value instanceof Undefined) value.fail();
  return isText(value) ? textOf(value) : raise("TypeError", `must be str, not ${typeNameOf(value)}`);
}
