import { TemplateSyntaxError } from "../faults.ts";
import { escapeCode, isSpace, PYTHON_SPACE as SPACE_SET } from "../values/text.ts";

export type TokenKind =
  | "text"
  | "{{"
  | "}}"
  | "{%"
  | "%}"
  | "name"
  | "string"
  | "integer"
  | "float"
  | "operator"
  | "end";

export interface Token {
  readonly kind: TokenKind;
  /** The content of a string, or the text of a name or an operator. */
  readonly text: string;
  readonly line: number;
}

const SPACE = `[${SPACE_SET}]`;

const SPACES = new RegExp(`${SPACE}+`, "y");
const FLOAT = /(?<!\.)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iy;
const INTEGER = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy;
const NAME = /[\p{L}\p{N}\p{M}\p{Pc}\u00b7\u0387]+/uy;
const IDENTIFIER = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;
const STRING = /'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*"/sy;
const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}<>=.:|,;]/y;

const RAW_BEGIN = new RegExp(`\\{%[-+]?${SPACE}*raw${SPACE}*(?:-%\\}${SPACE}*|%\\})`, "y");
const RAW_END = new RegExp(`\\{%([-+]?)${SPACE}*endraw${SPACE}*(?:\\+%\\}|-%\\}${SPACE}*|%\\})`, "g");
const COMMENT_END = new RegExp(`\\+#\\}|-#\\}${SPACE}*|#\\}`, "g");
const BLOCK_END = new RegExp(`\\+%\\}|-%\\}${SPACE}*|%\\}`, "y");
const VARIABLE_END = new RegExp(`-\\}\\}${SPACE}*|\\}\\}`, "y");
const CLOSING: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
]);

/** A template -> its tokens, ending with one of the kind `end`. */
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
    while (this.position < this.source.length) this.root();
    this.found.push({ kind: "end", text: "", line: this.line });
    return this.found;
  }

  /** Reads text up to the next `{{`, `{%` or `{#`, and the tag that begins there. */
  private root(): void {
    const next = /\{[{%#]/g;
    next.lastIndex = this.position;
    const at = next.exec(this.source)?.index ?? this.source.length;
    const sign = this.source[at + 2];
    this.text(this.source.slice(this.position, at), sign === "-");
    if (at === this.source.length) return;
    const raw = this.matchHere(RAW_BEGIN);
    if (raw !== null) {
      this.raw(raw);
      return;
    }
    const begin = this.source.slice(at, at + 2);
    const line = this.line;
    this.advance(begin + (sign === "-" || sign === "+" ? sign : ""));
    if (begin === "{#") {
      this.comment(line);
      return;
    }
    this.found.push({ kind: begin === "{{" ? "{{" : "{%", text: begin, line });
    this.inside(begin === "{{" ? "}}" : "%}");
  }

  private text(text: string, isStripped: boolean): void {
    const kept = isStripped ? withoutTrailingSpace(text) : text;
    if (kept !== "") this.found.push({ kind: "text", text: kept, line: this.line });
    this.advance(text);
  }

  private raw(begin: string): void {
    const line = this.line;
    this.advance(begin);
    // Jinja2 takes a tag that ends the template for closed.
    if (this.position === this.source.length) return;
    RAW_END.lastIndex = this.position;
    const end = RAW_END.exec(this.source);
    if (end === null) throw new TemplateSyntaxError("Missing end of raw directive", line);
    this.text(this.source.slice(this.position, end.index), end[1] === "-");
    this.advance(end[0]);
  }

  private comment(line: number): void {
    if (this.position === this.source.length) return;
    COMMENT_END.lastIndex = this.position;
    const end = COMMENT_END.exec(this.source);
    if (end === null) throw new TemplateSyntaxError("Missing end of comment tag", line);
    this.advance(this.source.slice(this.position, end.index + end[0].length));
  }

  /** The tokens of one `{{ … }}` or `{% … %}`. An open bracket keeps `}}` from ending it. */
  private inside(kind: "}}" | "%}"): void {
    const open: string[] = [];
    while (this.position < this.source.length) {
      const end = open.length > 0 ? null : this.matchHere(kind === "}}" ? VARIABLE_END : BLOCK_END);
      if (end !== null) {
        this.found.push({ kind, text: kind, line: this.line });
        this.advance(end);
        return;
      }
      this.token(open);
    }
  }

  private token(open: string[]): void {
    const space = this.matchHere(SPACES);
    if (space !== null) {
      this.advance(space);
      return;
    }
    const [kind, text] = this.nextToken();
    if (kind === "operator") this.balance(text, open);
    if (kind === "name" && !IDENTIFIER.test(text)) {
      throw new TemplateSyntaxError("Invalid character in identifier", this.line);
    }
    const content = kind === "string" ? unescapeLiteral(text.slice(1, -1), this.line) : text;
    this.found.push({ kind, text: content, line: this.line });
    this.advance(text);
  }

  private nextToken(): readonly [TokenKind, string] {
    for (const [kind, pattern] of PATTERNS) {
      const text = this.matchHere(pattern);
      if (text !== null) return [kind, text];
    }
    const character = String.fromCodePoint(this.source.codePointAt(this.position) ?? 0);
    throw new TemplateSyntaxError(`unexpected char '${character}'`, this.line);
  }

  private balance(text: string, open: string[]): void {
    const closing = CLOSING.get(text);
    if (closing !== undefined) open.push(closing);
    if (![")", "]", "}"].includes(text)) return;
    const expected = open.pop();
    if (expected === text) return;
    const detail = expected === undefined ? "" : `, expected '${expected}'`;
    throw new TemplateSyntaxError(`unexpected '${text}'${detail}`, this.line);
  }

  private matchHere(pattern: RegExp): string | null {
    pattern.lastIndex = this.position;
    return pattern.exec(this.source)?.[0] ?? null;
  }

  private advance(text: string): void {
    this.position += text.length;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) this.line += 1;
  }
}

/**
 * Reads from the end: an anchored pattern would try every run of spaces from each of its positions, in quadratic time.
 */
function withoutTrailingSpace(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

const PATTERNS: readonly (readonly [TokenKind, RegExp])[] = [
  ["float", FLOAT],
  ["integer", INTEGER],
  ["name", NAME],
  ["string", STRING],
  ["operator", OPERATOR],
];

const SIMPLE: ReadonlyMap<string, string> = new Map([
  ["\n", ""],
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);
const HEX_DIGITS: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);
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
    return SIMPLE.get(character) ?? whole;
  });
}

function fromHex(kind: string, hex: string, line: number): string {
  const count = HEX_DIGITS.get(kind) ?? 0;
  if (hex.length < count) throw new TemplateSyntaxError(`a string has \\${kind} without ${count} digits`, line);
  const code = Number.parseInt(hex.slice(0, count), 16);
  if (code > 0x10ffff) throw new TemplateSyntaxError("a string has \\U with a code that is no character", line);
  return String.fromCodePoint(code) + hex.slice(count);
}
