import { isFilterName, isTestName } from "./names.ts";
import type { ArgumentNodes, BinaryOperator, CompareOperator, Expression, FilterNode, Statement } from "./nodes.ts";
import { LiteralParser } from "./parse-literal.ts";

/** A filter or a test that Jinja2 does not have. */
interface UnknownName {
  readonly message: string;
  readonly line: number;
}

const COMPARISONS = ["==", "!=", "<", "<=", ">", ">="];
const NO_ARGUMENTS: ArgumentNodes = { positional: [], keywords: [], spread: null, keywordSpread: null };

/** Parses expressions by Jinja2's grammar: each method is one level of precedence, weakest first. */
class ExpressionParser extends LiteralParser {
  /** Reported after the whole template was parsed, as syntax errors come first. */
  protected unknown: UnknownName[] = [];
  /** Directly in an `if` an unknown filter is an error only at run time: the branch may never be taken. */
  protected isInCondition = false;

  protected override expression(withCondition = true): Expression {
    return this.stream.nested(() => (withCondition ? this.conditional() : this.or()));
  }

  private conditional(): Expression {
    const known = this.unknown.length;
    let value = this.or();
    while (this.stream.skipName("if")) {
      const test = this.or();
      const no = this.stream.skipName("else") ? this.stream.nested(() => this.conditional()) : null;
      value = { kind: "conditional", test, yes: value, no };
      this.unknown.length = known;
    }
    return value;
  }

  private or(): Expression {
    let left = this.and();
    while (this.stream.skipName("or")) left = { kind: "or", left, right: this.and() };
    return left;
  }

  private and(): Expression {
    let left = this.not();
    while (this.stream.skipName("and")) left = { kind: "and", left, right: this.not() };
    return left;
  }

  private not(): Expression {
    if (!this.stream.skipName("not")) return this.compare();
    return { kind: "not", operand: this.stream.nested(() => this.not()) };
  }

  private compare(): Expression {
    const first = this.sum();
    const rest: (readonly [CompareOperator, Expression])[] = [];
    for (let operator = this.comparison(); operator !== null; operator = this.comparison()) {
      rest.push([operator, this.sum()]);
    }
    return rest.length === 0 ? first : { kind: "compare", first, rest };
  }

  private comparison(): CompareOperator | null {
    if (this.stream.isOperator(...COMPARISONS)) return this.stream.next().text as CompareOperator;
    if (this.stream.skipName("in")) return "in";
    const { kind, text } = this.stream.look();
    if (!this.stream.isName("not") || kind !== "name" || text !== "in") return null;
    this.stream.skip(2);
    return "not in";
  }

  private sum(): Expression {
    return this.leftToRight(["+", "-"], () => this.concat());
  }

  private concat(): Expression {
    const first = this.product();
    const items = [first];
    while (this.stream.skipOperator("~")) items.push(this.product());
    return items.length === 1 ? first : { kind: "concat", items };
  }

  private product(): Expression {
    return this.leftToRight(["*", "/", "//", "%"], () => this.power());
  }

  private power(): Expression {
    return this.leftToRight(["**"], () => this.unary());
  }

  private leftToRight(operators: readonly BinaryOperator[], operand: () => Expression): Expression {
    let left = operand();
    while (this.stream.isOperator(...operators)) {
      const operator = this.stream.next().text as BinaryOperator;
      left = { kind: "binary", operator, left, right: operand() };
    }
    return left;
  }

  private unary(withFilters = true): Expression {
    const node = this.postfix(this.signed());
    return withFilters ? this.filters(node) : node;
  }

  private signed(): Expression {
    if (!this.stream.isOperator("-", "+")) return this.primary();
    const kind = this.stream.next().text === "-" ? "negative" : "positive";
    return { kind, operand: this.stream.nested(() => this.unary(false)) };
  }

  private postfix(start: Expression): Expression {
    let node = start;
    for (;;) {
      if (this.stream.isOperator(".", "[")) node = this.member(node);
      else if (this.stream.isOperator("(")) node = { kind: "call", callee: node, args: this.callArguments() };
      else return node;
    }
  }

  private filters(start: Expression): Expression {
    let node = start;
    for (;;) {
      if (this.stream.isOperator("|")) node = this.filter(node);
      else if (this.stream.isName("is")) node = this.test(node);
      else if (this.stream.isOperator("(")) node = { kind: "call", callee: node, args: this.callArguments() };
      else return node;
    }
  }

  private member(object: Expression): Expression {
    if (this.stream.next().text === ".") {
      const { kind, text, line } = this.stream.next();
      if (kind === "name") return { kind: "attribute", object, name: text };
      if (kind === "integer") return { kind: "item", object, key: { kind: "literal", value: this.integer(text) } };
      return this.stream.fail("expected name or number", line);
    }
    const keys: Expression[] = [];
    while (!this.stream.isOperator("]")) {
      if (keys.length > 0) this.stream.expectOperator(",");
      keys.push(this.subscript());
    }
    this.stream.expectOperator("]");
    const [first] = keys;
    const key: Expression = first !== undefined && keys.length === 1 ? first : { kind: "tuple", items: keys };
    return { kind: "item", object, key };
  }

  /** An expression or a slice: `a[1:2:3]`, of which each part is optional. */
  private subscript(): Expression {
    const start = this.stream.isOperator(":") ? null : this.expression();
    if (start !== null && !this.stream.isOperator(":")) return start;
    this.stream.next();
    const stop = this.stream.isOperator(":", "]", ",") ? null : this.expression();
    const hasStep = this.stream.skipOperator(":") && !this.stream.isOperator("]", ",");
    return { kind: "slice", bounds: [start, stop, hasStep ? this.expression() : null] };
  }

  /** `| name(arguments)`; the first of a filter block has no `|`. */
  protected filter(operand: Expression | null, isFirstOfBlock = false): FilterNode {
    if (!isFirstOfBlock) this.stream.expectOperator("|");
    const { line } = this.stream.current;
    const name = this.dottedName();
    const args = this.stream.isOperator("(") ? this.callArguments() : NO_ARGUMENTS;
    if (!isFilterName(name)) this.noteUnknown(`there is no filter "${name}"`, line);
    return { kind: "filter", operand, name, args };
  }

  private test(operand: Expression): Expression {
    const { line } = this.stream.next();
    const isNegated = this.stream.skipName("not");
    const name = this.dottedName();
    const test: Expression = { kind: "test", operand, name, args: this.testArguments() };
    if (!isTestName(name)) this.noteUnknown(`there is no test "${name}"`, line);
    return isNegated ? { kind: "not", operand: test } : test;
  }

  /** Arguments in brackets, or one value without them: `is divisibleby 3`. */
  private testArguments(): ArgumentNodes {
    if (this.stream.isOperator("(")) return this.callArguments();
    const isValue = this.stream.isKind("name", "string", "integer", "float") || this.stream.isOperator("[", "{");
    if (!isValue || this.stream.isName("else", "or", "and")) return NO_ARGUMENTS;
    if (this.stream.isName("is")) this.stream.fail("tests cannot be chained with `is`");
    return { ...NO_ARGUMENTS, positional: [this.postfix(this.primary())] };
  }

  private dottedName(): string {
    let name = this.stream.expectName().text;
    while (this.stream.skipOperator(".")) name += `.${this.stream.expectName().text}`;
    return name;
  }

  private noteUnknown(message: string, line: number): void {
    if (!this.isInCondition) this.unknown.push({ message, line });
  }

  protected callArguments(): ArgumentNodes {
    const positional: Expression[] = [];
    const keywords = new Map<string, Expression>();
    let spread: Expression | null = null;
    let keywordSpread: Expression | null = null;
    const { line } = this.stream.current;
    const ensure = (isRight: boolean) => isRight || this.stream.fail("these arguments are not in order", line);
    this.inBrackets(["(", ")"], () => {
      if (this.stream.skipOperator("*")) {
        ensure(spread === null && keywordSpread === null);
        spread = this.expression();
      } else if (this.stream.skipOperator("**")) {
        ensure(keywordSpread === null);
        keywordSpread = this.expression();
      } else if (this.isKeyword()) {
        ensure(keywordSpread === null);
        this.keyword(keywords);
      } else {
        ensure(spread === null && keywordSpread === null && keywords.size === 0);
        positional.push(this.expression());
      }
    });
    return { positional, keywords: [...keywords], spread, keywordSpread };
  }

  private isKeyword(): boolean {
    const { kind, text } = this.stream.look();
    return this.stream.isKind("name") && kind === "operator" && text === "=";
  }

  private keyword(keywords: Map<string, Expression>): void {
    const name = this.stream.next().text;
    if (keywords.has(name)) this.stream.fail(`the argument "${name}" is given twice`);
    this.stream.next();
    keywords.set(name, this.expression());
  }
}

const CONSTANT_NAMES = ["true", "false", "none", "True", "False", "None"];

/** Parses the tags that name other templates. */
export class LoadParser extends ExpressionParser {
  /** Above 0 inside a block, a loop or a macro, where `extends` is not allowed. */
  protected level = 0;

  /** `extends`, `include` and `import` name other templates. They are correct, and fail when they are rendered. */
  parseLoad(): readonly Statement[] {
    const { text: tag, line } = this.stream.next();
    this.expression();
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

  protected nameTarget(): string {
    const { text, line } = this.stream.expectName();
    if (CONSTANT_NAMES.includes(text)) this.stream.fail(`"${text}" cannot be assigned to`, line);
    return text;
  }
}
