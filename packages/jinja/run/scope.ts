import { raise } from "../faults.ts";
import type { Target } from "../syntax/nodes.ts";
import type { Dict } from "../values/dict.ts";
import { htmlOf, repr, str } from "../values/represent.ts";
import { itemsOfSequence } from "../values/sequence.ts";
import { checkLength } from "../values/text.ts";
import { Markup, PythonObject, Undefined, type Value } from "../values/value.ts";

/** More than any message needs; stops an endless loop in well under a second. */
const MOST_STEPS = 1_000_000;

/** Options, limits and the state of one rendering. */
export class Environment {
  /** True: only `is defined` and `default` accept an undefined value. Otherwise it prints as empty text. */
  readonly isStrict: boolean;
  /** Returns a number from 0 up to 1, for `random`. */
  readonly random: () => number;
  isAutoescaped = false;
  private steps = 0;
  private length = 0;

  constructor(isStrict: boolean, random: () => number) {
    this.isStrict = isStrict;
    this.random = random;
  }

  step(): void {
    this.steps += 1;
    if (this.steps > MOST_STEPS) raise("LimitError", `it takes more than ${MOST_STEPS} steps`);
  }

  /** The text of a macro is added again where it is printed, so the limit is one of the sum. */
  addLength(text: string): void {
    this.length += text.length;
    checkLength(this.length);
  }

  undefined(message: string): Undefined {
    return new Undefined(message, this.isStrict);
  }

  /** A value as it is printed. */
  printed(value: Value): string {
    return this.isAutoescaped ? htmlOf(value) : str(value);
  }

  /** Rendered text as a value: HTML where text is escaped. */
  asValue(text: string): Value {
    return this.isAutoescaped ? new Markup(text) : text;
  }

  escaping<T>(isOn: boolean, render: () => T): T {
    const before = this.isAutoescaped;
    this.isAutoescaped = isOn;
    const rendered = render();
    this.isAutoescaped = before;
    return rendered;
  }
}

/** Variables of a scope and of the scopes around it. Loops, macros and blocks open a scope; `if` does not. */
export class Scope {
  readonly env: Environment;
  private readonly parent: Scope | null;
  private readonly variables: Map<string, Value>;

  constructor(env: Environment, parent: Scope | null, variables: Iterable<readonly [string, Value]> = []) {
    this.env = env;
    this.parent = parent;
    this.variables = new Map(variables);
  }

  inner(variables: Iterable<readonly [string, Value]> = []): Scope {
    return new Scope(this.env, this, variables);
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
    else {
      const object = this.get(target.object);
      if (!(object instanceof Namespace))
        raise("TemplateRuntimeError", "only attributes of a namespace can be assigned to");
      else object.members.set(target.name, value);
    }
  }

  private unpack(targets: readonly Target[], value: Value): void {
    const items = itemsOfSequence(value);
    if (items.length !== targets.length) {
      raise("ValueError", `expected ${targets.length} values to unpack, got ${items.length}`);
    }
    for (const [at, target] of targets.entries()) this.assign(target, items[at] ?? null);
  }
}

/** `namespace(…)`: attributes that can be set from inside of a loop. */
export class Namespace extends PythonObject {
  readonly typeName = "Namespace";
  readonly members: Dict;
  constructor(members: Dict) {
    super();
    this.members = members;
  }
  override attribute(name: string): Value | undefined {
    return this.members.get(name);
  }
  override describe(around: readonly Value[] = []): string {
    return `<Namespace ${repr(this.members, around)}>`;
  }
}
