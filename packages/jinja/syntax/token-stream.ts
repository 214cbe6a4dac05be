import { TemplateSyntaxError } from "../faults.ts";
import type { Token } from "./lexer.ts";

const END: Token = { kind: "end", text: "", line: 1 };

/** The depth to which brackets, blocks and operators may be nested; Python stops at a similar depth. */
const MOST_LEVELS = 100;

/** Reads the tokens of a template from left to right. */
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

  next(): Token {
    const token = this.current;
    if (token.kind !== "end") this.position += 1;
    return token;
  }

  /** True if the current token is one of these names, operators or tags. */
  is(...texts: readonly string[]): boolean {
    return isWord(this.current) && texts.includes(this.current.text);
  }

  isFollowedBy(text: string): boolean {
    const following = this.tokens[this.position + 1] ?? END;
    return isWord(following) && following.text === text;
  }

  /** Skips a name, an operator or a tag, and perhaps a second one, if they are next. */
  skip(text: string, following?: string): boolean {
    const isThere = this.is(text) && (following === undefined || this.isFollowedBy(following));
    if (isThere) this.next();
    if (isThere && following !== undefined) this.next();
    return isThere;
  }

  expect(text: string): Token {
    return this.is(text) ? this.next() : this.failExpected(`'${text}'`);
  }

  expectName(): Token {
    return this.current.kind === "name" ? this.next() : this.failExpected("a name");
  }

  /** Calls `item` for each item of a list with commas between them, up to `end`, which is not read. */
  commaSeparated<T>(end: string, item: () => T, mayEndWithComma = false): T[] {
    const items: T[] = [];
    while (!this.is(end)) {
      if (items.length > 0) this.expect(",");
      if (mayEndWithComma && this.is(end)) break;
      items.push(item());
    }
    return items;
  }

  /** Parses something that may contain itself, to a limited depth. */
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
    if (this.current.kind === "end") this.fail(`unexpected end of template, expected ${wanted}`);
    return this.fail(`expected ${wanted}, got ${describe(this.current)}`);
  }
}

const isWord = ({ kind }: Token): boolean => kind === "name" || kind === "symbol";

export function describe({ kind, text }: Token): string {
  if (kind === "end") return "the end of the template";
  if (kind === "text") return "text";
  return kind === "string" ? "a string" : `'${text}'`;
}
