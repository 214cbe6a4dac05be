import { raise } from "../faults.ts";
import { asInteger } from "../values/arguments.ts";
import { Cycler, dictOf, joiner, Namespace } from "../values/helpers.ts";
import { Callable, Range, type Value } from "../values/value.ts";
import { Scope } from "./scope.ts";

/** As many as Jinja2's sandbox allows. */
const LONGEST_RANGE = 100_000;

function rangeOf(values: readonly Value[]): Range {
  const [first = 0, second, step = 1] = values.map(bound);
  if (values.length < 1 || values.length > 3) raise("TypeError", "range takes 1 to 3 numbers");
  if (step === 0) raise("ValueError", "range() arg 3 must not be zero");
  const range = second === undefined ? new Range(0, first, 1) : new Range(first, second, step);
  if (range.length > LONGEST_RANGE) raise("OverflowError", `range() gives at most ${LONGEST_RANGE} numbers`);
  return range;
}

const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

function bound(value: Value): number {
  const number = asInteger(value);
  return number > LARGEST || number < -LARGEST
    ? raise("OverflowError", "a number of range() is too large")
    : Number(number);
}

/** What every template can name beside the payload, which may have fields of the same names. */
export const globalScope = (): Scope =>
  new Scope(null, [
    ["range", new Callable("range", ({ positional }) => rangeOf(positional), "type")],
    ["dict", new Callable("dict", dictOf, "type")],
    ["cycler", new Callable("cycler", ({ positional }) => new Cycler(positional), "type")],
    ["joiner", new Callable("joiner", joiner, "type")],
    ["namespace", new Callable("namespace", (args) => new Namespace(args), "type")],
  ]);
