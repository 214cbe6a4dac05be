import { raise } from "../faults.ts";
import type { Environment } from "../run/environment.ts";
import { pathReader } from "../run/lookup.ts";
import { asText } from "../values/arguments.ts";
import { isTrue } from "../values/operators.ts";
import { iterate } from "../values/sequence.ts";
import { type Arguments, Iterator, type Value } from "../values/value.ts";
import type { Filter } from "./filter.ts";

/** How `map`, `select` and their like reach the filters and tests that they name. */
export interface ByName {
  readonly filter: (name: string) => Filter;
  readonly test: (name: string) => (env: Environment, value: Value, args: Arguments) => boolean;
}

type NamedFilters = Readonly<Record<"map" | "select" | "reject" | "selectattr" | "rejectattr", Filter>>;

export function selectFilters(byName: ByName): NamedFilters {
  const choosing =
    (isWanted: boolean, hasAttribute: boolean): Filter =>
    (env, value, args) =>
      new Iterator(chosen(value, isWanted, () => conditionOf(env, args, { byName, hasAttribute })));
  return {
    map: (env, value, args) => new Iterator(mapped(value, () => mapperOf(env, args, byName))),
    select: choosing(true, false),
    reject: choosing(false, false),
    selectattr: choosing(true, true),
    rejectattr: choosing(false, true),
  };
}

function* mapped(value: Value, mapper: () => (item: Value) => Value): Generator<Value> {
  if (!isTrue(value)) return;
  const map = mapper();
  for (const item of iterate(value)) yield map(item);
}

function* chosen(value: Value, isWanted: boolean, condition: () => (item: Value) => boolean): Generator<Value> {
  if (!isTrue(value)) return;
  const test = condition();
  for (const item of iterate(value)) if (test(item) === isWanted) yield item;
}

function mapperOf(env: Environment, { positional, keywords }: Arguments, byName: ByName): (item: Value) => Value {
  const attribute = keywords.get("attribute");
  if (positional.length === 0 && attribute !== undefined) {
    const other = [...keywords.keys()].find((name) => name !== "attribute" && name !== "default");
    if (other !== undefined) raise("TypeError", `map got an unexpected keyword argument '${other}'`);
    return pathReader(env, attribute, keywords.get("default") ?? null);
  }
  const [name, ...rest] = positional;
  if (name === undefined) return raise("TypeError", "map needs the name of a filter, or an attribute");
  const filter = byName.filter(asText(name));
  return (item) => filter(env, item, { positional: rest, keywords });
}

interface Condition {
  readonly byName: ByName;
  readonly hasAttribute: boolean;
}

function conditionOf(
  env: Environment,
  { positional, keywords }: Arguments,
  { byName, hasAttribute }: Condition,
): (item: Value) => boolean {
  const [attribute] = positional;
  if (hasAttribute && attribute === undefined) return raise("TypeError", "the name of an attribute is missing");
  const read = hasAttribute ? pathReader(env, attribute ?? null) : (item: Value) => item;
  const [name, ...rest] = positional.slice(hasAttribute ? 1 : 0);
  if (name === undefined) return (item) => isTrue(read(item));
  const test = byName.test(asText(name));
  return (item) => test(env, read(item), { positional: rest, keywords });
}
