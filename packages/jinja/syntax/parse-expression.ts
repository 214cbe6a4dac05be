import { FILTERS } from "../filters/filters.ts";
import { TESTS } from "../filters/tests.ts";
import type { ArgumentNodes, BinaryOperator, CompareOperator, Expression, FilterNode } from "./nodes.ts";
import { describe, type TokenStream } from "./token-stream.ts";

export const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ...["true", "True"].map((name) => [name, true] as const),
  ...["false", "False"].map((name) => [name, false] as const),
  ...["none", "None"].map((name) => [name, null] as const),
]);

/** Python refuses to read an int with more digits. */
const MOST_DIGITS = 4300;

/** A filter or a test that Jinja2 does not have. */
interface UnknownName {
  readonly message: string;
  readonly line: number;
}

const COMPARISONS = ["==", "!=", "<", "<=", ">", ">="];
const NO_ARGUMENTS: ArgumentNodes = { positional: [], keywords: [], spread: null, keywordSpread: null };

/** Parses expressions by Jinja2's grammar: each method is one level of precedence, weakest first. */
export class ExpressionParser {
  private readonly stream: TokenStream;
  /** Reported after the whole template was parsed, as syntax errors come first. */
  readonly unknown: UnknownName[] = [];
  /** Directly in an `if` an unknown filter is an error only at run time: the branch may never be taken. */
  isInCondition = false;

  constructor(stream: TokenStream) {
    this.stream = stream;
  }

  expression(withCondition = true): Expression {
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
  filter(operand: Expression | null, isFirstOfBlock = false): FilterNode {
    if (!isFirstOfBlock) this.stream.expectOperator("|");
    const { line } = this.stream.current;
    const name = this.dottedName();
    const args = this.stream.isOperator("(") ? this.callArguments() : NO_ARGUMENTS;
    if (!FILTERS.has(name)) this.noteUnknown(`there is no filter "${name}"`, line);
    return { kind: "filter", operand, name, args };
  }

  private test(operand: Expression): Expression {
    const { line } = this.stream.next();
    const isNegated = this.stream.skipName("not");
    const name = this.dottedName();
    const test: Expression = { kind: "test", operand, name, args: this.testArguments() };
    if (!TESTS.has(name)) this.noteUnknown(`there is no test "${name}"`, line);
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

  private callArguments(): ArgumentNodes {
    const positional: Expression[] = [];
    const keywords = new Map<string, Expression>();
    let spread: Expression | null = null;
    let keywordSpread: Expression | null = null;
    const { line } = this.stream.current;
    const ensure = (isRight: boolean) => isRight || this.stream.fail("these arguments are not in order", line);
    this.inBrackets("(", ")", () => {
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

  private primary(): Expression {
    const token = this.stream.current;
    if (token.kind === "name") {
      this.stream.next();
      const value = CONSTANTS.get(token.text);
      return value === undefined ? { kind: "name", name: token.text } : { kind: "literal", value };
    }
    if (token.kind === "string") return this.strings();
    if (token.kind === "integer") return { kind: "literal", value: this.integer(this.stream.next().text) };
    if (token.kind === "float") return { kind: "literal", value: Number(this.stream.next().text.replaceAll("_", "")) };
    if (this.stream.skipOperator("(")) {
      const inner = this.tuple({ mayBeEmpty: true });
      this.stream.expectOperator(")");
      return inner;
    }
    if (this.stream.isOperator("[")) return { kind: "list", items: this.inBrackets("[", "]", () => this.expression()) };
    if (this.stream.isOperator("{")) return { kind: "dict", pairs: this.dict() };
    return this.stream.fail(`expected an expression, got ${describe(token)}`);
  }

  /** The value of an int as the template writes it. */
  private integer(text: string): bigint {
    if (text.length > MOST_DIGITS) this.stream.fail(`a number has more than ${MOST_DIGITS} digits`);
    return BigInt(text.replaceAll("_", ""));
  }

  /** Adjacent strings are joined. */
  private strings(): Expression {
    let value = "";
    while (this.stream.isKind("string")) value += this.stream.next().text;
    return { kind: "literal", value };
  }

  /** One expression, or several separated by commas. `end` is a name that may follow the last comma. */
  tuple({ mayBeEmpty = false, withCondition = true, isSimple = false, end = "" } = {}): Expression {
    const items: Expression[] = [];
    let isTuple = false;
    while (!this.isTupleEnd(end)) {
      items.push(isSimple ? this.primary() : this.expression(withCondition));
      if (!this.stream.skipOperator(",")) break;
      isTuple = true;
    }
    const [first] = items;
    if (!isTuple && first !== undefined) return first;
    if (!isTuple && !mayBeEmpty) this.stream.fail(`expected an expression, got ${describe(this.stream.current)}`);
    return { kind: "tuple", items };
  }

  private isTupleEnd(end: string): boolean {
    return this.stream.isKind("}}", "%}") || this.stream.isOperator(")") || (end !== "" && this.stream.isName(end));
  }

  private dict(): readonly (readonly [Expression, Expression])[] {
    return this.inBrackets("{", "}", () => {
      const key = this.expression();
      this.stream.expectOperator(":");
      return [key, this.expression()] as const;
    });
  }

  /** Items with commas between them; one more at the end is allowed. */
  private inBrackets<T>(open: string, close: string, item: () => T): readonly T[] {
    this.stream.expectOperator(open);
    const items: T[] = [];
    while (!this.stream.isOperator(close)) {
      if (items.length > 0) this.stream.expectOperator(",");
      if (this.stream.isOperator(close)) break;
      items.push(item());
    }
    this.stream.expectOperator(close);
    return items;
  }
}
