import { ownValue } from "../../../../src/protocol/own-value.ts";

/** How the texts of a language are written. The patterns match at one position. */
export interface Syntax {
  /** A pattern of comments. Perl and Ruby have the mark in other places, too, so that a space is before it. */
  readonly comment?: string;
  /** `regex`: a slash may begin a pattern. `quoting`: `q(…)`, `qw{…}`, `%w[…]`. `lines`: a string may have several lines. */
  readonly has: readonly ("regex" | "quoting" | "lines" | "triple" | "sigils" | "longBrackets")[];
  /** The values in strings: `f"{x}"`, `` `${x}` ``, `"#{x}"`, `"$x {$x}"`. */
  readonly interpolation: "prefix" | "template" | "hash" | "dollar" | "none";
  /** Quotes whose text is a command of the shell. */
  readonly commandQuotes?: string;
}

interface At {
  /** The position in the code. */
  readonly at: number;
  readonly end: number;
  /** The position in its line. */
  readonly column: number;
  /** True for the first on its line, and for one behind white space. */
  readonly isFirst: boolean;
  readonly isApart: boolean;
}

/** A part of program text. `open`: a bracket, with the index of its partner, or of the end of the code. */
export type Token = At &
  (
    | { readonly kind: "name" | "number" | "punctuation" | "regex"; readonly text: string }
    | { readonly kind: "text" | "command" | "words"; readonly text: string; readonly body: Literal }
    | { readonly kind: "open"; readonly text: string; partner: number }
    | { readonly kind: "close"; readonly text: string }
  );

/** A string as it is written between its quotes. */
export interface Literal {
  readonly body: string;
  /** True if escapes are kept. */
  readonly isRaw: boolean;
  readonly isInterpolated: boolean;
}

const NUMBER = /\d[\w.]*/y;
const SPACE = /[ \t\r\f\v]+|\\\r?\n/y;
const OPERATOR = /===|!==|\*\*=?|\.\.\.|=>|->|::|\?\.|\?\?|<-|:=|[-+*/%.|&^<>!=~]=|=~|&&|\|\||\.\.|<<|>>|[^\s\w]/y;
const PLAIN_NAME = /[A-Za-z_]\w*/y;
const SIGIL_NAME = /[$@%&]*[A-Za-z_]\w*|[$@]_|\$[\d&!@0]/y;
const DOLLAR_NAME = /[A-Za-z_$][\w$]*/y;
const PREFIXED = /([rRbBuUfF]{0,2})("""|'''|["'])/y;
const QUOTING = /(?:(q[qwx]?|m|qr|s|tr|y)(?=\s*[^\w\s,;=)>.])\s*|%([wWqQxi]?)(?=[[({<|!/]))/y;
const PATTERN = /\/(?![*/])(?:[^\\/\n[]|\\.|\[(?:[^\]\\\n]|\\.){0,500}\])*\/[a-z]*/y;
const LONGEST_QUOTED = 2000;
const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };

/** The tokens of a text in linear time, without comments and white space. Nothing in it is an error. */
export function tokensOf(code: string, syntax: Syntax): readonly Token[] {
  const reader: Reader = { code, syntax, tokens: [], open: [], at: 0, line: 0, unclosed: new Map() };
  const comment = syntax.comment === undefined ? null : new RegExp(syntax.comment, "my");
  const name = syntax.has.includes("sigils")
    ? SIGIL_NAME
    : syntax.interpolation === "template"
      ? DOLLAR_NAME
      : PLAIN_NAME;
  while (reader.at < code.length) {
    if (code[reader.at] === "\n") reader.line = ++reader.at;
    else if (comment !== null && matchAt(comment, reader) !== null) reader.at = comment.lastIndex;
    else if (matchAt(SPACE, reader) !== null) reader.at = SPACE.lastIndex;
    else if (!readLiteral(reader)) readPlain(reader, name);
  }
  for (const one of reader.open) one.partner = reader.tokens.length;
  return reader.tokens;
}

interface Reader {
  readonly code: string;
  readonly syntax: Syntax;
  readonly tokens: Token[];
  readonly open: Extract<Token, { kind: "open" }>[];
  at: number;
  /** The beginning of the line. */
  line: number;
  /** Quotes that have no end, each with the position of the first: the next ones have none either. */
  readonly unclosed: Map<string, number>;
}

function matchAt(pattern: RegExp, { code, at }: Reader): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(code);
}

/** The place of the token that ends here. */
function placed(reader: Reader, end: number): At {
  const { at, tokens, line } = reader;
  const before = tokens.at(-1)?.end ?? -1;
  reader.at = end;
  return { at, end, column: at - line, isFirst: before <= line, isApart: before < at };
}

function readPlain(reader: Reader, namePattern: RegExp): void {
  const { tokens, open } = reader;
  const name = matchAt(namePattern, reader)?.[0];
  if (name !== undefined) {
    tokens.push({ kind: "name", text: name, ...placed(reader, reader.at + name.length) });
    return;
  }
  const number = matchAt(NUMBER, reader)?.[0];
  if (number !== undefined) {
    tokens.push({ kind: "number", text: number, ...placed(reader, reader.at + number.length) });
    return;
  }
  const text = matchAt(OPERATOR, reader)?.[0] ?? reader.code[reader.at] ?? "";
  const place = placed(reader, reader.at + text.length);
  if ("([{".includes(text)) {
    const bracket = { kind: "open" as const, text, partner: 0, ...place };
    tokens.push(bracket);
    open.push(bracket);
  } else if (")]}".includes(text)) {
    const last = open.pop();
    if (last !== undefined) last.partner = tokens.length;
    tokens.push({ kind: "close", text, ...place });
  } else tokens.push({ kind: "punctuation", text, ...place });
}

/** Reads a string, a pattern or a list of words; false if there is none. */
function readLiteral(reader: Reader): boolean {
  const { code, syntax, at } = reader;
  const { has } = syntax;
  const char = code[at] ?? "";
  if (char === "`") return readQuoted(reader, "", "`");
  if (has.includes("longBrackets") && code.startsWith("[[", at)) {
    const end = code.indexOf("]]", at);
    return addText(reader, "text", end === -1 ? null : [at + 2, end, end + 2], { isRaw: true, isInterpolated: false });
  }
  if (has.includes("triple") || char === '"' || char === "'") {
    const [, prefix = "", quote = ""] = matchAt(PREFIXED, reader) ?? [];
    if (quote !== "" && (prefix === "" || has.includes("triple")))
      return readQuoted(reader, prefix, has.includes("triple") ? quote : char);
  }
  if (has.includes("quoting") && mayBegin(reader)) {
    const [whole, perl, ruby] = matchAt(QUOTING, reader) ?? [];
    if (whole !== undefined && (perl !== undefined || !isOperand(reader)))
      return readQuoting(reader, whole, perl ?? ruby ?? "");
  }
  if (char !== "/" || !has.includes("regex") || isOperand(reader)) return false;
  const pattern = matchAt(PATTERN, reader);
  if (pattern === null) return false;
  reader.tokens.push({ kind: "regex", text: "", ...placed(reader, PATTERN.lastIndex) });
  return true;
}

const mayBegin = ({ code, at, tokens }: Reader): boolean => {
  const last = tokens.at(-1);
  return !/[\w$@%&>{]/.test(code[at - 1] ?? "") && last?.text !== "->" && last?.text !== "sub";
};

const KEYWORDS = /^(?:return|if|unless|and|or|not|in|split|grep|map|when|case|typeof|while|puts|print)$/;

/** True if the last token ends a value, behind which a slash divides. */
function isOperand({ tokens }: Reader): boolean {
  const last = tokens.at(-1);
  if (last === undefined) return false;
  return last.kind === "name" ? !KEYWORDS.test(last.text) : last.kind !== "punctuation" && last.kind !== "open";
}

function readQuoted(reader: Reader, prefix: string, quote: string): boolean {
  const { syntax, at } = reader;
  const from = at + prefix.length + quote.length;
  const isFormatted = /f/i.test(prefix) && !/[rb]/i.test(prefix);
  const end = endOf(
    reader,
    quote,
    from,
    isFormatted ? "{" : quote === "'" ? undefined : ownValue(MARKS, syntax.interpolation),
  );
  const isTemplate = quote === "`" && syntax.interpolation === "template";
  const isDouble = quote === '"' && /hash|dollar/.test(syntax.interpolation);
  const kind = syntax.commandQuotes?.includes(quote) === true ? "command" : "text";
  return addText(reader, kind, end === null ? null : [from, end, end + quote.length], {
    isRaw: /r/i.test(prefix),
    isInterpolated: /f/i.test(prefix) || isTemplate || isDouble || kind === "command",
  });
}

/** How values in strings begin. They may have quotes in them. */
const MARKS: Readonly<Record<string, string>> = { template: "${", hash: "#{" };

/** The position of the closing quote. */
function endOf(reader: Reader, quote: string, from: number, mark?: string): number | null {
  const { code, syntax, unclosed } = reader;
  if ((unclosed.get(quote) ?? code.length) < from) return null;
  const isLined = quote.length === 1 && quote !== "`" && !syntax.has.includes("lines");
  for (let at = from; at < code.length; at++) {
    if (code[at] === "\\") at++;
    else if (mark !== undefined && code.startsWith(mark, at)) at = endOfQuoting(reader, "{", at + mark.length) ?? at;
    else if (code.startsWith(quote, at)) return at;
    else if (isLined && code[at] === "\n") return null;
  }
  unclosed.set(quote, from);
  return null;
}

/** `q(…)`, `s{…}{…}`, `%w[…]`: the delimiters may be any characters. */
function readQuoting(reader: Reader, whole: string, name: string): boolean {
  const { at, code } = reader;
  const open = code[at + whole.length] ?? "";
  const from = at + whole.length + 1;
  const first = endOfQuoting(reader, open, from);
  if (first === null) return false;
  const hasTwo = /^(?:s|tr|y)$/.test(name);
  if (hasTwo || name === "m" || name === "qr") {
    const again = hasTwo && ownValue(CLOSING, open) !== undefined ? /\s*/y : null;
    if (again !== null) again.lastIndex = first + 1;
    again?.exec(code);
    const next = again === null ? first + 1 : again.lastIndex + 1;
    const end = hasTwo ? endOfQuoting(reader, again === null ? open : (code[again.lastIndex] ?? ""), next) : first;
    if (end === null) return false;
    const flags = /[a-z]*/y;
    flags.lastIndex = end + 1;
    reader.tokens.push({ kind: "regex", text: "", ...placed(reader, end + 1 + (flags.exec(code)?.[0].length ?? 0)) });
    return true;
  }
  const kind = /^(?:qw|[wWi])$/.test(name) ? "words" : /x$/.test(name) ? "command" : "text";
  const isRaw = name === "q" || kind === "words";
  return addText(reader, kind, [from, first, first + 1], { isRaw, isInterpolated: !isRaw });
}

function endOfQuoting(reader: Reader, open: string, from: number): number | null {
  const close = ownValue(CLOSING, open);
  if (close === undefined) return endOf(reader, open, from);
  let depth = 1;
  for (let at = from; at < reader.code.length && at < from + LONGEST_QUOTED; at++) {
    const char = reader.code[at];
    if (char === "\\") at++;
    else if (char === open) depth++;
    else if (char === close && --depth === 0) return at;
  }
  return null;
}

function addText(
  reader: Reader,
  kind: "text" | "command" | "words",
  found: readonly [from: number, to: number, end: number] | null,
  how: Omit<Literal, "body">,
): boolean {
  if (found === null) return false;
  const [from, to, end] = found;
  reader.tokens.push({ kind, text: "", body: { body: reader.code.slice(from, to), ...how }, ...placed(reader, end) });
  return true;
}

const ESCAPE = /\\(?:x([\da-fA-F]{2})|u\{?([\da-fA-F]{4,6})\}?|([0-7]{1,3})|([\s\S]))/g;
const NAMED_ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\n": "" };

/** Text with its escapes replaced. */
export const unescaped = (text: string): string =>
  text.replace(ESCAPE, (_, hex?: string, unicode?: string, octal?: string, char = "") => {
    const code = hex ?? unicode;
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return octal === undefined
      ? (ownValue(NAMED_ESCAPES, char) ?? char)
      : String.fromCharCode(Number.parseInt(octal, 8));
  });
