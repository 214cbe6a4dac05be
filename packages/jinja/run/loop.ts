import { raise } from "../faults.ts";
import { isEqual } from "../values/compare.ts";
import { iterate, sizeOf } from "../values/sequence.ts";
import { type Arguments, Callable, orElse, PythonObject, Tuple, Undefined, type Value } from "../values/value.ts";
import type { Environment } from "./scope.ts";

interface LoopOptions {
  readonly env: Environment;
  /** Renders the body for other items; null: the loop is not recursive. */
  readonly recurse: ((items: Value, depth: number) => Value) | null;
  readonly depth0: number;
}

const DONE = Symbol("done");

/** The special variable `loop`. It looks one item ahead only when needed. */
export class Loop extends Callable {
  private readonly options: LoopOptions;
  private source: Iterator<Value>;
  private size: number | null;
  private index0 = -1;
  private before: Value | undefined;
  private current: Value | undefined;
  private after: Value | typeof DONE | undefined;
  private changedTo: Value = null;

  constructor(items: Value, source: Iterator<Value> | null, options: LoopOptions) {
    super("loop", (args) => this.recurse(args), "LoopContext");
    this.options = options;
    this.source = source ?? iterate(items);
    this.size = source === null && !(items instanceof Undefined) ? sizeOf(items) : null;
  }

  /** The next item, or nothing more. */
  next(): { readonly item: Value } | null {
    const item = this.peek();
    this.after = undefined;
    if (item === DONE) return null;
    this.index0 += 1;
    this.before = this.current;
    this.current = item;
    return { item };
  }

  private peek(): Value | typeof DONE {
    if (this.after !== undefined) return this.after;
    const next = this.source.next();
    this.after = next.done === true ? DONE : next.value;
    return this.after;
  }

  /** For an iterator without a length the rest of the items is read now. */
  private get length(): number {
    if (this.size !== null) return this.size;
    const ahead = this.peek();
    const rest = ahead === DONE ? [] : [ahead, ...remaining(this.source)];
    this.after = undefined;
    this.source = rest.values();
    this.size = this.index0 + 1 + rest.length;
    return this.size;
  }

  override attribute(name: string): Value | undefined {
    const read = ATTRIBUTES.get(name);
    return read === undefined ? undefined : read(this);
  }

  override describe(): string {
    return `<LoopContext ${this.index0 + 1}/${this.length}>`;
  }

  static readonly attributes = {
    depth: (loop: Loop): Value => BigInt(loop.options.depth0 + 1),
    depth0: (loop: Loop): Value => BigInt(loop.options.depth0),
    first: (loop: Loop): Value => loop.index0 === 0,
    index: (loop: Loop): Value => BigInt(loop.index0 + 1),
    index0: (loop: Loop): Value => BigInt(loop.index0),
    last: (loop: Loop): Value => loop.peek() === DONE,
    length: (loop: Loop): Value => BigInt(loop.length),
    nextitem: (loop: Loop): Value => {
      const next = loop.peek();
      return next === DONE ? loop.options.env.undefined("there is no next item") : next;
    },
    previtem: (loop: Loop): Value => orElse(loop.before, () => loop.options.env.undefined("there is no previous item")),
    revindex: (loop: Loop): Value => BigInt(loop.length - loop.index0),
    revindex0: (loop: Loop): Value => BigInt(loop.length - loop.index0 - 1),
    cycle: (loop: Loop): Value => new Callable("cycle", ({ positional }) => loop.cycle(positional)),
    changed: (loop: Loop): Value => new Callable("changed", ({ positional }) => loop.changed(positional)),
  } as const;

  private cycle(items: readonly Value[]): Value {
    return orElse(items[this.index0 % Math.max(1, items.length)], () =>
      raise("TypeError", "no items for cycling given"),
    );
  }

  private changed(values: readonly Value[]): boolean {
    const now = new Tuple(values);
    const isChanged = !isEqual(this.changedTo, now);
    if (isChanged) this.changedTo = now;
    return isChanged;
  }

  private recurse({ positional: [items] }: Arguments): Value {
    const { recurse, depth0 } = this.options;
    if (recurse === null) return raise("TypeError", "only a `recursive` loop can be called");
    return recurse(
      orElse(items, () => raise("TypeError", "loop() needs items")),
      depth0 + 1,
    );
  }
}

const ATTRIBUTES: ReadonlyMap<string, (loop: Loop) => Value> = new Map(Object.entries(Loop.attributes));

function* remaining(source: Iterator<Value>): Generator<Value> {
  for (let next = source.next(); next.done !== true; next = source.next()) yield next.value;
}

/** The value of `self` in a template: its blocks as functions. */
export class Blocks extends PythonObject {
  readonly typeName = "TemplateReference";
  private readonly render: (name: string) => Callable | undefined;
  constructor(render: (name: string) => Callable | undefined) {
    super();
    this.render = render;
  }
  override attribute(name: string): Value | undefined {
    return this.render(name);
  }
  override describe(): string {
    return "<TemplateReference None>";
  }
}
