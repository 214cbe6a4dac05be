import type { Expression } from "./nodes.ts";
import { describe, type TokenStream } from "./token-stream.ts";

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ...["true", "True"].map((name) => [name, true] as const),
  ...["false", "False"].map((name) => [name, false] as const),
  ...["none", "None"].map((name) => [name, null] as const),
]);

/** Python refuses to read an int with more digits. */
const MOST_DIGITS = 4300;

/** Parses the operands of expressions: names, literals, lists, dicts and brackets. */
export abstract class LiteralParser {
  protected readonly stream: TokenStream;

  constructor(stream: TokenStream) {
    this.stream = stream;
  }

  protected abstract expression(withCondition?: boolean): Expression;

  protected primary(): Expression {
    const token = this.stream.current;
    if (token.kind === "name") {
      this.stream.next();
      const value = CONSTANTS.get(token.text);
      return value === undefined ? { kind: "name", name: token.text } : { kind: "literal", value };
    }
    if (token.kind === "string") return this.strings();
    if (token.kind === "integer") return { kind: "literal", value: this.integer(this.stream.next().text) };
    if (token.kind === "float") return { kind: "literal", value: Number(this.stream.next().text.replaceAll("_", "")) };
    if (this.stream.isOperator("(")) return this.parenthesis();
    if (this.stream.isOperator("[")) return { kind: "list", items: this.list() };
    if (this.stream.isOperator("{")) return { kind: "dict", pairs: this.dict() };
    return this.stream.fail(`expected an expression, got ${describe(token)}`);
  }

  /** The value of an int as the template writes it. */
  protected integer(text: string): bigint {
    if (text.length > MOST_DIGITS) this.stream.fail(`a number has more than ${MOST_DIGITS} digits`);
    return BigInt(text.replaceAll("_", ""));
  }

  /** Adjacent strings are joined. */
  private strings(): Expression {
    let value = "";
    while (this.stream.isKind("string")) value += this.stream.next().text;
    return { kind: "literal", value };
  }

  private parenthesis(): Expression {
    this.stream.next();
    const inner = this.tuple({ mayBeEmpty: true });
    this.stream.expectOperator(")");
    return inner;
  }

  /** One expression, or several separated by commas. `end` is a name that may follow the last comma. */
  protected tuple({ mayBeEmpty = false, withCondition = true, isSimple = false, end = "" } = {}): Expression {
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

  private list(): readonly Expression[] {
    return this.inBrackets(["[", "]"], () => this.expression());
  }

  private dict(): readonly (readonly [Expression, Expression])[] {
    return this.inBrackets(["{", "}"], () => {
      const key = this.expression();
      this.stream.expectOperator(":");
      return [key, this.expression()] as const;
    });
  }

  /** Items with commas between them; one more at the end is allowed. */
  protected inBrackets<T>([open, close]: readonly [string, string], item: () => T): readonly T[] {
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
