import { UNKNOWN } from "../../../../src/shell/unknown.ts";

/** Known values in a program text: its variables, and values from outside. */
export interface CodeScope {
  readonly variables: ReadonlyMap<string, string>;
  readonly home: string;
  readonly environment: (name: string) => string | undefined;
  /** True if `$x` in a string of the language is a variable of the program, not of the shell that gets the string. */
  readonly expandsDollar: boolean;
  /** The nesting level of brackets. */
  readonly level: number;
}

/** The string value of an expression; a list has items. */
export type CodeValue = string | readonly string[];

/** The arguments of a call. */
export interface CodeArguments {
  readonly items: readonly string[];
  /** The index of the closing bracket. */
  readonly end: number;
}

const MOST_LEVELS = 4;
const MOST_CHARACTERS = 1e3;
/** The arguments behind a name, up to the closing bracket or, without one, the end of the statement. */
export function argumentsAt(text: string, at: number): CodeArguments {
  const code = text.slice(0, at + MOST_CHARACTERS);
  const start = /[ \t]*/y;
  start.lastIndex = at;
  start.test(code);
  const isOpen = code[start.lastIndex] === "(";
  const from = start.lastIndex + (isOpen ? 1 : 0);
  const items: string[] = [""];
  let depth = 0;
  let next = from;
  while (next < code.length) {
    const unit = unitAt(code, next);
    const isTop = depth === 0 && unit.length === 1;
    if (isTop && (isOpen ? unit === ")" : /[;\n)}|]/.test(unit))) break;
    if (isTop && unit === ",") items.push("");
    else items.push(`${items.pop() ?? ""}${unit}`);
    if ("([{".includes(unit)) depth++;
    if (")]}".includes(unit)) depth--;
    next += unit.length;
  }
  return { items: items.map((item) => item.trim()).filter((item) => item !== ""), end: next };
}

const LITERAL =
  /(?:[rRbBuUfF]{0,2}(?:"""[\s\S]*?"""|'''[\s\S]*?''')|[rRbBuUfF]{0,2}(?:"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')|`(?:[^`\\]|\\[\s\S])*`)/y;
/** A whole string literal, or one character. */
function unitAt(code: string, at: number): string {
  LITERAL.lastIndex = at;
  const char = code[at] ?? "";
  // A name that ends with `r` or `b` is no prefix of a literal.
  if (/[\w$]/.test(code[at - 1] ?? "") && /\w/.test(char)) return char;
  return LITERAL.exec(code)?.[0] ?? char;
}

/** The value of an expression; each part of it that is not a literal is `UNKNOWN`. */
export function valueOfCode(expression: string, outer: CodeScope): CodeValue {
  if (outer.level > MOST_LEVELS) return UNKNOWN;
  const scope = { ...outer, level: outer.level + 1 };
  const text = expression.trim();
  if (/^[[(].*[\])]$/s.test(text) && !/^\(.*\)\s*[.+]/s.test(text)) {
    const { items } = argumentsAt(`(${text.slice(1, -1)})`, 0);
    if (text.startsWith("[") || items.length > 1) return items.map((item) => textOf(valueOfCode(item, scope)));
    return items[0] === undefined ? "" : valueOfCode(items[0], scope);
  }
  return joinedParts(text, scope);
}

export const textOf = (value: CodeValue): string => (typeof value === "string" ? value : value.join(" "));
/** `"a" + b . "c"`, and adjacent literals. */
function joinedParts(text: string, scope: CodeScope): string {
  let result = "";
  let at = 0;
  while (at < text.length) {
    const unit = unitAt(text, at);
    if (unit.length > 1) result += decoded(unit, scope);
    else if (!/[\s+.&]/.test(unit)) {
      const { value, length } = operandAt(text.slice(at), scope);
      result += value;
      at += length;
      continue;
    }
    at += unit.length;
  }
  return result;
}

const NAMED = /^[$@]?[\w$.:]+(?:\[\s*['"](\w+)['"]\s*\])?/;
const ENVIRONMENT = /^(?:process\.env\.(\w+)|(?:os\.environ|process\.env|ENV|%?\$?ENV|Deno\.env)$)/;
const WRAPPING =
  /^(?:os\.path\.expanduser|os\.path\.abspath|os\.path\.realpath|(?:pathlib\.)?Path|str|String|path\.resolve|path\.normalize|File\.expand_path|shlex\.split|quote|encodeURI)$/;
const JOINING = /^(?:os\.path\.join|path\.join|File\.join|Path\.join)$/;
/** A name, a call or anything else at the beginning of an expression. */
function operandAt(text: string, scope: CodeScope): { readonly value: string; readonly length: number } {
  const match = NAMED.exec(text);
  if (match === null) return { value: UNKNOWN, length: text.length };
  const [name, key] = match;
  const called = text[name.length] === "(" ? argumentsAt(text, name.length) : null;
  const length = called === null ? name.length : called.end + 1;
  const rest = /^\s*(?:\[|\/\s*['"]|\.\w)/.test(text.slice(length)) ? UNKNOWN : "";
  return {
    value: namedValue([name, key ?? ""], called?.items ?? null, scope) + rest,
    length: rest === "" ? length : text.length,
  };
}

function namedValue(
  [name = "", key = ""]: readonly string[],
  called: readonly string[] | null,
  scope: CodeScope,
): string {
  const plain = name.replace(/\[.*$/s, "");
  const [, direct] = ENVIRONMENT.exec(plain) ?? [];
  if (direct !== undefined) return scope.environment(direct) ?? UNKNOWN;
  if (key !== "" && ENVIRONMENT.test(plain)) return scope.environment(key) ?? UNKNOWN;
  if (called === null) return scope.variables.get(plain.replace(/^[$@]/, "")) ?? UNKNOWN;
  if (/^(?:os\.homedir|(?:pathlib\.)?Path\.home|Dir\.home|homedir)$/.test(plain)) return scope.home;
  if (/^(?:os\.getenv|os\.environ\.get|getenv)$/.test(plain))
    return scope.environment(textOf(valueOfCode(called[0] ?? "", scope))) ?? UNKNOWN;
  const values = called.map((item) => textOf(valueOfCode(item, scope)));
  if (JOINING.test(plain)) return values.map((value, at) => (at === 0 ? withHome(value, scope) : value)).join("/");
  return WRAPPING.test(plain) ? withHome(values[0] ?? UNKNOWN, scope) : UNKNOWN;
}

const withHome = (path: string, { home }: CodeScope): string =>
  path === "~" || path.startsWith("~/") ? home + path.slice(1) : path;
/** A literal without quotes. Interpolated values are `UNKNOWN`, except known variables. */
function decoded(literal: string, { variables, expandsDollar }: CodeScope): string {
  const [, prefix = "", quote = "'", body = ""] = /^(\w*)("""|'''|"|'|`)([\s\S]*)\2$/.exec(literal) ?? [];
  const fill = (_: string, name: string) => variables.get(name.trim()) ?? UNKNOWN;
  const filled = /f/i.test(prefix)
    ? body.replace(/\{([^{}]*)\}/g, fill)
    : quote === "'" || quote === "'''" || (quote !== "`" && !expandsDollar)
      ? body
      : body.replace(/[$#]\{([^{}]*)\}|(?<![\\\w])\$(\w+)/g, (_, braced = "", name = "") => fill(_, braced || name));
  return /r/i.test(prefix) ? filled : filled.replace(/\\(n|t|x[\da-f]{2}|[\s\S])/gi, escapedChar);
}

function escapedChar(_: string, code: string): string {
  if (code === "n") return "\n";
  if (code === "t") return "\t";
  return code.length > 1 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : code;
}

/** Variables that are set to a literal once: `path = "x"`, `const path = 'x'`, `my $path = "x"`. */
export function variablesOf(code: string, scope: CodeScope): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const match of code.matchAll(/(?<![\w.$])[$@]?([A-Za-z_]\w*)\s*=(?![=>~])\s*/g)) {
    const [whole, name = ""] = match;
    const { items } = argumentsAt(`${code.slice(match.index + whole.length, match.index + whole.length + 500)}\n`, 0);
    const value =
      items.length === 1 && items[0] !== undefined
        ? textOf(valueOfCode(items[0], { ...scope, variables: found }))
        : UNKNOWN;
    found.set(name, found.has(name) && found.get(name) !== value ? UNKNOWN : value);
    if (found.size > 100) break;
  }
  return found;
}
