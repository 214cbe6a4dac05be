import { bindLoop, runFunction } from "./bindings.ts";
import { type CodeValue, itemOf, listOf, namedValue, textOf, UNKNOWN_VALUE } from "./code-values.ts";
import {
  callFunction as callKnown,
  givenTo,
  isFolderFunction,
  isKnownFunction,
  memberOf,
  nameIn,
} from "./functions.ts";
import { comprehension, expressions, loopIn } from "./loops.ts";
import type { Run } from "./run.ts";
import { textValue } from "./texts.ts";
import type { Token } from "./tokens.ts";

/** A name with what follows it: members, calls, indices. */
export function named(run: Run, end: number, token: Token): CodeValue {
  const name = nameIn(token);
  const value =
    run.variables.get(name) ?? namedValue(run.wild.map((module) => `${module}.${name}`).find(isKnownFunction) ?? name);
  return members(run, end, value, token);
}

const MEMBER = /^(?:\.|\?\.|->|::|:)$/;

export function members(run: Run, end: number, start: CodeValue, name?: Token): CodeValue {
  let value = start;
  /** The value whose method is next, and the name of the method. */
  let method: { readonly of: CodeValue; readonly name: string } | null = null;
  let isBare = name !== undefined;
  for (;;) {
    const token = run.at < end ? run.tokens[run.at] : undefined;
    const next = run.tokens[run.at + 1];
    if (token === undefined) return isBare ? withDefault(run, value, method) : value;
    const isDot =
      token.kind === "punctuation" &&
      MEMBER.test(token.text) &&
      next?.kind === "name" &&
      !(token.text === "." && run.language.concatenates === ".") &&
      !(token.text === ":" && run.language.names !== "lua");
    if (isDot) {
      run.at += 2;
      method = { of: value, name: next.text };
      value = memberOf(value, next.text, run, token.text);
      isBare = true;
    } else if (
      token.kind === "open" &&
      !(token.isFirst && run.brackets === 0) &&
      (token.text === "(" ? !token.isApart || isBare : token.text === "[" && !token.isApart)
    ) {
      run.brackets++;
      run.at++;
      const isCall = token.text === "(";
      const given = isCall ? givenTo(run, value, method) : [];
      const before = run.given;
      run.given = given;
      const args = argumentsOf(run, token.partner);
      run.given = before;
      run.brackets--;
      run.at = token.partner + 1;
      value = isCall
        ? callFunction(run, { callee: value, method, args })
        : memberOf(value, textOf(args[0] ?? UNKNOWN_VALUE), run, "[");
      method = null;
      isBare = false;
    } else if (token.kind === "open" && token.text === "{" && (next?.text === "|" || run.language.names === "perl")) {
      if (run.language.names === "perl" && name !== undefined && /^(?:map|grep|sort)$/.test(name.text))
        return mapped(run, end, token.partner);
      if (next?.text !== "|") {
        if (token.isApart) return value;
        value = memberOf(
          value,
          run.tokens[run.at + 1]?.kind === "text" ? textOf(argumentsInside(run, token.partner)) : (next?.text ?? ""),
          run,
          "[",
        );
        run.at = token.partner + 1;
      } else block(run, method === null ? value : callFunction(run, { callee: value, method, args: [] }));
    } else if (token.text === "do" && next?.text === "|") {
      block(run, method === null ? value : callFunction(run, { callee: value, method, args: [] }));
    } else if (isBare && startsArgument(run, token, next, value, name)) {
      const tag = token.kind === "text" && !token.isApart;
      const args = tag ? [operandText(run, token)] : expressions(run, end);
      value = callFunction(run, { callee: value, method, args });
      isBare = false;
    } else {
      return isBare ? withDefault(run, value, method) : value;
    }
  }
}

/** A function without arguments: `unlink` of Perl takes `$_`, `Dir.home` of Ruby takes none. */
function withDefault(run: Run, value: CodeValue, method: Parameters<typeof callKnown>[1]["method"]): CodeValue {
  if (run.language.names === "ruby" && isFolderFunction(value.name ?? ""))
    return callFunction(run, { callee: value, method, args: [] });
  const given = run.language.names === "perl" && isKnownFunction(value.name ?? "") ? run.variables.get("_") : undefined;
  return given === undefined ? value : callFunction(run, { callee: value, method, args: [given] });
}

/** The value of a call of the code's own function, or of a known one. */
function callFunction(run: Run, call: Parameters<typeof callKnown>[1]): CodeValue {
  const name = call.callee.name ?? "";
  const own = run.functions.get(name);
  return own === undefined ? callKnown(run, call) : runFunction(run, name, own, call.args);
}

const operandText = (run: Run, token: Extract<Token, { kind: "text" | "command" | "words" }>): CodeValue => {
  run.at++;
  return textValue(run, token.body);
};

function argumentsInside(run: Run, partner: number): CodeValue {
  run.at++;
  return expressions(run, partner)[0] ?? UNKNOWN_VALUE;
}

/** The arguments in brackets; a comprehension alone is one. */
function argumentsOf(run: Run, partner: number): readonly CodeValue[] {
  const from = run.at;
  const loop = run.language.names === "python" ? loopIn(run, from, partner) : -1;
  if (loop !== -1) return [comprehension(run, from, { loop, partner })];
  const values = expressions(run, partner);
  if (run.at < partner) run.evaluator.runTo(run, partner);
  return values;
}

/** `map { … } list` of Perl. */
function mapped(run: Run, end: number, partner: number): CodeValue {
  const from = run.at + 1;
  run.at = partner + 1;
  const value = listOf(expressions(run, end));
  const after = run.at;
  bindLoop(run, ["_"], value);
  run.at = from;
  run.evaluator.runTo(run, partner);
  run.at = after;
  return value;
}

/** The block of a call gets the items: `each { |f| … }`. */
function block(run: Run, value: CodeValue): void {
  const { tokens } = run;
  const from = run.at + 2;
  const count = tokens.slice(from, from + 40).findIndex(({ text }) => text === "|");
  if (count === -1) {
    run.at++;
    return;
  }
  const close = from + count;
  const names = tokens.slice(from, close).flatMap((token) => (token.kind === "name" ? [nameIn(token)] : []));
  for (const name of names) run.variables.set(name, itemOf(value));
  run.at = close + 1;
}

/** True if a function is called without brackets: `unlink "x"`, `` $`rm x` ``. */
function startsArgument(
  run: Run,
  token: Token,
  next: Token | undefined,
  value: CodeValue,
  name: Token | undefined,
): boolean {
  if (token.isFirst || value.name === undefined) return false;
  const { bareCalls } = run.language;
  if (token.kind === "text" && !token.isApart && run.language.interpolation === "template")
    return isKnownFunction(value.name) || name?.text === "$";
  if (bareCalls !== true || !isKnownFunction(value.name)) return false;
  if (token.kind === "name")
    return token.isApart && !/^(?:if|unless|or|and|for|foreach|while|do|then|end)$/.test(token.text);
  if (token.kind === "text" || token.kind === "words" || token.kind === "command") return true;
  if (token.kind === "open") return token.isApart && token.text !== "{";
  return token.kind === "punctuation" && /^[*@$]$/.test(token.text) && token.isApart && next?.isApart === false;
}
