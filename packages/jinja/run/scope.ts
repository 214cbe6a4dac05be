import { raise } from "../faults.ts";
import type { Target } from "../syntax/nodes.ts";
import { asInteger, bind } from "../values/arguments.ts";
import { Dict } from "../values/dict.ts";
import { pairsOf } from "../values/methods.ts";
import { repr } from "../values/represent.ts";
import { itemsOfSequence } from "../values/sequence.ts";
import { type Arguments, Callable, PythonObject, Range, Tuple, Undefined, type Value } from "../values/value.ts";

/** Variables of a scope and of the scopes around it. Loops, macros and blocks open a scope; `if` does not. */
export class Scope {
  private readonly variables: Map<string, Value>;
  private readonly parent: Scope | null;

  constructor(parent: Scope | null, variables: Iterable<readonly [string, Value]> = []) {
    this.parent = parent;
    this.variables = new Map(variables);
  }

  get(name: string): Value | undefined {
    for (let scope: Scope | null = this; scope !== null; scope = scope.parent) {
      const value = scope.variables.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  set(name: string, value: Value): void {
    this.variables.set(name, value);
  }

  /** Assigns to a name, to several names, or to a member of a namespace. */
  assign(target: Target, value: Value): void {
    if (target.kind === "name") this.set(target.name, value);
    else if (target.kind === "tuple") this.unpack(target.items, value);
    else this.namespace(target.object).set(target.name, value);
  }

  private namespace(name: string): Namespace {
    const object = this.get(name);
    if (object instanceof Namespace) return object;
    return raise("TemplateRuntimeError", "only attributes of a namespace can be assigned to");
  }

  private unpack(targets: readonly Target[], value: Value): void {
    const items = itemsOfSequence(value);
    if (items.length !== targets.length) {
      raise("ValueError", `expected ${targets.length} values to unpack, got ${items.length}`);
    }
    for (const [at, target] of targets.entries()) this.assign(target, items[at] ?? null);
  }
}

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

const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

function rangeArgument(value: Value): number {
  const number = asInteger(value);
  return number > LARGEST || number < -LARGEST
    ? raise("OverflowError", "a number of range() is too large")
    : Number(number);
}

/** The global names of every template. Fields of the payload may hide them. */
export const globalScope = (): Scope =>
  new Scope(null, [
    ["range", new Callable("range", ({ positional }) => rangeOf(positional), "type")],
    ["dict", new Callable("dict", dictOf, "type")],
    ["cycler", new Callable("cycler", ({ positional }) => new Cycler(positional), "type")],
    ["joiner", new Callable("joiner", joiner, "type")],
    ["namespace", new Callable("namespace", (args) => new Namespace(args), "type")],
  ]);

/** More than any message needs; stops an endless loop in well under a second. */
const MOST_STEPS = 1_000_000;

/** Options and limits of one rendering. */
export class Environment {
  /** True: only `is defined` and `default` accept an undefined value. Otherwise it prints as empty text. */
  readonly isStrict: boolean;
  /** Returns a number from 0 up to 1, for `random`. */
  readonly random: () => number;
  /** True if the template language has a filter of this name, for the test `is filter`. */
  readonly isFilter: (name: string) => boolean;
  isAutoescaped = false;
  private steps = 0;

  constructor({ isStrict, random, isFilter }: Pick<Environment, "isStrict" | "random" | "isFilter">) {
    this.isStrict = isStrict;
    this.random = random;
    this.isFilter = isFilter;
  }

  step(): void {
    this.steps += 1;
    if (this.steps > MOST_STEPS) raise("LimitError", `it takes more than ${MOST_STEPS} steps`);
  }

  undefined(message: string): Undefined {
    return new Undefined(message, this.isStrict);
  }
}

/** `namespace(…)`: attributes that can be set from inside of a loop. */
class Namespace extends PythonObject {
  readonly typeName = "Namespace";
  private readonly members: Dict;
  constructor(args: Arguments) {
    super();
    this.members = dictOf(args);
  }
  set(name: string, value: Value): void {
    this.members.set(name, value);
  }
  override attribute(name: string): Value | undefined {
    return this.members.get(name);
  }
  override describe(around: readonly Value[] = []): string {
    return `<Namespace ${repr(this.members, around)}>`;
  }
}

/** `dict(…)` and `namespace(…)` take a dict or pairs, and keywords. */
function dictOf({ positional: [source, ...more], keywords }: Arguments): Dict {
  if (more.length > 0) raise("TypeError", `dict expected at most 1 argument, got ${more.length + 1}`);
  return new Dict([...(source === undefined ? [] : pairsOf(source)), ...keywords]);
}

/** `cycler(…)`: returns its values in turn with `next()`. */
class Cycler extends PythonObject {
  readonly typeName = "Cycler";
  private readonly items: readonly Value[];
  private position = 0;
  constructor(items: readonly Value[]) {
    super();
    if (items.length === 0) raise("TemplateRuntimeError", "at least one item has to be provided");
    this.items = items;
  }
  override attribute(name: string): Value | undefined {
    if (name === "current") return this.items[this.position];
    if (name === "items") return new Tuple(this.items);
    if (name === "pos") return BigInt(this.position);
    if (name === "next") return new Callable(name, () => this.next());
    return name === "reset" ? new Callable(name, () => this.reset()) : undefined;
  }
  private next(): Value {
    const value = this.items[this.position] ?? null;
    this.position = (this.position + 1) % this.items.length;
    return value;
  }
  private reset(): null {
    this.position = 0;
    return null;
  }
}

/** `joiner(…)`: nothing when it is first called, then the separator. */
function joiner(args: Arguments): Callable {
  const [separator = ", "] = bind({ name: "joiner", names: ["sep"], required: 0 }, args);
  let isUsed = false;
  return new Callable("joiner", () => {
    const text = isUsed ? separator : "";
    isUsed = true;
    return text;
  });
}
