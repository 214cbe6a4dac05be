import { GLOBBED } from "../script/shell-state.ts";
import { anyOf, type CodeValue, itemOf, namedValue, UNKNOWN_VALUE } from "./code-values.ts";
import { memberOf, moduleNamed, nameIn } from "./functions.ts";
import type { CodeFunction, Run } from "./run.ts";
import type { Token } from "./tokens.ts";

/** Gives the variables of a loop their values. `os.walk` gives a folder, and names in it. */
export function bindLoop({ variables }: Run, names: readonly string[], value: CodeValue): void {
  const isWalk = names.length === 3 && value.texts.some((text) => text.endsWith("/**"));
  for (const [at, name] of names.entries())
    variables.set(name, isWalk && at > 0 ? { texts: [`${GLOBBED}*`], isList: true } : itemOf(value));
}

/** `import a.b as c`, `from a import b as c`, `import c, { b as d } from "a"`. False if this is no import. */
export function readImport(run: Run): boolean {
  const { tokens, at } = run;
  const end = endOfLine(tokens, at + 1);
  const words = tokens.slice(at + 1, end);
  const quoted = words.findIndex(({ kind }) => kind === "text");
  const text = words[quoted];
  run.at = end;
  if (text?.kind === "text") importNames(run, words.slice(0, quoted), moduleNamed(text.body.body));
  else if (tokens[at]?.text === "from") {
    const split = words.findIndex((word) => word.text === "import");
    importNames(run, words.slice(split + 1), moduleNamed(joined(words.slice(0, split))), true);
  } else importModules(run, words);
  return true;
}

const joined = (words: readonly Token[]): string => words.map((word) => word.text).join("");

/** An import ends with its line, unless it is in brackets. */
function endOfLine(tokens: readonly Token[], from: number): number {
  let at = from;
  for (; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined || token.text === ";" || (token.isFirst && token.kind !== "close")) break;
    if (token.kind === "open") at = token.partner;
  }
  return at;
}

function importNames({ variables, wild }: Run, words: readonly Token[], module: string, isPython = false): void {
  let isInside = isPython;
  for (const [at, word] of words.entries()) {
    if (word.text === "{") isInside = true;
    if (word.text === "*" && isPython) wild.push(module);
    const isAlias = words[at - 1]?.text === "as";
    if (word.kind !== "name" || isAlias || /^(?:as|from|type)$/.test(word.text)) {
      if (word.kind === "name" && isAlias && words[at - 2]?.text === "*") variables.set(word.text, namedValue(module));
      continue;
    }
    const alias = words[at + 1]?.text === "as" ? (words[at + 2]?.text ?? word.text) : word.text;
    variables.set(alias, namedValue(isInside ? moduleNamed(`${module}.${word.text}`) : module));
  }
}

/** `a.b as c, d`. */
function importModules({ variables }: Run, words: readonly Token[]): void {
  let from = 0;
  for (let at = 0; at <= words.length; at++) {
    if (at < words.length && words[at]?.text !== ",") continue;
    const part = words.slice(from, at);
    const as = part.findIndex(({ text }) => text === "as");
    const alias = part[as + 1];
    if (as > 0 && alias !== undefined) variables.set(alias.text, namedValue(moduleNamed(joined(part.slice(0, as)))));
    from = at + 1;
  }
}

/** True at `x => …`, `(x) => …`, `lambda x: …` and `function (x) {…}`. */
export function isLambda({ tokens, at }: Run): boolean {
  const start = tokens[at]?.text === "async" ? at + 1 : at;
  const token = tokens[start];
  if (token?.kind === "open") return token.text === "(" && tokens[token.partner + 1]?.text === "=>";
  if (token?.kind !== "name") return false;
  if (/^(?:function|fn|func|sub)$/.test(token.text)) return tokens[start + 1]?.kind === "open";
  return token.text === "lambda" || (tokens[start + 1]?.text === "=>" && tokens[start]?.text !== "async");
}

/** A function without a name, or behind a name; the next token is the one behind it. */
function functionAt(run: Run): CodeFunction | null {
  const { tokens } = run;
  const start = run.at;
  const limit = Math.min(tokens.length, start + 60);
  let open = start;
  while (open < limit && tokens[open]?.kind !== "open" && tokens[open]?.text !== ":" && tokens[open]?.text !== "=>")
    open++;
  const bracket = tokens[open];
  const isListed = bracket?.kind === "open" && bracket.text === "(";
  const last = isListed ? bracket.partner : open;
  const parameters = parametersIn(tokens.slice(isListed ? open + 1 : start, last));
  const from = last + (isListed ? 1 : 0);
  return { parameters, ...bodyAt(tokens, start, from), tokens };
}

/** The names of parameters. A member of the first one has a brace before its name: `({ rm }) => …`. */
function parametersIn(words: readonly Token[]): readonly string[] {
  const brace = words[0]?.text === "{" ? "{" : "";
  return words.flatMap((word, at) =>
    word.kind === "name" && !KEYWORDS.test(word.text) && BEFORE_PARAMETER.test(words[at - 1]?.text ?? "")
      ? [brace + nameIn(word)]
      : [],
  );
}

const KEYWORDS = /^(?:async|lambda|function|def|sub|fn|func)$/;
const BEFORE_PARAMETER = /^(?:|,|\*\*?|\{|\[|async|lambda)$/;

/** Gives the parameters their values. */
function bindParameters(run: Run, parameters: readonly string[], given: readonly CodeValue[]): void {
  const [first = UNKNOWN_VALUE] = given;
  for (const [at, name] of parameters.entries())
    if (name.startsWith("{"))
      run.variables.set(name.slice(1), first.name === undefined ? UNKNOWN_VALUE : memberOf(first, name.slice(1), run));
    else run.variables.set(name, given[at] ?? UNKNOWN_VALUE);
}

/** The body in braces, up to the end of the indented lines, or the expression behind an arrow. */
function bodyAt(tokens: readonly Token[], start: number, from: number): Pick<CodeFunction, "from" | "to"> {
  let at = from;
  while (
    at < tokens.length &&
    at < from + 30 &&
    !/^(?:=>|:|\{)$/.test(tokens[at]?.text ?? "") &&
    tokens[at]?.isFirst === false
  )
    at++;
  const mark = tokens[at];
  const next = mark?.text === "{" ? mark : tokens[at + 1];
  if (next?.kind === "open" && next.text === "{") return { from: tokens.indexOf(next, at) + 1, to: next.partner };
  const body = mark?.text === "=>" || mark?.text === ":" ? at + 1 : at;
  const isIndented = tokens[body]?.isFirst === true;
  const column = lineColumn(tokens, start);
  let to = body;
  for (; to < tokens.length; to++) {
    const token = tokens[to];
    if (token === undefined || (token.isFirst && (isIndented ? token.column <= column : true))) break;
    if (!isIndented && (token.kind === "close" || token.text === "," || token.text === ";")) break;
    if (token.kind === "open") to = token.partner;
  }
  return { from: body, to: Math.min(to, tokens.length) };
}

function lineColumn(tokens: readonly Token[], at: number): number {
  for (let index = at; index >= 0 && index > at - 20; index--)
    if (tokens[index]?.isFirst === true) return tokens[index]?.column ?? 0;
  return 0;
}

/** `def name(x): …`, `function name(x) {…}`, `const name = (x) => …`: it is followed when it is called. */
export function defineFunction(run: Run, given?: string): boolean {
  const name = given ?? (run.tokens[run.at + 1]?.kind === "name" ? run.tokens[run.at + 1]?.text : undefined);
  if (name === undefined) return false;
  if (given === undefined) run.at += 2;
  const code = functionAt(run);
  if (code === null || code.to < code.from) return false;
  run.functions.set(name, code);
  run.at = code.to + (run.tokens[code.to]?.text === "}" ? 1 : 0);
  return true;
}

/** Follows a function among the arguments with the values that it is given. */
export function runLambda(run: Run, end: number): CodeValue {
  const code = functionAt(run);
  const start = run.at;
  if (code === null || code.from <= start) {
    run.at++;
    return UNKNOWN_VALUE;
  }
  const given = run.given;
  const isBlock = run.tokens[code.from - 1]?.text === "{";
  bindParameters(run, code.parameters, given);
  run.given = [];
  run.at = code.from;
  const to = Math.min(code.to, end);
  const value = isBlock ? null : run.evaluator.expression(run, to);
  run.evaluator.runTo(run, to);
  run.given = given;
  run.at = to + (isBlock ? 1 : 0);
  return value ?? UNKNOWN_VALUE;
}

/** Follows a function of the code with arguments, and returns its value. A recursive call is not followed again. */
export function runFunction(run: Run, name: string, code: CodeFunction, args: readonly CodeValue[]): CodeValue {
  const size = code.to - code.from;
  run.called.add(name);
  if (run.budget.tokens < size || run.depth > 60) return UNKNOWN_VALUE;
  run.budget.tokens -= size;
  const inner: Run = {
    ...run,
    tokens: code.tokens,
    at: code.from,
    depth: run.depth + 10,
    brackets: 0,
    branch: null,
    given: [],
    returned: [],
    variables: new Map(run.variables),
    functions: new Map([...run.functions].filter(([one]) => one !== name)),
  };
  bindParameters(inner, code.parameters, args);
  run.evaluator.runTo(inner, code.to);
  return inner.returned.length === 0 ? UNKNOWN_VALUE : anyOf(inner.returned);
}
