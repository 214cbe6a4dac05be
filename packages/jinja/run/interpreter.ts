import { raise } from "../faults.ts";
import { escaped } from "../filters/text-filters.ts";
import type { BlockNode, Expression, FilterNode, ForNode, MacroNode, Statement, Template } from "../syntax/nodes.ts";
import { isTrue } from "../values/compare.ts";
import { Dict } from "../values/dict.ts";
import { quoted, str } from "../values/represent.ts";
import { iterate } from "../values/sequence.ts";
import { checkLength } from "../values/text.ts";
import { type Arguments, Callable, Markup, orElse, Tuple, type Value } from "../values/value.ts";
import { applyFilter, argumentsOf, call, evaluate, type Place } from "./evaluate.ts";
import { Blocks, Loop } from "./loop.ts";
import { type Environment, Scope } from "./scope.ts";

type StatementOf<K extends Statement["kind"]> = Extract<Statement, { kind: K }>;

/** Renders the statements of a template. */
export class Interpreter {
  private readonly env: Environment;
  private readonly template: Template;
  private readonly root: Scope;
  private length = 0;

  /** `payload`: a scope with the variables of the template. */
  constructor(env: Environment, template: Template, payload: Scope) {
    this.env = env;
    this.template = template;
    const self = new Blocks((name) => this.blockNamed(name));
    this.root = new Scope(payload, [["self", self]]);
  }

  run(): string {
    return this.render(this.template.body, this.root);
  }

  /** The text of statements. */
  private render(body: readonly Statement[], scope: Scope): string {
    let text = "";
    for (const statement of body) {
      this.env.step();
      const part = this.statement(statement, scope);
      // Text that a macro rendered counts again where it is printed, so the limit holds for the sum.
      this.length += part.length;
      checkLength(this.length);
      text += part;
    }
    return text;
  }

  private statement(node: Statement, scope: Scope): string {
    switch (node.kind) {
      case "text":
        return node.text;
      case "print":
        return this.printed(this.value(node.value, scope));
      case "if":
        return this.branch(node, scope);
      case "for":
        return this.loop(node, scope, { items: this.value(node.iterable, scope), depth: 0 });
      case "block":
        return this.block(node, scope);
      case "filter-block":
        return this.printed(this.filtered(node.filter, this.captured(node.body, new Scope(scope)), scope));
      case "call-block":
        return this.callBlock(node, scope);
      case "autoescape":
        return this.escaping(isTrue(this.value(node.value, scope)), () => this.render(node.body, new Scope(scope)));
      case "with":
        return this.with(node, scope);
      case "load":
        return raise("TemplateRuntimeError", `\`${node.tag}\` does not work here: there are no other templates`);
      default:
        this.define(node, scope);
        return "";
    }
  }

  private define(node: StatementOf<"set" | "set-block" | "macro">, scope: Scope): void {
    if (node.kind === "macro") scope.set(node.name ?? "caller", this.macro(node, scope));
    else if (node.kind === "set") scope.assign(node.target, this.value(node.value, scope));
    else {
      const inner = new Scope(scope);
      const text = this.captured(node.body, inner);
      const value = node.filter === null ? text : this.filtered(node.filter, text, inner);
      scope.assign(node.target, this.env.isAutoescaped ? new Markup(str(value)) : value);
    }
  }

  private value(node: Expression, scope: Scope): Value {
    return evaluate(node, { env: this.env, scope });
  }

  private printed(value: Value): string {
    return this.env.isAutoescaped ? escaped(value).text : str(value);
  }

  /** Rendered text as a value: HTML where text is escaped. */
  private captured(body: readonly Statement[], scope: Scope): Value {
    return this.asValue(this.render(body, scope));
  }

  private asValue(text: string): Value {
    return this.env.isAutoescaped ? new Markup(text) : text;
  }

  /** Filters of a block; the first of them gets its text. */
  private filtered(node: FilterNode, text: Value, scope: Scope): Value {
    const { operand } = node;
    const value = operand?.kind === "filter" ? this.filtered(operand, text, scope) : text;
    return applyFilter(node, value, { env: this.env, scope });
  }

  private escaping<T>(isOn: boolean, render: () => T): T {
    const before = this.env.isAutoescaped;
    this.env.isAutoescaped = isOn;
    const rendered = render();
    this.env.isAutoescaped = before;
    return rendered;
  }

  private branch({ branches, otherwise }: StatementOf<"if">, scope: Scope): string {
    const taken = branches.find(({ test }) => isTrue(this.value(test, scope)));
    return this.render(taken?.body ?? otherwise, scope);
  }

  private with({ pairs, body }: StatementOf<"with">, scope: Scope): string {
    const inner = new Scope(scope);
    for (const [target, value] of pairs) inner.assign(target, this.value(value, scope));
    return this.render(body, inner);
  }

  private loop(node: ForNode, scope: Scope, { items, depth }: { items: Value; depth: number }): string {
    const recurse = (inner: Value, level: number): Value =>
      this.asValue(this.loop(node, scope, { items: inner, depth: level }));
    const source = node.condition === null ? null : this.wanted(node, items, scope);
    const loop = new Loop(items, source, { env: this.env, recurse: node.isRecursive ? recurse : null, depth0: depth });
    let text = "";
    let isEmpty = true;
    for (let next = loop.next(); next !== null; next = loop.next()) {
      this.env.step();
      const inner = new Scope(scope, [["loop", loop]]);
      inner.assign(node.target, next.item);
      text += this.render(node.body, inner);
      isEmpty = false;
    }
    return isEmpty ? this.render(node.otherwise, new Scope(scope)) : text;
  }

  /** The items that the condition of a loop lets through. */
  private *wanted({ target, condition }: ForNode, items: Value, scope: Scope): Generator<Value> {
    for (const item of iterate(items)) {
      this.env.step();
      const inner = new Scope(scope);
      inner.assign(target, item);
      if (condition === null || isTrue(this.value(condition, inner))) yield item;
    }
  }

  private macro(node: MacroNode, scope: Scope): Macro {
    const isEscaped = this.env.isAutoescaped;
    return new Macro(node, { env: this.env, scope }, (inner) =>
      this.asValue(this.escaping(isEscaped, () => this.render(node.body, inner))),
    );
  }

  private callBlock({ call: node, macro }: StatementOf<"call-block">, scope: Scope): string {
    const place = { env: this.env, scope };
    const callee = evaluate(node.callee, place);
    const { positional, keywords } = argumentsOf(node.args, place);
    return str(call(callee, { positional, keywords: new Map([...keywords, ["caller", this.macro(macro, scope)]]) }));
  }

  /** A block sees only the variables of the template, unless it is `scoped`. */
  private block({ name, isScoped, isRequired, body }: BlockNode, scope: Scope): string {
    if (isRequired) raise("TemplateRuntimeError", `the required block "${name}" is not there`);
    return this.render(body, new Scope(isScoped ? scope : this.root));
  }

  private blockNamed(name: string): Callable | undefined {
    const node = this.template.blocks.get(name);
    return node === undefined
      ? undefined
      : new Callable(name, () => this.asValue(this.block(node, this.root)), "BlockReference");
  }
}

/** A macro of a template, or the block of a `call`. Its body sees the variables around its definition. */
class Macro extends Callable {
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
