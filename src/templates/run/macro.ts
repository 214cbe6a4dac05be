import { raise } from "../faults.ts";
import type { MacroNode } from "../syntax/nodes.ts";
import { Dict } from "../values/dict.ts";
import { quoted } from "../values/represent.ts";
import { type Arguments, Callable, orElse, Tuple, type Value } from "../values/value.ts";
import { evaluate, type Place } from "./evaluate.ts";
import { Scope } from "./scope.ts";

/** A macro of a template, or the block of a `call`. Its body sees the variables around its definition. */
export class Macro extends Callable {
  private readonly node: MacroNode;

  constructor(node: MacroNode, place: Place, render: (scope: Scope) => Value) {
    super(node.name ?? "caller", (args) => render(scopeFor(node, place, args)), "Macro");
    this.node = node;
  }

  override attribute(name: string): Value | undefined {
    const { names, special } = this.node;
    if (name === "name") return this.node.name;
    if (name === "arguments") return new Tuple([...names]);
    if (name === "catch_kwargs") return special.has("kwargs");
    if (name === "catch_varargs") return special.has("varargs");
    return name === "caller" ? special.has("caller") : undefined;
  }

  override describe(): string {
    return `<Macro ${this.node.name === null ? "anonymous" : quoted(this.node.name)}>`;
  }
}

/** The variables of one call: its arguments, and what the body uses of the rest. */
function scopeFor(node: MacroNode, { env, scope }: Place, { positional, keywords }: Arguments): Scope {
  const { names, special } = node;
  const given = new Map(keywords);
  const inner = new Scope(scope);
  const bound = names.map((name, at) => (at < positional.length ? positional[at] : takeFrom(given, name)));
  if (special.has("caller"))
    inner.set(
      "caller",
      orElse(takeFrom(given, "caller"), () => env.undefined("there is no caller")),
    );
  if (special.has("kwargs")) inner.set("kwargs", new Dict(given));
  else if (given.size > 0)
    raise("TypeError", `macro ${labelOf(node)} takes no keyword argument '${[...given.keys()][0]}'`);
  if (special.has("varargs")) inner.set("varargs", new Tuple(positional.slice(names.length)));
  else if (positional.length > names.length) {
    raise("TypeError", `macro ${labelOf(node)} takes not more than ${names.length} argument(s)`);
  }
  for (const [at, name] of names.entries())
    inner.set(
      name,
      orElse(bound[at], () => defaultOf(node, at, { env, scope: inner })),
    );
  return inner;
}

const labelOf = ({ name }: MacroNode): string => (name === null ? "of the call" : quoted(name));

function takeFrom(given: Map<string, Value>, name: string): Value | undefined {
  const value = given.get(name);
  given.delete(name);
  return value;
}

/** A default may name the arguments before it. */
function defaultOf({ names, defaults }: MacroNode, at: number, place: Place): Value {
  const node = defaults[at - (names.length - defaults.length)];
  return node === undefined ? place.env.undefined(`the argument "${names[at]}" was not given`) : evaluate(node, place);
}
