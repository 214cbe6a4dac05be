import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import { defineFunction, isLambda, readImport, runFunction } from "./bindings.ts";
import { anyOf, type CodeValue, combined, joinedTexts, listOf, oneText, UNKNOWN_VALUE } from "./code-values.ts";
import { expression } from "./expressions.ts";
import { memberOf, nameIn } from "./functions.ts";
import { expressions, isNarrowing, narrow, readFor, SKIPPED, suffixLoop } from "./loops.ts";
import type { Run } from "./run.ts";
import type { Token } from "./tokens.ts";

/**
 * Follows program text from top to bottom without running it: values of variables are kept as far as they are known, and
 * each call of a known function is an effect. What is not understood is passed over. Each token is read about once.
 */
export function runCode(run: Run): void {
  runTo(run, run.tokens.length);
  for (const [name, code] of run.functions) if (!run.called.has(name)) runFunction(run, name, code, []);
}

/** Follows the statements up to a token. */
export function runTo(run: Run, end: number): void {
  while (run.at < end) {
    const before = run.at;
    statement(run, end);
    if (run.at === before) run.at++;
  }
}

const CONDITIONS = /^(?:if|elif|elsif|unless|while|until|else|case|when|except|catch)$/;

function statement(run: Run, end: number): void {
  const token = run.tokens[run.at];
  if (token === undefined) return;
  if (token.isFirst && run.branch !== null && token.column <= run.branch) run.branch = null;
  if (token.kind === "open" && token.text === "{" && !isAssigned(run, token.partner)) {
    run.at++;
    runTo(run, Math.min(token.partner, end));
    return;
  }
  const word = token.kind === "name" ? token.text : "";
  const next = run.tokens[run.at + 1];
  if (CONDITIONS.test(word)) {
    run.branch ??= token.isFirst ? token.column : Math.max(0, token.column - 1);
    if (isNarrowing(run)) narrow(run);
  }
  if (/^(?:import|from)$/.test(word) && next?.text !== "(" && readImport(run)) return;
  if (/^(?:for|foreach)$/.test(word) && readFor(run)) return;
  if (/^(?:def|function|sub|fn|func)$/.test(word) && defineFunction(run)) return;
  if (word === "return") {
    run.at++;
    run.returned.push(expression(run, end));
  } else if (SKIPPED.test(word) || CONDITIONS.test(word)) run.at++;
  else if (!assign(run, end)) {
    const value = suffixLoop(run, end) ?? expression(run, end);
    const name = run.tokens[run.at + 1];
    // `with open(x) as f`
    if (run.tokens[run.at]?.text === "as" && name?.kind === "name") {
      run.variables.set(nameIn(name), value);
      run.at += 2;
    }
  }
}

const isAssigned = ({ tokens }: Run, partner: number): boolean => tokens[partner + 1]?.text === "=";

const ASSIGNS = /^(?::=|<-|[-+*/%.|&^]?=|\|\|=|\?\?=)$/;

/** `x = value`, `x += value`, `a, b = value`, `const { a, b: c } = value`. False if this is none. */
function assign(run: Run, end: number): boolean {
  const { tokens, at, variables } = run;
  const first = tokens[at];
  if (first?.kind === "open") return isAssigned(run, first.partner) && destructure(run, first.partner, end);
  if (first?.kind !== "name") return false;
  let last = at;
  while (tokens[last + 1]?.text === "," && tokens[last + 2]?.kind === "name") last += 2;
  // `path: str = value`
  if (tokens[last + 1]?.text === ":" && tokens[last + 3]?.text === "=" && tokens[last + 2]?.kind === "name") last += 2;
  const operator = tokens[last + 1];
  if (operator?.kind !== "punctuation" || !ASSIGNS.test(operator.text)) return false;
  run.at = last + 2;
  if (isLambda(run)) {
    defineFunction(run, nameIn(first));
    return true;
  }
  const value = first.text.startsWith("@") ? listOf(expressions(run, end)) : expression(run, end);
  if (last > at && tokens[at + 1]?.text === ",") {
    for (let index = at; index <= last; index += 2)
      bind(run, tokens[index], itemAt(value, (index - at) / 2, (last - at) / 2 + 1));
    return true;
  }
  const name = nameIn(first);
  const before = variables.get(name);
  if (/^[.+]=$/.test(operator.text)) variables.set(name, combined(before ?? UNKNOWN_VALUE, value, joinedTexts));
  else if (/^.+=$/.test(operator.text) && operator.text !== ":=") variables.set(name, UNKNOWN_VALUE);
  // In a branch the value before may stay.
  else
    variables.set(
      name,
      run.branch !== null && before !== undefined && !value.isList && before.name === undefined
        ? anyOf([before, value])
        : value,
    );
  return true;
}

const itemAt = (value: CodeValue, at: number, count: number): CodeValue =>
  value.isList && value.texts.length === count ? oneText(value.texts[at] ?? UNKNOWN) : UNKNOWN_VALUE;

const bind = ({ variables }: Run, token: Token | undefined, value: CodeValue): void => {
  if (token?.kind === "name") variables.set(nameIn(token), value);
};

/** `{ rm, unlink: u } = require("fs")`, `[a, b] = list`. */
function destructure(run: Run, partner: number, end: number): boolean {
  const { tokens, at } = run;
  const isObject = tokens[at]?.text === "{";
  run.at = partner + 2;
  const value = expression(run, end);
  const names = tokens.slice(at + 1, partner);
  let position = 0;
  for (const [index, token] of names.entries()) {
    if (token.text === ",") position++;
    if (token.kind !== "name" || names[index - 1]?.text === ":" || names[index - 1]?.text === "=") continue;
    const alias = names[index + 1]?.text === ":" ? names[index + 2] : token;
    const count = names.filter(({ text }) => text === ",").length + 1;
    bind(
      run,
      alias,
      isObject
        ? value.name === undefined
          ? UNKNOWN_VALUE
          : memberOf(value, token.text, run)
        : itemAt(value, position, count),
    );
  }
  return true;
}
