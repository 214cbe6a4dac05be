import { raise } from "../faults.ts";
import type { BlockNode, FilterNode, ForNode, MacroNode, Statement, Template } from "../syntax/nodes.ts";
import { isTrue } from "../values/compare.ts";
import { Dict } from "../values/dict.ts";
import { quoted, str } from "../values/represent.ts";
import { iterate } from "../values/sequence.ts";
import { type Arguments, Callable, Instance, Markup, orElse, Tuple, type Value } from "../values/value.ts";
import { applyFilter, argumentsOf, call, evaluate } from "./evaluate.ts";
import { Loop } from "./loop.ts";
import type { Environment, Scope } from "./scope.ts";

type StatementOf<K extends Statement["kind"]> = Extract<Statement, { kind: K }>;

/** Renders the statements of a template. */
export class Interpreter {
  private readonly template: Template;
  private readonly root: Scope;
  private readonly env: Environment;

  /** `payload` is a scope with the variables of the template. */
  constructor(template: Template, payload: Scope) {
    this.template = template;
    // In a template `self` has its blocks as functions.
    this.root = payload.inner([["self", new Instance("TemplateReference", (name) => this.blockNamed(name), "None")]]);
    this.env = payload.env;
  }

  run(): string {
    return this.render(this.template.body, this.root);
  }

  private render(body: readonly Statement[], scope: Scope): string {
    let text = "";
    for (const statement of body) {
      this.env.step();
      const part = this.statement(statement, scope);
      this.env.addLength(part);
      text += part;
    }
    return text;
  }

  /** The text of a statement. One that only defines a variable has none. */
  private statement(node: Statement, scope: Scope): string {
    switch (node.kind) {
      case "text":
        return node.text;
      case "print":
        return node.values.map((value) => this.env.printed(evaluate(value, scope))).join("");
      case "if":
        return this.branch(node, scope);
      case "for":
        return this.loop(node, scope, { items: evaluate(node.iterable, scope), depth: 0 });
      case "block":
        return this.block(node, scope);
      case "filter-block":
        return this.env.printed(this.filtered(node.filter, this.captured(node.body, scope.inner()), scope));
      case "call-block":
        return this.callBlock(node, scope);
      case "autoescape":
        return this.env.escaping(isTrue(evaluate(node.value, scope)), () => this.render(node.body, scope.inner()));
      case "with":
        return this.with(node, scope);
      case "load":
        return raise("TemplateRuntimeError", `\`${node.tag}\` does not work here: there are no other templates`);
      case "macro":
        scope.set(node.name ?? "caller", this.macro(node, scope));
        return "";
      case "set":
        scope.assign(node.target, evaluate(node.value, scope));
        return "";
      case "set-block":
        this.setBlock(node, scope);
        return "";
    }
  }

  private setBlock({ target, filter, body }: StatementOf<"set-block">, scope: Scope): void {
    const inner = scope.inner();
    const text = this.captured(body, inner);
    const value = filter === null ? text : this.filtered(filter, text, inner);
    scope.assign(target, this.env.isAutoescaped ? new Markup(str(value)) : value);
  }

  private captured(body: readonly Statement[], scope: Scope): Value {
    return this.env.asValue(this.render(body, scope));
  }

  /** Filters of a block; the first of them gets its text. */
  private filtered(node: FilterNode, text: Value, scope: Scope): Value {
    const { operand } = node;
    return applyFilter(node, operand?.kind === "filter" ? this.filtered(operand, text, scope) : text, scope);
  }

  private branch({ branches, otherwise }: StatementOf<"if">, scope: Scope): string {
    const taken = branches.find(({ test }) => isTrue(evaluate(test, scope)));
    return this.render(taken?.body ?? otherwise, scope);
  }

  private with({ pairs, body }: StatementOf<"with">, scope: Scope): string {
    const inner = scope.inner();
    for (const [target, value] of pairs) inner.assign(target, evaluate(value, scope));
    return this.render(body, inner);
  }

  private loop(node: ForNode, scope: Scope, { items, depth }: { items: Value; depth: number }): string {
    const recurse = (inner: Value): Value =>
      this.env.asValue(this.loop(node, scope, { items: inner, depth: depth + 1 }));
    const loop = new Loop(items, {
      env: this.env,
      source: node.condition === null ? null : this.wanted(node, items, scope),
      recurse: node.isRecursive ? recurse : null,
      depth0: depth,
    });
    let text = "";
    let isEmpty = true;
    for (let next = loop.next(); next !== null; next = loop.next()) {
      this.env.step();
      const inner = scope.inner([["loop", loop]]);
      inner.assign(node.target, next.item);
      text += this.render(node.body, inner);
      isEmpty = false;
    }
    return isEmpty ? this.render(node.otherwise, scope.inner()) : text;
  }

  /** The items that fulfil the condition of a loop. */
  private *wanted({ target, condition }: ForNode, items: Value, scope: Scope): Generator<Value> {
    for (const item of iterate(items)) {
      this.env.step();
      const inner = scope.inner();
      inner.assign(target, item);
      if (condition === null || isTrue(evaluate(condition, inner))) yield item;
    }
  }

  private macro(node: MacroNode, scope: Scope): Macro {
    const isEscaped = this.env.isAutoescaped;
    return new Macro(node, (args) =>
      this.env.asValue(this.env.escaping(isEscaped, () => this.render(node.body, macroScope(node, scope, args)))),
    );
  }

  private callBlock({ call: node, macro }: StatementOf<"call-block">, scope: Scope): string {
    const callee = evaluate(node.callee, scope);
    const { positional, keywords } = argumentsOf(node.args, scope);
    return str(call(callee, { positional, keywords: new Map([...keywords, ["caller", this.macro(macro, scope)]]) }));
  }

  /** A block sees only the variables of the template, unless it is `scoped`. */
  private block({ name, isScoped, isRequired, body }: BlockNode, scope: Scope): string {
    if (isRequired) raise("TemplateRuntimeError", `the required block "${name}" is not there`);
    return this.render(body, (isScoped ? scope : this.root).inner());
  }

  private blockNamed(name: string): Callable | undefined {
    const node = this.template.blocks.get(name);
    if (node === undefined) return undefined;
    return new Callable(name, () => this.env.asValue(this.block(node, this.root)), "BlockReference");
  }
}

/** A macro of a template, or the block of a `call`. Its body sees the variables around its definition. */
class Macro extends Callable {
  private readonly node: MacroNode;

  constructor(node: MacroNode, render: (args: Arguments) => Value) {
    super(node.name ?? "caller", render, "Macro");
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

/** The variables of one call of a macro: its arguments, and the special names that the body uses. */
function macroScope(node: MacroNode, scope: Scope, { positional, keywords }: Arguments): Scope {
  const { name: macroName, names, defaults, special } = node;
  const label = `macro ${macroName === null ? "of the call" : quoted(macroName)}`;
  const { env } = scope;
  const inner = scope.inner();
  const left = new Map(keywords);
  const take = (name: string): Value | undefined => {
    const value = left.get(name);
    left.delete(name);
    return value;
  };
  const bound = names.map((name, at) => (at < positional.length ? positional[at] : take(name)));
  const caller = special.has("caller") ? orElse(take("caller"), () => env.undefined("there is no caller")) : undefined;
  if (caller !== undefined) inner.set("caller", caller);
  if (special.has("kwargs")) inner.set("kwargs", new Dict(left));
  else if (left.size > 0) raise("TypeError", `${label} takes no keyword argument '${[...left.keys()][0]}'`);
  if (special.has("varargs")) inner.set("varargs", new Tuple(positional.slice(names.length)));
  else if (positional.length > names.length) {
    raise("TypeError", `${label} takes not more than ${names.length} argument(s)`);
  }
  for (const [at, name] of names.entries()) {
    // A default may use the arguments before it.
    const fallback = defaults[at - (names.length - defaults.length)];
    const missing = (): Value => env.undefined(`the argument "${name}" was not given`);
    const value = orElse(bound[at], () => (fallback === undefined ? missing() : evaluate(fallback, inner)));
    inner.set(name, value);
  }
  return inner;
}
