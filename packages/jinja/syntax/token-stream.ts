import { TemplateSyntaxError } from "../faults.ts";
import type { Token, TokenKind } from "./lexer.ts";

const END: Token = { kind: "end", text: "", line: 1 };

/** Brackets, blocks and operators may be nested so deep; Python stops at a similar depth. */
const MOST_LEVELS = 100;

/** Reads the tokens of a template from left to right, with look-ahead for the parser. */
export class TokenStream {
  private readonly tokens: readonly Token[];
  private position = 0;
  private depth = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  get current(): Token {
    return this.tokens[this.position] ?? END;
  }

  look(): Token {
    return this.tokens[this.position + 1] ?? END;
  }

  next(): Token {
    const token = this.current;
    if (token.kind !== "end") this.position += 1;
    return token;
  }

  skip(count: number): void {
    for (let left = count; left > 0; left -= 1) this.next();
  }

  isName(...names: readonly string[]): boolean {
    return this.current.kind === "name" && names.includes(this.current.text);
  }

  isOperator(...operators: readonly string[]): boolean {
    return this.current.kind === "operator" && operators.includes(this.current.text);
  }

  isKind(...kinds: readonly TokenKind[]): boolean {
    return kinds.includes(this.current.kind);
  }

  skipName(name: string): boolean {
    const isThere = this.isName(name);
    if (isThere) this.next();
    return isThere;
  }

  skipOperator(operator: string): boolean {
    const isThere = this.isOperator(operator);
    if (isThere) this.next();
    return isThere;
  }

  expectOperator(operator: string): Token {
    return this.isOperator(operator) ? this.next() : this.failExpected(`'${operator}'`);
  }

  expectName(name?: string): Token {
    const isFound = name === undefined ? this.isKind("name") : this.isName(name);
    return isFound ? this.next() : this.failExpected(name === undefined ? "a name" : `'${name}'`);
  }

  expectKind(kind: "}}" | "%}"): Token {
    return this.isKind(kind) ? this.next() : this.failExpected(`'${kind}'`);
  }

  /** Parses something that may hold itself, at a bounded depth. */
  nested<T>(parse: () => T): T {
    this.depth += 1;
    if (this.depth > MOST_LEVELS) this.fail(`it is nested more than ${MOST_LEVELS} levels deep`);
    const parsed = parse();
    this.depth -= 1;
    return parsed;
  }

  fail(message: string, line = this.current.line): never {
    throw new TemplateSyntaxError(message, line);
  }

  private failExpected(wanted: string): never {
    const end = this.isKind("end") ? "unexpected end of template, " : "";
    return this.fail(`${end}expected ${wanted}${end === "" ? `, got ${describe(this.current)}` : ""}`);
  }
}

export function describe({ kind, text }: Token): string {
  if (kind === "end") return "the end of the template";
  if (kind === "text") return "text";
  return kind === "string" ? "a string" : `'${text}'`;
}
