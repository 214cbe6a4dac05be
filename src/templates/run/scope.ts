import { raise } from "../faults.ts";
import type { Target } from "../syntax/nodes.ts";
import { Namespace } from "../values/helpers.ts";
import { itemsOfSequence } from "../values/sequence.ts";
import type { Value } from "../values/value.ts";

/** Variables, and those around them. A loop, a macro and a block have a scope of their own; an `if` has not. */
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
