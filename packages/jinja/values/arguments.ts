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

/** A method with parameters: see `parameters`. */
export function method<Self>(declaration: string, run: (self: Self, args: Given) => Value): Method<Self> {
  const declared = parameters(declaration);
  return (self, args, label) => run(self, bind(label, declared, args));
}

interface Parameter {
  readonly name: string;
  readonly isOptional: boolean;
}

/** Parameters such as `"_width _fillchar?"`: a `?` marks an optional one; a name with `_` cannot be used in a call. */
export const parameters = (declaration: string): readonly Parameter[] =>
  declaration
    .split(" ")
    .filter((one) => one !== "")
    .map((one) => ({ name: one.replace("?", ""), isOptional: one.endsWith("?") }));

/** Assigns the arguments of a call to parameters. `label` names the function in messages. */
export function bind(label: string, declared: readonly Parameter[], { positional, keywords }: Arguments): Given {
  if (positional.length > declared.length) {
    raise("TypeError", `${label}() takes at most ${declared.length} arguments (${positional.length} given)`);
  }
  const bound: (Value | undefined)[] = declared.map((_, at) => positional[at]);
  for (const [keyword, value] of keywords) {
    const at = declared.findIndex(({ name }) => name === keyword);
    if (at === -1) raise("TypeError", `${label}() got an unexpected keyword argument '${keyword}'`);
    if (bound[at] !== undefined) raise("TypeError", `${label}() got multiple values for argument '${keyword}'`);
    bound[at] = value;
  }
  const missing = declared.find(({ isOptional }, at) => !isOptional && bound[at] === undefined);
  if (missing !== undefined) raise("TypeError", `${label}() needs the argument '${missing.name.replace(/^_/, "")}'`);
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
