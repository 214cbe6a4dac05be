import { TemplateSyntaxError } from "../faults.ts";
import { tokenize } from "./lexer.ts";
import { specialNames } from "./macro-names.ts";
import {
  assigns,
  assignsLoop,
  asTarget,
  type BlockNode,
  type Expression,
  type FilterNode,
  type ForNode,
  type MacroNode,
  type Signature,
  type Statement,
  type Target,
  type Template,
} from "./nodes.ts";
import { CONSTANTS, ExpressionParser } from "./parse-expression.ts";
import { describe, TokenStream } from "./token-stream.ts";

/** A template -> its tree. Throws a TemplateSyntaxError where Jinja2 would refuse to compile it. */
export const parse = (template: string): Template => new TemplateParser(new TokenStream(tokenize(template))).template();

/** Parses text and tags, and leaves what is inside of them to the parser of expressions. */
class TemplateParser {
  private readonly stream: TokenStream;
  private readonly inner: ExpressionParser;
  private readonly blocks = new Map<string, BlockNode>();
  /** The tags that are open, innermost last. */
  private readonly open: { readonly tag: string; readonly ends: readonly string[] }[] = [];
  /** Above 0 inside a block, a loop or a macro, where `extends` is not allowed. */
  private level = 0;

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

  /** Text, `{{ … }}` and statements up to one of the tags that end them; that tag is not read yet. */
  private statements(ends: readonly string[]): readonly Statement[] {
    const body: Statement[] = [];
    for (;;) {
      if (this.stream.isKind("end")) return ends.length === 0 ? body : this.failAtEnd();
      if (this.stream.isKind("text")) {
        body.push({ kind: "text", text: this.stream.next().text });
      } else if (this.stream.isKind("{{")) {
        this.stream.next();
        body.push({ kind: "print", value: this.inner.tuple() });
        this.stream.expectKind("}}");
      } else {
        this.stream.next();
        if (this.stream.isName(...ends)) return body;
        body.push(...this.stream.nested(() => this.statement()));
        this.stream.expectKind("%}");
      }
    }
  }

  private failAtEnd(): never {
    const { tag, ends } = this.open.at(-1) ?? { tag: "", ends: [] };
    return this.stream.fail(`unexpected end of template: "${tag}" needs ${orOf(ends)}`);
  }

  private statement(): readonly Statement[] {
    const token = this.stream.current;
    if (token.kind !== "name") this.stream.fail(`expected the name of a tag, got ${describe(token)}`);
    const tag = TAGS.get(token.text);
    if (tag !== undefined) return tag(this);
    const inner = this.open.at(-1);
    const detail = inner === undefined ? "" : `; "${inner.tag}" is open and needs ${orOf(inner.ends)}`;
    return this.stream.fail(`there is no tag "${token.text}"${detail}`, token.line);
  }

  /** The rest of a tag and its body. `isCondition` is true only for the branches of an `if`. */
  private body(tag: string, ends: readonly string[], isCondition = false): readonly Statement[] {
    this.stream.skipOperator(":");
    this.stream.expectKind("%}");
    this.open.push({ tag, ends });
    const body = this.inFrame(isCondition, () => this.statements(ends));
    this.open.pop();
    return body;
  }

  private inFrame<T>(isCondition: boolean, parse: () => T): T {
    const before = this.inner.isInCondition;
    this.inner.isInCondition = isCondition;
    if (!isCondition) this.level += 1;
    const parsed = parse();
    if (!isCondition) this.level -= 1;
    this.inner.isInCondition = before;
    return parsed;
  }

  parseIf(): readonly Statement[] {
    const branches: { test: Expression; body: readonly Statement[] }[] = [];
    let otherwise: readonly Statement[] = [];
    while (this.stream.next().text !== "endif") {
      const test = this.inFrame(true, () => this.inner.tuple({ withCondition: false }));
      branches.push({ test, body: this.body("if", ["elif", "else", "endif"], true) });
      if (!this.stream.isName("else")) continue;
      this.stream.next();
      otherwise = this.body("if", ["endif"], true);
    }
    return [{ kind: "if", branches, otherwise }];
  }

  parseFor(): readonly Statement[] {
    this.stream.next();
    const { line } = this.stream.current;
    const target = this.target({ end: "in" });
    this.stream.expectName("in");
    const iterable = this.inner.tuple({ withCondition: false, end: "recursive" });
    const condition = this.stream.skipName("if") ? this.inFrame(false, () => this.inner.expression()) : null;
    const isRecursive = this.stream.skipName("recursive");
    const body = this.body("for", ["endfor", "else"]);
    const otherwise = this.stream.next().text === "else" ? this.closed("for", "endfor") : [];
    const node: ForNode = { kind: "for", target, iterable, condition, isRecursive, body, otherwise };
    if (assigns(target, "loop") || assignsLoop([...body, ...otherwise])) {
      this.stream.fail("`loop` cannot be assigned to in a loop", line);
    }
    return [node];
  }

  /** A body with its end tag. */
  private closed(tag: string, end: string): readonly Statement[] {
    const body = this.body(tag, [end]);
    this.stream.next();
    return body;
  }

  parseSet(): readonly Statement[] {
    this.stream.next();
    const target = this.target({ mayBeMember: true });
    if (this.stream.skipOperator("=")) return [{ kind: "set", target, value: this.inner.tuple() }];
    const filter = this.inFrame(false, () => this.filterChain(null));
    return [{ kind: "set-block", target, filter, body: this.closed("set", "endset") }];
  }

  private filterChain(first: FilterNode | null): FilterNode | null {
    let filter = first;
    while (this.stream.isOperator("|")) filter = this.inner.filter(filter);
    return filter;
  }

  parseWith(): readonly Statement[] {
    this.stream.next();
    const pairs: (readonly [Target, Expression])[] = [];
    while (!this.stream.isKind("%}")) {
      if (pairs.length > 0) this.stream.expectOperator(",");
      const target = this.target({});
      this.stream.expectOperator("=");
      pairs.push([target, this.inner.expression()]);
    }
    return [{ kind: "with", pairs, body: this.closed("with", "endwith") }];
  }

  parseAutoescape(): readonly Statement[] {
    this.stream.next();
    const value = this.inFrame(false, () => this.inner.expression());
    return [{ kind: "autoescape", value, body: this.closed("autoescape", "endautoescape") }];
  }

  parseBlock(): readonly Statement[] {
    this.stream.next();
    const { text: name, line } = this.stream.expectName();
    const isScoped = this.stream.skipName("scoped");
    const isRequired = this.stream.skipName("required");
    if (this.stream.isOperator("-")) this.stream.fail("the name of a block cannot have a hyphen");
    const body = this.closed("block", "endblock");
    if (isRequired && !body.every((part) => part.kind === "text" && part.text.trim() === "")) {
      this.stream.fail("a required block can hold only comments and white space", line);
    }
    this.stream.skipName(name);
    if (this.blocks.has(name)) this.stream.fail(`the block "${name}" is defined twice`, line);
    const node: BlockNode = { kind: "block", name, isScoped, isRequired, body };
    this.blocks.set(name, node);
    return [node];
  }

  parseMacro(): readonly Statement[] {
    const { line } = this.stream.next();
    const name = this.nameTarget();
    const signature = this.inFrame(false, () => this.signature());
    return [this.macro(name, signature, { tag: "macro", line })];
  }

  parseCallBlock(): readonly Statement[] {
    const { line } = this.stream.next();
    const signature = this.stream.isOperator("(")
      ? this.inFrame(false, () => this.signature())
      : { names: [], defaults: [] };
    const call = this.inner.expression();
    if (call.kind !== "call") return this.stream.fail("expected a call", line);
    return [{ kind: "call-block", call, macro: this.macro(null, signature, { tag: "call", line }) }];
  }

  private macro(name: string | null, signature: Signature, { tag, line }: { tag: string; line: number }): MacroNode {
    const { names, defaults } = signature;
    const body = this.closed(tag, `end${tag}`);
    const used = specialNames(body);
    const caller = names.indexOf("caller");
    if (used.has("caller") && caller !== -1 && caller < names.length - defaults.length) {
      this.stream.fail('the argument "caller" of a macro needs a default', line);
    }
    const special = new Set([...used].filter((one) => !names.includes(one)));
    return { kind: "macro", name, ...signature, body, special };
  }

  private signature(): Signature {
    const names = new Set<string>();
    const defaults: Expression[] = [];
    this.stream.expectOperator("(");
    while (!this.stream.isOperator(")")) {
      if (names.size > 0) this.stream.expectOperator(",");
      const name = this.nameTarget();
      if (names.has(name)) this.stream.fail(`the argument "${name}" is named twice`);
      if (this.stream.skipOperator("=")) defaults.push(this.inner.expression());
      else if (defaults.length > 0) this.stream.fail("an argument without a default follows one with a default");
      names.add(name);
    }
    this.stream.expectOperator(")");
    return { names: [...names], defaults };
  }

  parseFilterBlock(): readonly Statement[] {
    this.stream.next();
    const filter = this.inFrame(false, () => this.filterChain(this.inner.filter(null, true)));
    return filter === null ? [] : [{ kind: "filter-block", filter, body: this.closed("filter", "endfilter") }];
  }

  parsePrint(): readonly Statement[] {
    this.stream.next();
    const values: Expression[] = [];
    while (!this.stream.isKind("%}")) {
      if (values.length > 0) this.stream.expectOperator(",");
      values.push(this.inner.expression());
    }
    return values.map((value) => ({ kind: "print", value }));
  }

  /** `extends`, `include` and `import` name other templates. They are correct, and fail when they are rendered. */
  parseLoad(): readonly Statement[] {
    const { text: tag, line } = this.stream.next();
    this.inner.expression();
    if (tag === "extends" && this.level > 0) this.stream.fail("`extends` must stand at the top of a template", line);
    if (tag === "import") this.importedAs();
    if (tag === "from") this.importedNames();
    if (tag === "include" && this.stream.isName("ignore") && this.stream.look().text === "missing") this.stream.skip(2);
    if (tag !== "extends") this.context();
    return [{ kind: "load", tag }];
  }

  private importedAs(): void {
    this.stream.expectName("as");
    this.nameTarget();
  }

  private importedNames(): void {
    this.stream.expectName("import");
    for (let isFirst = true; ; isFirst = false) {
      if (!isFirst) this.stream.expectOperator(",");
      if (this.isContext()) return;
      const name = this.nameTarget();
      if (name.startsWith("_")) this.stream.fail("a name that begins with _ cannot be imported");
      if (this.stream.skipName("as")) this.nameTarget();
      if (!this.stream.isOperator(",")) return;
    }
  }

  private isContext(): boolean {
    return this.stream.isName("with", "without") && this.stream.look().text === "context";
  }

  private context(): void {
    if (this.isContext()) this.stream.skip(2);
  }

  private nameTarget(): string {
    const { text, line } = this.stream.expectName();
    if (CONSTANTS.has(text)) this.stream.fail(`"${text}" cannot be assigned to`, line);
    return text;
  }

  private target({ end = "", mayBeMember = false }): Target {
    const { line } = this.stream.current;
    const { kind, text } = this.stream.look();
    if (mayBeMember && kind === "operator" && text === ".") {
      const object = this.stream.expectName().text;
      this.stream.next();
      return { kind: "member", object, name: this.stream.expectName().text };
    }
    const target = asTarget(this.inner.tuple({ isSimple: true, end }));
    return target ?? this.stream.fail("only names can be assigned to", line);
  }
}

const TAGS: ReadonlyMap<string, (parser: TemplateParser) => readonly Statement[]> = new Map([
  ["if", (parser) => parser.parseIf()],
  ["for", (parser) => parser.parseFor()],
  ["set", (parser) => parser.parseSet()],
  ["with", (parser) => parser.parseWith()],
  ["autoescape", (parser) => parser.parseAutoescape()],
  ["block", (parser) => parser.parseBlock()],
  ["macro", (parser) => parser.parseMacro()],
  ["call", (parser) => parser.parseCallBlock()],
  ["filter", (parser) => parser.parseFilterBlock()],
  ["print", (parser) => parser.parsePrint()],
  ["extends", (parser) => parser.parseLoad()],
  ["include", (parser) => parser.parseLoad()],
  ["import", (parser) => parser.parseLoad()],
  ["from", (parser) => parser.parseLoad()],
]);

const orOf = (tags: readonly string[]): string => tags.map((tag) => `"${tag}"`).join(" or ");
