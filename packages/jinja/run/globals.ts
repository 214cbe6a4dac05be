import { raise } from "../faults.ts";
import { asInteger, bind, parameters } from "../values/arguments.ts";
import { Dict } from "../values/dict.ts";
import { pairsOf } from "../values/methods.ts";
import { type Arguments, Callable, Instance, Range, Tuple, type Value } from "../values/value.ts";
import { type Environment, Namespace, Scope } from "./scope.ts";

/** The global names of every template. Fields of the payload may hide them. */
export const globalScope = (env: Environment): Scope =>
  new Scope(env, null, [
    ["range", new Callable("range", ({ positional }) => rangeOf(positional), "type")],
    ["dict", new Callable("dict", dictOf, "type")],
    ["cycler", new Callable("cycler", ({ positional }) => cyclerOf(positional), "type")],
    ["joiner", new Callable("joiner", joiner, "type")],
    ["namespace", new Callable("namespace", (args) => new Namespace(dictOf(args)), "type")],
  ]);

/** The limit of Jinja2's sandbox. */
const LONGEST_RANGE = 100_000;

function rangeOf(values: readonly Value[]): Range {
  const [first = 0, second, step = 1] = values.map(rangeArgument);
  if (values.length < 1 || values.length > 3) raise("TypeError", "range takes 1 to 3 numbers");
  if (step === 0) raise("ValueError", "range() arg 3 must not be zero");
  const range = second === undefined ? new Range(0, first, 1) : new Range(first, second, step);
  if (range.length > LONGEST_RANGE) raise("OverflowError", `range() gives at most ${LONGEST_RANGE} numbers`);
  return range;
}

function rangeArgument(value: Value): number {
  const number = Number(asInteger(value));
  return Number.isSafeInteger(number) ? number : raise("OverflowError", "a number of range() is too large");
}

/** `dict(…)` and `namespace(…)` take a dict or pairs, and keywords. */
function dictOf({ positional: [source, ...more], keywords }: Arguments): Dict {
  if (more.length > 0) raise("TypeError", `dict expected at most 1 argument, got ${more.length + 1}`);
  return new Dict([...(source === undefined ? [] : pairsOf(source)), ...keywords]);
}

/** `cycler(…)`: returns its values in turn with `next()`. */
function cyclerOf(items: readonly Value[]): Instance {
  if (items.length === 0) raise("TemplateRuntimeError", "at least one item has to be provided");
  let position = 0;
  const next = (): Value => {
    const value = items[position] ?? null;
    position = (position + 1) % items.length;
    return value;
  };
  const reset = (): null => {
    position = 0;
    return null;
  };
  const attributes = new Map<string, () => Value>([
    ["current", () => items[position] ?? null],
    ["items", () => new Tuple(items)],
    ["pos", () => BigInt(position)],
    ["next", () => new Callable("next", next)],
    ["reset", () => new Callable("reset", reset)],
  ]);
  return new Instance("Cycler", (name) => attributes.get(name)?.());
}

/** `joiner(…)`: nothing when it is first called, then the separator. */
function joiner(args: Arguments): Callable {
  const [separator = ", "] = bind("joiner", parameters("sep?"), args);
  let isUsed = false;
  return new Callable("joiner", () => {
    const text = isUsed ? separator : "";
    isUsed = true;
    return text;
  });
}
