import { raise } from "../faults.ts";
import { pathReader } from "../run/lookup.ts";
import type { Environment } from "../run/scope.ts";
import { asText } from "../values/arguments.ts";
import { isTrue } from "../values/compare.ts";
import { iterate } from "../values/sequence.ts";
import { type Arguments, Iterator, type Value } from "../values/value.ts";
import type { Filter } from "./filter.ts";
import { NUMBER_FILTERS } from "./number-filters.ts";
import { SEQUENCE_FILTERS } from "./sequence-filters.ts";
import { testNamed } from "./tests.ts";
import { TEXT_FILTERS } from "./text-filters.ts";
import { WEB_FILTERS } from "./web-filters.ts";

export const filterNamed = (name: string): Filter =>
  FILTERS.get(name) ?? raise("TemplateRuntimeError", `there is no filter "${name}"`);

/** `select`, `reject` and their forms for an attribute: the items for which a test gives the wanted result. */
const choosing =
  (isWanted: boolean, hasAttribute: boolean): Filter =>
  (env, value, args) =>
    new Iterator(chosen(value, isWanted, () => conditionOf(env, args, hasAttribute)));

function* chosen(value: Value, isWanted: boolean, condition: () => (item: Value) => boolean): Generator<Value> {
  if (!isTrue(value)) return;
  const test = condition();
  for (const item of iterate(value)) if (test(item) === isWanted) yield item;
}

function conditionOf(
  env: Environment,
  { positional, keywords }: Arguments,
  hasAttribute: boolean,
): (item: Value) => boolean {
  const [attribute] = positional;
  if (hasAttribute && attribute === undefined) return raise("TypeError", "the name of an attribute is missing");
  const read = hasAttribute ? pathReader(env, attribute ?? null) : (item: Value) => item;
  const [name, ...rest] = positional.slice(hasAttribute ? 1 : 0);
  if (name === undefined) return (item) => isTrue(read(item));
  const test = testNamed(asText(name));
  return (item) => test(env, read(item), { positional: rest, keywords });
}

function* mapped(env: Environment, value: Value, args: Arguments): Generator<Value> {
  if (!isTrue(value)) return;
  const map = mapperOf(env, args);
  for (const item of iterate(value)) yield map(item);
}

/** `map` applies a filter by its name, or reads an attribute. */
function mapperOf(env: Environment, { positional, keywords }: Arguments): (item: Value) => Value {
  const attribute = keywords.get("attribute");
  if (positional.length === 0 && attribute !== undefined) {
    const other = [...keywords.keys()].find((name) => name !== "attribute" && name !== "default");
    if (other !== undefined) raise("TypeError", `map got an unexpected keyword argument '${other}'`);
    return pathReader(env, attribute, keywords.get("default") ?? null);
  }
  const [name, ...rest] = positional;
  if (name === undefined) return raise("TypeError", "map needs the name of a filter, or an attribute");
  const filter = filterNamed(asText(name));
  return (item) => filter(env, item, { positional: rest, keywords });
}

/** The filters of Jinja2 3.1. */
export const FILTERS: ReadonlyMap<string, Filter> = new Map(
  Object.entries<Filter>({
    ...NUMBER_FILTERS,
    ...SEQUENCE_FILTERS,
    ...TEXT_FILTERS,
    ...WEB_FILTERS,
    map: (env, value, args) => new Iterator(mapped(env, value, args)),
    select: choosing(true, false),
    reject: choosing(false, false),
    selectattr: choosing(true, true),
    rejectattr: choosing(false, true),
  }),
);
