import { TemplateSyntaxError } from "../faults.ts";
import { tokenize } from "./lexer.ts";
import type { BlockNode, Expression, FilterNode, MacroNode, Signature, Statement, Target, Template } from "./nodes.ts";
import { CONSTANTS, ExpressionParser, SpecialNames } from "./parse-expression.ts";
import { describe, TokenStream } from "./token-stream.ts";

/** Returns the tree of a template. Throws a TemplateSyntaxError where Jinja2 would refuse to compile it. */
export const parse = (template: string): Template => new TemplateParser(new TokenStream(tokenize(template))).template();

/** Parses text and tags, and leaves the expressions in them to another parser. */
class TemplateParser {
  private readonly stream: TokenStream;
  private readonly inner: ExpressionParser;
  private readonly blocks = new Map<string, BlockNode>();
  /** The tags that are open, innermost last. */
  private readonly open: { readonly tag: string; readonly ends: readonly string[] }[] = [];
  /** Above 0 inside a block, a loop or a macro, where `extends` is not allowed. */
  private level = 0;
  private loopAssignments = 0;

  private readonly tags: ReadonlyMap<string, () => Statement> = new Map([
    ["if", () => this.if()],
    ["for", () => this.for()],
    ["set", () => this.set()],
    ["with", () => this.with()],
    ["autoescape", () => this.autoescape()],
    ["block", () => this.block()],
    ["macro", () => this.macro()],
    ["call", () => this.callBlock()],
    ["filter", () => this.filterBlock()],
    ["print", () => this.print()],
    ["extends", () => this.load()],
    ["include", () => this.load()],
    ["import", () => this.load()],
    ["from", () => this.load()],
  ]);

  constructor(stream: TokenStream) {
    this.stream = stream;
    this.inner = new ExpressionParser(stream);
  }

  template(): Template {
    const body = this.statements([]);
    const [first] = this.inner.unknown;
    if (first !== undefined) throw new TemplateSyntaxError(first.message, first.line);
    return { body, blocks: this.blocks };
  }

  /** Text, `{{ … }}` and statements, up to one of the tags in `ends`, which is not read yet. */
  private statements(ends: readonly string[]): readonly Statement[] {
    const body: Statement[] = [];
    for (;;) {
      const { kind, text } = this.stream.current;
      if (kind === "end") return ends.length === 0 ? body : this.failAtEnd();
      this.stream.next();
      if (kind === "text") {
        body.push({ kind: "text", text });
      } else if (text === "{{") {
        body.push({ kind: "print", values: [this.inner.tuple()] });
        this.stream.expect("}}");
      } else {
        if (this.stream.is(...ends)) return body;
        body.push(this.stream.nested(() => this.statement()));
        this.stream.expect("%}");
      }
    }
  }

  private failAtEnd(): never {
    const { tag, ends } = this.open.at(-1) ?? { tag: "", ends: [] };
    return this.stream.fail(`unexpected end of template: "${tag}" needs ${orOf(ends)}`);
  }

  private statement(): Statement {
    const token = this.stream.current;
    if (token.kind !== "name") this.stream.fail(`expected the name of a tag, got ${describe(token)}`);
    const tag = this.tags.get(token.text);
    if (tag !== undefined) return tag();
    const inner = this.open.at(-1);
    const detail = inner === undefined ? "" : `; "${inner.tag}" is open and needs ${orOf(inner.ends)}`;
    return this.stream.fail(`there is no tag "${token.text}"${detail}`);
  }

  /** The rest of a tag and its body. `isCondition` is true only for the branches of an `if`. */
  private body(tag: string, ends: readonly string[], isCondition = false): readonly Statement[] {
    this.stream.skip(":");
    this.stream.expect("%}");
    this.open.push({ tag, ends });
    const body = this.inFrame(isCondition, () => this.statements(ends));
    this.open.pop();
    return body;
  }

  /** A body with its end tag. */
  private closed(tag: string): readonly Statement[] {
    const body = this.body(tag, [`end${tag}`]);
    this.stream.next();
    return body;
  }

  /** Parses a part of the template either as the condition or branch of an `if`, or one level deeper. */
  private inFrame<T>(isCondition: boolean, parse: () => T): T {
    const before = this.inner.isInCondition;
    this.inner.isInCondition = isCondition;
    if (!isCondition) this.level += 1;
    const parsed = parse();
    if (!isCondition) this.level -= 1;
    this.inner.isInCondition = before;
    return parsed;
  }

  /** Parses a part of the template whose special names are noted in these objects. */
  private noting<T>(names: readonly SpecialNames[], parse: () => T): T {
    const before = this.inner.specialNames;
    this.inner.specialNames = names;
    const parsed = parse();
    this.inner.specialNames = before;
    return parsed;
  }

  private if(): Statement {
    const branches: { test: Expression; body: readonly Statement[] }[] = [];
    let otherwise: readonly Statement[] = [];
    while (this.stream.next().text !== "endif") {
      const test = this.inFrame(true, () => this.inner.tuple({ withCondition: false }));
      branches.push({ test, body: this.body("if", ["elif", "else", "endif"], true) });
      if (this.stream.skip("else")) otherwise = this.body("if", ["endif"], true);
    }
    return { kind: "if", branches, otherwise };
  }

  private for(): Statement {
    this.stream.next();
    const { line } = this.stream.current;
    const loopAssignments = this.loopAssignments;
    const target = this.target({ end: "in" });
    this.stream.expect("in");
    const iterable = this.inner.tuple({ withCondition: false, end: "recursive" });
    const condition = this.stream.skip("if") ? this.inFrame(false, () => this.inner.expression()) : null;
    const isRecursive = this.stream.skip("recursive");
    const body = this.body("for", ["endfor", "else"]);
    const otherwise = this.stream.next().text === "else" ? this.closed("for") : [];
    if (this.loopAssignments > loopAssignments) this.stream.fail("`loop` cannot be assigned to in a loop", line);
    return { kind: "for", target, iterable, condition, isRecursive, body, otherwise };
  }

  private set(): Statement {
    this.stream.next();
    const target = this.target({ mayBeMember: true });
    if (this.stream.skip("=")) return { kind: "set", target, value: this.inner.tuple() };
    const filter = this.inFrame(false, () => this.filterChain(null));
    return { kind: "set-block", target, filter, body: this.closed("set") };
  }

  private filterChain<Start extends FilterNode | null>(start: Start): FilterNode | Start {
    let filter: FilterNode | Start = start;
    while (this.stream.skip("|")) filter = this.inner.filter(filter);
    return filter;
  }

  private with(): Statement {
    this.stream.next();
    // The targets are assigned to before a value is read, wherever they are written.
    const read = new SpecialNames();
    const pairs = this.stream.commaSeparated("%}", () => {
      const target = this.target({});
      this.stream.expect("=");
      return [target, this.noting([read], () => this.inner.expression())] as const;
    });
    for (const names of this.inner.specialNames) for (const name of read.read) names.noteRead(name);
    return { kind: "with", pairs, body: this.closed("with") };
  }

  private autoescape(): Statement {
    this.stream.next();
    const value = this.inFrame(false, () => this.inner.expression());
    return { kind: "autoescape", value, body: this.closed("autoescape") };
  }

  private block(): Statement {
    this.stream.next();
    const { text: name, line } = this.stream.expectName();
    const isScoped = this.stream.skip("scoped");
    const isRequired = this.stream.skip("required");
    if (this.stream.is("-")) this.stream.fail("the name of a block cannot have a hyphen");
    const body = this.noting([], () => this.closed("block"));
    if (isRequired && !body.every((part) => part.kind === "text" && part.text.trim() === "")) {
      this.stream.fail("a required block can hold only comments and white space", line);
    }
    this.stream.skip(name);
    if (this.blocks.has(name)) this.stream.fail(`the block "${name}" is defined twice`, line);
    const node: BlockNode = { kind: "block", name, isScoped, isRequired, body };
    this.blocks.set(name, node);
    return node;
  }

  private macro(): Statement {
    const { line } = this.stream.next();
    const name = this.nameTarget();
    const signature = this.inFrame(false, () => this.signature());
    if ([name, ...signature.names].includes("loop")) this.loopAssignments += 1;
    return this.macroNode(name, signature, line);
  }

  private callBlock(): Statement {
    const { line } = this.stream.next();
    const hasSignature = this.stream.is("(");
    const signature = hasSignature ? this.inFrame(false, () => this.signature()) : { names: [], defaults: [] };
    const call = this.inner.expression();
    if (call.kind !== "call") return this.stream.fail("expected a call", line);
    return { kind: "call-block", call, macro: this.macroNode(null, signature, line) };
  }

  /** A macro, or without a name the block of a `call`. */
  private macroNode(name: string | null, signature: Signature, line: number): MacroNode {
    const { names, defaults } = signature;
    const special = new SpecialNames();
    const around = this.inner.specialNames;
    const body = this.noting([...around, special], () => this.closed(name === null ? "call" : "macro"));
    const caller = names.indexOf("caller");
    if (special.read.has("caller") && caller !== -1 && caller < names.length - defaults.length) {
      this.stream.fail('the argument "caller" of a macro needs a default', line);
    }
    const undeclared = [...special.read].filter((one) => !names.includes(one));
    return { kind: "macro", name, ...signature, body, special: new Set(undeclared) };
  }

  private signature(): Signature {
    const names = new Set<string>();
    const defaults: Expression[] = [];
    this.stream.expect("(");
    this.stream.commaSeparated(")", () => {
      const name = this.nameTarget();
      if (names.has(name)) this.stream.fail(`the argument "${name}" is named twice`);
      if (this.stream.skip("=")) defaults.push(this.inner.expression());
      else if (defaults.length > 0) this.stream.fail("an argument without a default follows one with a default");
      names.add(name);
    });
    this.stream.expect(")");
    return { names: [...names], defaults };
  }

  private filterBlock(): Statement {
    this.stream.next();
    const filter = this.inFrame(false, () => this.filterChain(this.inner.filter(null)));
    return { kind: "filter-block", filter, body: this.closed("filter") };
  }

  private print(): Statement {
    this.stream.next();
    return { kind: "print", values: this.stream.commaSeparated("%}", () => this.inner.expression()) };
  }

  /** `extends`, `include` and `import` name other templates. They are correct, and fail when they are rendered. */
  private load(): Statement {
    const { text: tag, line } = this.stream.next();
    this.inner.expression();
    if (tag === "extends" && this.level > 0) this.stream.fail("`extends` must stand at the top of a template", line);
    if (tag === "import") {
      this.stream.expect("as");
      this.nameTarget();
    }
    if (tag === "from") this.importedNames();
    if (tag === "include") this.stream.skip("ignore", "missing");
    if (tag !== "extends" && !this.stream.skip("with", "context")) this.stream.skip("without", "context");
    return { kind: "load", tag };
  }

  private importedNames(): void {
    this.stream.expect("import");
    do {
      if (this.stream.is("with", "without") && this.stream.isFollowedBy("context")) return;
      const name = this.nameTarget();
      if (name.startsWith("_")) this.stream.fail("a name that begins with _ cannot be imported");
      if (this.stream.skip("as")) this.nameTarget();
    } while (this.stream.skip(","));
  }

  private nameTarget(): string {
    const { text, line } = this.stream.expectName();
    if (CONSTANTS.has(text)) this.stream.fail(`"${text}" cannot be assigned to`, line);
    return text;
  }

  /** `end` is a name that may follow the last comma. */
  private target({ end = "", mayBeMember = false }): Target {
    const { line } = this.stream.current;
    if (mayBeMember && this.stream.isFollowedBy(".")) {
      const object = this.stream.expectName().text;
      this.stream.next();
      return { kind: "member", object, name: this.stream.expectName().text };
    }
    const node = this.noting([], () => this.inner.tuple({ isSimple: true, end }));
    return this.asTarget(node) ?? this.stream.fail("only names can be assigned to", line);
  }

  private asTarget(node: Expression): Target | null {
    if (node.kind === "name") {
      for (const names of this.inner.specialNames) names.noteAssigned(node.name);
      if (node.name === "loop") this.loopAssignments += 1;
      return node;
    }
    const items = node.kind === "tuple" ? node.items.map((item) => this.asTarget(item)) : [null];
    return items.includes(null) ? null : { kind: "tuple", items: items.filter((item) => item !== null) };
  }
}

const orOf = (tags: readonly string[]): string => tags.map((tag) => `"${tag}"`).join(" or ");
