import { raise } from "../faults.ts";
import { bind } from "./arguments.ts";
import { Dict } from "./dict.ts";
import { pairsOf } from "./methods.ts";
import { repr } from "./represent.ts";
import { type Arguments, Callable, PythonObject, Tuple, type Value } from "./value.ts";

/** `namespace(…)`: attributes that can be set from inside of a loop. */
export class Namespace extends PythonObject {
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
export function dictOf({ positional: [source, ...more], keywords }: Arguments): Dict {
  if (more.length > 0) raise("TypeError", `dict expected at most 1 argument, got ${more.length + 1}`);
  return new Dict([...(source === undefined ? [] : pairsOf(source)), ...keywords]);
}

/** `cycler(…)`: returns its values in turn with `next()`. */
export class Cycler extends PythonObject {
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
export function joiner(args: Arguments): Callable {
  const [separator = ", "] = bind({ name: "joiner", names: ["sep"], required: 0 }, args);
  let isUsed = false;
  return new Callable("joiner", () => {
    const text = isUsed ? separator : "";
    isUsed = true;
    return text;
  });
}
