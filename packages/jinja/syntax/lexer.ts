import { ownValue } from "../../../src/protocol/own-value.ts";
import { TemplateSyntaxError } from "../faults.ts";
import { escapeCode, isSpace, PYTHON_SPACE } from "../values/text.ts";

/** A `symbol` is an operator, a bracket, or one of `{{`, `}}`, `{%` and `%}`. */
type TokenKind = "text" | "name" | "string" | "integer" | "float" | "symbol" | "end";

export interface Token {
  readonly kind: TokenKind;
  /** The content of a string; otherwise the token as the template spells it. */
  readonly text: string;
  readonly line: number;
}

const SPACE = `[${PYTHON_SPACE}]`;
const SPACES = new RegExp(`${SPACE}+`, "y");
const IDENTIFIER = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;
const BEGIN = /\{[{%#]([-+]?)/g;
const RAW_BEGIN = new RegExp(`\\{%[-+]?${SPACE}*raw${SPACE}*(?:-%\\}${SPACE}*|%\\})`, "y");
const RAW_END = new RegExp(`\\{%([-+]?)${SPACE}*endraw${SPACE}*(?:\\+%\\}|-%\\}${SPACE}*|%\\})`, "g");
const COMMENT_END = new RegExp(`\\+#\\}|-#\\}${SPACE}*|#\\}`, "g");
const BLOCK_END = new RegExp(`\\+%\\}|-%\\}${SPACE}*|%\\}`, "y");
const VARIABLE_END = new RegExp(`-\\}\\}${SPACE}*|\\}\\}`, "y");

/** What may stand inside a tag; the first pattern that matches wins. */
const PATTERNS = Object.entries({
  float: /(?<!\.)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iy,
  integer: /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy,
  name: /[\p{L}\p{N}\p{M}\p{Pc}\u00b7\u0387]+/uy,
  string: /'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*"/sy,
  symbol: /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}<>=.:|,;]/y,
}) as readonly (readonly [TokenKind, RegExp])[];

/** Returns the tokens of a template; the last has the kind `end`. */
export const tokenize = (template: string): readonly Token[] => new Lexer(template).tokens();

class Lexer {
  private readonly source: string;
  private readonly found: Token[] = [];
  private position = 0;
  private line = 1;

  constructor(template: string) {
    const text = template.replace(/\r\n|\r/g, "\n");
    // A line break at the end belongs to the file, not to the template.
    this.source = text.endsWith("\n") ? text.slice(0, -1) : text;
  }

  tokens(): readonly Token[] {
    while (!this.isAtEnd()) this.textAndTag();
    this.add("end", "");
    return this.found;
  }

  private textAndTag(): void {
    const begin = this.textUntil(BEGIN);
    if (begin === null) return;
    const { line } = this;
    if (this.skip(RAW_BEGIN)) {
      // Jinja2 treats a tag at the end of the template as closed.
      if (!this.isAtEnd()) this.advance(this.textUntil(RAW_END) ?? this.fail("Missing end of raw directive", line));
      return;
    }
    const brackets = begin.slice(0, 2);
    if (brackets !== "{#") this.add("symbol", brackets);
    this.advance(begin);
    if (brackets === "{#") this.comment(line);
    else if (brackets === "{{") this.inside("}}", VARIABLE_END);
    else this.inside("%}", BLOCK_END);
  }

  /** Adds the text before the next match, and returns the match. If its sign is `-`, the text loses its trailing space. */
  private textUntil(pattern: RegExp): string | null {
    const end = this.search(pattern);
    const text = this.source.slice(this.position, end?.index);
    const shown = end?.[1] === "-" ? withoutTrailingSpace(text) : text;
    if (shown !== "") this.add("text", shown);
    this.advance(text);
    return end?.[0] ?? null;
  }

  private comment(line: number): void {
    if (this.isAtEnd()) return;
    const end = this.search(COMMENT_END) ?? this.fail("Missing end of comment tag", line);
    this.advance(this.source.slice(this.position, end.index + end[0].length));
  }

  /** The tokens of one `{{ … }}` or `{% … %}`. Inside an open bracket `}}` does not end it. */
  private inside(closing: "}}" | "%}", end: RegExp): void {
    const open: string[] = [];
    while (!this.isAtEnd()) {
      const { line } = this;
      if (open.length === 0 && this.skip(end)) {
        this.found.push({ kind: "symbol", text: closing, line });
        return;
      }
      if (!this.skip(SPACES)) this.token(open);
    }
  }

  private token(open: string[]): void {
    for (const [kind, pattern] of PATTERNS) {
      const text = this.matchHere(pattern);
      if (text === null) continue;
      if (kind === "symbol") this.checkBracket(text, open);
      if (kind === "name" && !IDENTIFIER.test(text)) this.fail("Invalid character in identifier");
      this.add(kind, kind === "string" ? unescapeLiteral(text.slice(1, -1), this.line) : text);
      this.advance(text);
      return;
    }
    this.fail(`unexpected char '${String.fromCodePoint(this.source.codePointAt(this.position) ?? 0)}'`);
  }

  /** `open` holds the brackets that close the open ones. */
  private checkBracket(text: string, open: string[]): void {
    const pair = ["()", "[]", "{}"].find((brackets) => brackets.includes(text));
    if (pair === undefined) return;
    if (pair.startsWith(text)) {
      open.push(pair.slice(1));
      return;
    }
    const expected = open.pop();
    if (expected === text) return;
    this.fail(`unexpected '${text}'${expected === undefined ? "" : `, expected '${expected}'`}`);
  }

  private isAtEnd(): boolean {
    return this.position >= this.source.length;
  }

  private add(kind: TokenKind, text: string): void {
    this.found.push({ kind, text, line: this.line });
  }

  private search(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.position;
    return pattern.exec(this.source);
  }

  private matchHere(pattern: RegExp): string | null {
    return this.search(pattern)?.[0] ?? null;
  }

  private skip(pattern: RegExp): boolean {
    const text = this.matchHere(pattern);
    if (text !== null) this.advance(text);
    return text !== null;
  }

  private advance(text: string): void {
    this.position += text.length;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) this.line += 1;
  }

  private fail(message: string, line = this.line): never {
    throw new TemplateSyntaxError(message, line);
  }
}

/** Reads from the end: an anchored pattern would try each run of spaces from each of its positions, in quadratic time. */
function withoutTrailingSpace(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

const ESCAPED_CHARACTERS = "abfnrtv\\'\"\n";
const UNESCAPED = ["\x07", "\b", "\f", "\n", "\r", "\t", "\v", "\\", "'", '"', ""];
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const ESCAPE = /\\(?:([0-7]{1,3})|([xuU])([0-9a-fA-F]*)|(N)|([\s\S]|$))/gu;

/** Decodes Python's escapes in a string literal. Jinja2 escapes non-ASCII characters first. */
function unescapeLiteral(raw: string, line: number): string {
  const ascii = raw.replace(/[^\0-\x7f]/gu, escapeCode);
  return ascii.replace(ESCAPE, (whole: string, octal?: string, kind?: string, hex?: string, name?: string) => {
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    if (kind !== undefined) return fromHex(kind, hex ?? "", line);
    if (name !== undefined) throw new TemplateSyntaxError("\\N{…} is not supported in a string", line);
    const character = whole.slice(1);
    if (character === "") throw new TemplateSyntaxError("a string ends with \\", line);
    return UNESCAPED[ESCAPED_CHARACTERS.indexOf(character)] ?? whole;
  });
}

function fromHex(kind: string, hex: string, line: number): string {
  const count = ownValue(HEX_DIGITS, kind) ?? 0;
  if (hex.length < count) throw new TemplateSyntaxError(`a string has \\${kind} without ${count} digits`, line);
  const code = Number.parseInt(hex.slice(0, count), 16);
  if (code > 0x10ffff) throw new TemplateSyntaxError("a string has \\U with a code that is not a character", line);
  return String.fromCodePoint(code) + hex.slice(count);
}
