import { FILTERS, TESTS } from "../filters/filters.ts";
import { MOST_DIGITS } from "../values/text.ts";

import type { ArgumentNodes, BinaryOperator, CompareOperator, Expression, FilterNode } from "./nodes.ts";
import { describe, type TokenStream } from "./token-stream.ts";

export const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map(
  Object.entries({ true: true, True: true, false: false, False: false, none: null, None: null }),
);

const NEGATION = ["not"];
const COMPARISONS = ["==", "!=", "<", "<=", ">", ">=", "in"];
const CONCATENATION = ["~"];

/** Operators from the weakest to the strongest. Those of a level are applied from left to right. */
const LEVELS: readonly (readonly string[])[] = [
  ["or"],
  ["and"],
  NEGATION,
  COMPARISONS,
  ["+", "-"],
  CONCATENATION,
  ["*", "/", "//", "%"],
  ["**"],
];

const NO_ARGUMENTS: ArgumentNodes = { positional: [], keywords: [], spread: null, keywordSpread: null };

const SPECIAL_NAMES = ["caller", "kwargs", "varargs"];

/** How a part of a template uses the special names of macros. */
export class SpecialNames {
  /** The names that are read before they are assigned to. */
  readonly read = new Set<string>();
  private readonly assigned = new Set<string>();

  noteRead(name: string): void {
    if (SPECIAL_NAMES.includes(name) && !this.assigned.has(name)) this.read.add(name);
  }

  noteAssigned(name: string): void {
    if (SPECIAL_NAMES.includes(name)) this.assigned.add(name);
  }
}

/** Parses expressions by Jinja2's grammar. */
export class ExpressionParser {
  private readonly stream: TokenStream;
  /** Unknown filters and tests, reported after the whole template was parsed, as syntax errors come first. */
  readonly unknown: { readonly message: string; readonly line: number }[] = [];
  /** Directly in an `if` an unknown filter is an error only at run time: the branch may never be taken. */
  isInCondition = false;
  /** One for each macro around the current token. */
  specialNames: readonly SpecialNames[] = [];

  constructor(stream: TokenStream) {
    this.stream = stream;
  }

  expression(withCondition = true): Expression {
    return this.stream.nested(() => (withCondition ? this.conditional() : this.operation()));
  }

  private conditional(): Expression {
    const known = this.unknown.length;
    let value = this.operation();
    while (this.stream.skip("if")) {
      const test = this.operation();
      const no = this.stream.skip("else") ? this.stream.nested(() => this.conditional()) : null;
      value = { kind: "conditional", test, yes: value, no };
      this.unknown.length = known;
    }
    return value;
  }

  /** An expression of operators of this level and of stronger ones. */
  private operation(level = 0): Expression {
    const operators = LEVELS[level];
    if (operators === undefined) return this.unary();
    if (operators === NEGATION) return this.negation(level);
    let left = this.operation(level + 1);
    if (operators === COMPARISONS) return this.comparison(left, level);
    if (operators === CONCATENATION) return this.concatenation(left, level);
    while (this.stream.is(...operators)) {
      const operator = this.stream.next().text as BinaryOperator;
      left = { kind: "binary", operator, left, right: this.operation(level + 1) };
    }
    return left;
  }

  private negation(level: number): Expression {
    if (!this.stream.skip("not")) return this.operation(level + 1);
    return { kind: "unary", operator: "not", operand: this.stream.nested(() => this.negation(level)) };
  }

  private comparison(first: Expression, level: number): Expression {
    const rest: (readonly [CompareOperator, Expression])[] = [];
    for (;;) {
      const { text } = this.stream.current;
      if (this.stream.skip("not", "in")) rest.push(["not in", this.operation(level + 1)]);
      else if (!this.stream.is(...COMPARISONS)) return rest.length === 0 ? first : { kind: "compare", first, rest };
      else {
        this.stream.next();
        rest.push([text as CompareOperator, this.operation(level + 1)]);
      }
    }
  }

  private concatenation(first: Expression, level: number): Expression {
    const items = [first];
    while (this.stream.skip("~")) items.push(this.operation(level + 1));
    return items.length === 1 ? first : { kind: "concat", items };
  }

  private unary(withFilters = true): Expression {
    const node = this.postfix(this.signed());
    return withFilters ? this.filtered(node) : node;
  }

  private signed(): Expression {
    if (!this.stream.is("-", "+")) return this.primary();
    const operator = this.stream.next().text === "-" ? "-" : "+";
    return { kind: "unary", operator, operand: this.stream.nested(() => this.unary(false)) };
  }

  private postfix(start: Expression): Expression {
    let node = start;
    for (;;) {
      if (this.stream.skip(".")) node = this.attribute(node);
      else if (this.stream.skip("[")) node = this.item(node);
      else if (this.stream.is("(")) node = { kind: "call", callee: node, args: this.callArguments() };
      else return node;
    }
  }

  private filtered(start: Expression): Expression {
    let node = start;
    for (;;) {
      if (this.stream.skip("|")) node = this.filter(node);
      else if (this.stream.is("is")) node = this.test(node);
      else if (this.stream.is("(")) node = { kind: "call", callee: node, args: this.callArguments() };
      else return node;
    }
  }

  private attribute(object: Expression): Expression {
    const { kind, text, line } = this.stream.next();
    if (kind === "name") return { kind: "attribute", object, name: text };
    if (kind === "integer") return { kind: "item", object, key: { kind: "literal", value: this.integer(text) } };
    return this.stream.fail("expected name or number", line);
  }

  private item(object: Expression): Expression {
    const keys = this.stream.commaSeparated("]", () => this.subscript());
    this.stream.expect("]");
    const [first] = keys;
    const key: Expression = first !== undefined && keys.length === 1 ? first : { kind: "tuple", items: keys };
    return { kind: "item", object, key };
  }

  /** An expression or a slice: `a[1:2:3]`, of which each part is optional. */
  private subscript(): Expression {
    const start = this.stream.is(":") ? null : this.expression();
    if (start !== null && !this.stream.is(":")) return start;
    this.stream.next();
    const stop = this.stream.is(":", "]", ",") ? null : this.expression();
    const hasStep = this.stream.skip(":") && !this.stream.is("]", ",");
    return { kind: "slice", bounds: [start, stop, hasStep ? this.expression() : null] };
  }

  /** The name and the arguments of a filter. */
  filter(operand: Expression | null): FilterNode {
    const { line } = this.stream.current;
    const name = this.dottedName();
    const args = this.stream.is("(") ? this.callArguments() : NO_ARGUMENTS;
    if (!FILTERS.has(name)) this.noteUnknown(`there is no filter "${name}"`, line);
    return { kind: "filter", operand, name, args };
  }

  private test(operand: Expression): Expression {
    const { line } = this.stream.next();
    const isNegated = this.stream.skip("not");
    const name = this.dottedName();
    const test: Expression = { kind: "test", operand, name, args: this.testArguments() };
    if (!TESTS.has(name)) this.noteUnknown(`there is no test "${name}"`, line);
    return isNegated ? { kind: "unary", operator: "not", operand: test } : test;
  }

  /** Arguments in brackets, or one value without them: `is divisibleby 3`. */
  private testArguments(): ArgumentNodes {
    if (this.stream.is("(")) return this.callArguments();
    const isValue = !["symbol", "text", "end"].includes(this.stream.current.kind) || this.stream.is("[", "{");
    if (!isValue || this.stream.is("else", "or", "and")) return NO_ARGUMENTS;
    if (this.stream.is("is")) this.stream.fail("tests cannot be chained with `is`");
    return { ...NO_ARGUMENTS, positional: [this.postfix(this.primary())] };
  }

  private dottedName(): string {
    let name = this.stream.expectName().text;
    while (this.stream.skip(".")) name += `.${this.stream.expectName().text}`;
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
      if (this.stream.skip("*")) {
        ensure(spread === null && keywordSpread === null);
        spread = this.expression();
      } else if (this.stream.skip("**")) {
        ensure(keywordSpread === null);
        keywordSpread = this.expression();
      } else if (this.stream.current.kind === "name" && this.stream.isFollowedBy("=")) {
        ensure(keywordSpread === null);
        const name = this.stream.next().text;
        if (keywords.has(name)) this.stream.fail(`the argument "${name}" is given twice`);
        this.stream.next();
        keywords.set(name, this.expression());
      } else {
        ensure(spread === null && keywordSpread === null && keywords.size === 0);
        positional.push(this.expression());
      }
    });
    return { positional, keywords: [...keywords], spread, keywordSpread };
  }

  private primary(): Expression {
    const { kind, text } = this.stream.current;
    if (this.stream.is("[")) return { kind: "list", items: this.inBrackets("[", "]", () => this.expression()) };
    if (this.stream.is("{")) return { kind: "dict", pairs: this.inBrackets("{", "}", () => this.pair()) };
    if (this.stream.skip("(")) {
      const inner = this.tuple({ mayBeEmpty: true });
      this.stream.expect(")");
      return inner;
    }
    if (kind === "string") return this.strings();
    if (kind !== "name" && kind !== "integer" && kind !== "float") return this.failExpected();
    this.stream.next();
    if (kind === "name") return this.named(text);
    return { kind: "literal", value: kind === "integer" ? this.integer(text) : Number(text.replaceAll("_", "")) };
  }

  private named(name: string): Expression {
    const value = CONSTANTS.get(name);
    if (value !== undefined) return { kind: "literal", value };
    for (const names of this.specialNames) names.noteRead(name);
    return { kind: "name", name };
  }

  private pair(): readonly [Expression, Expression] {
    const key = this.expression();
    this.stream.expect(":");
    return [key, this.expression()];
  }

  /** The value of an int as the template writes it. */
  private integer(text: string): bigint {
    if (text.length > MOST_DIGITS) this.stream.fail(`a number has more than ${MOST_DIGITS} digits`);
    return BigInt(text.replaceAll("_", ""));
  }

  /** Adjacent strings are joined. */
  private strings(): Expression {
    let value = "";
    while (this.stream.current.kind === "string") value += this.stream.next().text;
    return { kind: "literal", value };
  }

  /** One expression, or several separated by commas. `end` is a name that may follow the last comma. */
  tuple({ mayBeEmpty = false, withCondition = true, isSimple = false, end = "" } = {}): Expression {
    const items: Expression[] = [];
    let isTuple = false;
    while (!this.stream.is("}}", "%}", ")", end)) {
      items.push(isSimple ? this.primary() : this.expression(withCondition));
      if (!this.stream.skip(",")) break;
      isTuple = true;
    }
    const [first] = items;
    if (!isTuple && first !== undefined) return first;
    return isTuple || mayBeEmpty ? { kind: "tuple", items } : this.failExpected();
  }

  private failExpected(): never {
    return this.stream.fail(`expected an expression, got ${describe(this.stream.current)}`);
  }

  /** Items with commas between them, and perhaps one after the last. */
  private inBrackets<T>(open: string, close: string, item: () => T): readonly T[] {
    this.stream.expect(open);
    const items = this.stream.commaSeparated(close, item, true);
    this.stream.expect(close);
    return items;
  }
}
