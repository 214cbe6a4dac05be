import { raise } from "../faults.ts";
import { isEqual } from "../values/compare.ts";
import { iterate, sizeOf } from "../values/sequence.ts";
import { Callable, orElse, Tuple, Undefined, type Value } from "../values/value.ts";
import type { Environment } from "./scope.ts";

interface LoopOptions {
  readonly env: Environment;
  /** The items that fulfil the condition of the loop; null without a condition. */
  readonly source: Iterator<Value> | null;
  /** Renders the body for other items; null if the loop is not recursive. */
  readonly recurse: ((items: Value) => Value) | null;
  readonly depth0: number;
}

const DONE = Symbol("done");

/** The special variable `loop`. It reads one item ahead only when needed. */
export class Loop extends Callable {
  private readonly options: LoopOptions;
  private source: Iterator<Value>;
  private size: number | null;
  private index0 = -1;
  private before: Value | undefined;
  private current: Value | undefined;
  private after: Value | typeof DONE | undefined;
  private changedTo: Value = null;

  constructor(items: Value, options: LoopOptions) {
    const recurse = options.recurse ?? (() => raise("TypeError", "only a `recursive` loop can be called"));
    const required = (given: Value | undefined): Value => orElse(given, () => raise("TypeError", "loop() needs items"));
    super("loop", ({ positional: [given] }) => recurse(required(given)), "LoopContext");
    this.options = options;
    this.source = options.source ?? iterate(items);
    this.size = options.source === null && !(items instanceof Undefined) ? sizeOf(items) : null;
  }

  /** The next item; null after the last. */
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
    const rest: Value[] = [];
    for (let item = this.peek(); item !== DONE; item = this.peek()) {
      rest.push(item);
      this.after = undefined;
    }
    this.after = undefined;
    this.source = rest.values();
    this.size = this.index0 + 1 + rest.length;
    return this.size;
  }

  private readonly attributes: ReadonlyMap<string, () => Value> = new Map<string, () => Value>([
    ["depth", () => BigInt(this.options.depth0 + 1)],
    ["depth0", () => BigInt(this.options.depth0)],
    ["first", () => this.index0 === 0],
    ["index", () => BigInt(this.index0 + 1)],
    ["index0", () => BigInt(this.index0)],
    ["last", () => this.peek() === DONE],
    ["length", () => BigInt(this.length)],
    ["nextitem", () => orElse(this.nextItem(), () => this.options.env.undefined("there is no next item"))],
    ["previtem", () => orElse(this.before, () => this.options.env.undefined("there is no previous item"))],
    ["revindex", () => BigInt(this.length - this.index0)],
    ["revindex0", () => BigInt(this.length - this.index0 - 1)],
    ["cycle", () => new Callable("cycle", ({ positional }) => this.cycle(positional))],
    ["changed", () => new Callable("changed", ({ positional }) => this.changed(new Tuple(positional)))],
  ]);

  override attribute(name: string): Value | undefined {
    return this.attributes.get(name)?.();
  }

  private nextItem(): Value | undefined {
    const next = this.peek();
    return next === DONE ? undefined : next;
  }

  override describe(): string {
    return `<LoopContext ${this.index0 + 1}/${this.length}>`;
  }

  private cycle(items: readonly Value[]): Value {
    const item = items[this.index0 % Math.max(1, items.length)];
    return orElse(item, () => raise("TypeError", "no items for cycling given"));
  }

  private changed(now: Tuple): boolean {
    const isChanged = !isEqual(this.changedTo, now);
    if (isChanged) this.changedTo = now;
    return isChanged;
  }
}
