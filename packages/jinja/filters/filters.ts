import { raise } from "../faults.ts";
import { pathReader } from "../run/lookup.ts";
import type { Environment } from "../run/scope.ts";
import { asText } from "../values/arguments.ts";
import { isTrue } from "../values/compare.ts";
import { hashOf } from "../values/dict.ts";
import { iterate } from "../values/sequence.ts";
import { type Arguments, Iterator, isText, textOf, type Value } from "../values/value.ts";
import type { Filter } from "./filter.ts";
import { NUMBER_FILTERS } from "./number-filters.ts";
import { SEQUENCE_FILTERS } from "./sequence-filters.ts";
import { VALUE_TESTS } from "./tests.ts";
import { TEXT_FILTERS } from "./text-filters.ts";
import { WEB_FILTERS } from "./web-filters.ts";

/** A filter that converts each item of a value; undefined skips one. For an empty value the arguments do not matter. */
const perItem =
  (converterOf: (args: Arguments, env: Environment) => (item: Value) => Value | undefined): Filter =>
  (value, args, env) => {
    function* converted(): Generator<Value> {
      if (!isTrue(value)) return;
      const convert = converterOf(args, env);
      for (const item of iterate(value)) {
        const result = convert(item);
        if (result !== undefined) yield result;
      }
    }
    return new Iterator(converted());
  };

/** `select`, `reject` and their forms for an attribute: the items for which a test gives the wanted result. */
const choosing = (isWanted: boolean, hasAttribute: boolean): Filter =>
  perItem((args, env) => {
    const isMet = conditionOf(args, env, hasAttribute);
    return (item) => (isMet(item) === isWanted ? item : undefined);
  });

type Condition = (item: Value) => boolean;

function conditionOf({ positional, keywords }: Arguments, env: Environment, hasAttribute: boolean): Condition {
  const [attribute] = positional;
  if (hasAttribute && attribute === undefined) return raise("TypeError", "the name of an attribute is missing");
  const read = hasAttribute ? pathReader(env, attribute ?? null) : (item: Value) => item;
  const [name, ...rest] = positional.slice(hasAttribute ? 1 : 0);
  if (name === undefined) return (item) => isTrue(read(item));
  const test = testNamed(asText(name));
  return (item) => test(read(item), { positional: rest, keywords }, env);
}

/** `map` applies a filter by its name, or reads an attribute. */
function mapperOf({ positional, keywords }: Arguments, env: Environment): (item: Value) => Value {
  const attribute = keywords.get("attribute");
  if (positional.length === 0 && attribute !== undefined) {
    const other = [...keywords.keys()].find((name) => name !== "attribute" && name !== "default");
    if (other !== undefined) raise("TypeError", `map got an unexpected keyword argument '${other}'`);
    return pathReader(env, attribute, keywords.get("default") ?? null);
  }
  const [name, ...rest] = positional;
  if (name === undefined) return raise("TypeError", "map needs the name of a filter, or an attribute");
  const filter = filterNamed(asText(name));
  return (item) => filter(item, { positional: rest, keywords }, env);
}

/** The filters of Jinja2 3.1. */
export const FILTERS: ReadonlyMap<string, Filter> = new Map(
  Object.entries<Filter>({
    ...NUMBER_FILTERS,
    ...SEQUENCE_FILTERS,
    ...TEXT_FILTERS,
    ...WEB_FILTERS,
    map: perItem(mapperOf),
    select: choosing(true, false),
    reject: choosing(false, false),
    selectattr: choosing(true, true),
    rejectattr: choosing(false, true),
  }),
);

/** True if the value is a name in the table. A list or a dict cannot be a name, and is an error. */
const isNameIn = (table: ReadonlyMap<string, unknown>, value: Value): boolean => {
  hashOf(value);
  return isText(value) && table.has(textOf(value));
};

/** The tests of Jinja2 3.1. */
export const TESTS: ReadonlyMap<string, Filter<boolean>> = new Map(
  Object.entries<Filter<boolean>>({
    ...VALUE_TESTS,
    filter: (value) => isNameIn(FILTERS, value),
    test: (value) => isNameIn(TESTS, value),
  }),
);

export const filterNamed = (name: string): Filter =>
  FILTERS.get(name) ?? raise("TemplateRuntimeError", `there is no filter "${name}"`);

export const testNamed = (name: string): Filter<boolean> =>
  TESTS.get(name) ?? raise("TemplateRuntimeError", `there is no test "${name}"`);
