import { GLOBBED } from "../script/shell-state.ts";
import { bindLoop } from "./bindings.ts";
import { type CodeValue, listOf, narrowed } from "./code-values.ts";
import { nameIn } from "./functions.ts";
import type { Run } from "./run.ts";

/** Expressions with commas between them. */
export function expressions(run: Run, end: number): readonly CodeValue[] {
  const values: CodeValue[] = [];
  while (run.at < end) {
    const before = run.at;
    // `shell=True` is no argument by position, `path=x` is.
    const keyword =
      run.tokens[run.at + 1]?.text === "=" && run.tokens[run.at]?.kind === "name" ? run.tokens[run.at] : undefined;
    if (keyword !== undefined) run.at += 2;
    const value = run.evaluator.expression(run, end);
    if (keyword === undefined || /^(?:path|file|args|cmd|command|src|dst|mode|name|top|pattern)$/.test(keyword.text))
      values.push(value);
    const token = run.tokens[run.at];
    if (token?.text === "," || token?.text === "=>") run.at++;
    else if (run.at < end && (token?.kind === "close" || token?.text === ";" || token?.isFirst === true)) break;
    else if (run.at === before) run.at++;
  }
  return values;
}

/** Words before a statement or a name. */
export const SKIPPED =
  /^(?:const|let|var|my|our|local|global|nonlocal|async|await|yield|throw|raise|try|do|then|begin|else|class|export|default|public|private|static|use|finally|BEGIN|END)$/;

/** True if a condition chooses among files by more than their existence and kind. */
export function isNarrowing({ tokens, at }: Run): boolean {
  for (const token of tokens.slice(at + 1, at + 40)) {
    if (token.isFirst || token.text === "{" || token.text === ":") return false;
    if (token.kind === "text" || token.kind === "regex" || /^(?:[!=]==?|[<>]=?|=~|in|not)$/.test(token.text))
      return true;
  }
  return false;
}

/** Files that a pattern finds are only some of them from here on. */
export function narrow({ variables }: Run): void {
  for (const [name, value] of variables)
    if (value.texts.some((text) => text.startsWith(GLOBBED)))
      variables.set(name, { ...value, texts: value.texts.map(narrowed) });
}

/** `for x in list:`, `for (const x of list)`, `foreach (list as $x)`, `for my $x (list)`. */
export function readFor(run: Run, end = run.tokens.length): boolean {
  const { tokens, at } = run;
  const open = at + 1 + tokens.slice(at + 1, at + 4).findIndex(({ kind }) => kind === "open");
  const bracket = tokens[open];
  const marks = /^(?:in|of|as)$/;
  const mark = tokens.slice(at, at + 16).findIndex(({ text }, index) => index > 0 && marks.test(text));
  const names = (from: number, to: number): readonly string[] =>
    tokens
      .slice(from, to)
      .flatMap((token) => (token.kind === "name" && !SKIPPED.test(token.text) ? [nameIn(token)] : []));
  if (mark !== -1 && tokens[at + mark]?.text === "as") {
    run.at = open + 1;
    const value = run.evaluator.expression(run, at + mark);
    const end = bracket?.kind === "open" ? bracket.partner : at + mark + 2;
    bindLoop(run, names(at + mark + 1, end).slice(-1), value);
    run.at = end;
    return true;
  }
  if (mark !== -1) {
    run.at = at + mark + 1;
    const value = run.evaluator.expression(run, end);
    bindLoop(run, names(at + 1, at + mark), value);
    return true;
  }
  // Perl.
  if (run.language.names !== "perl" || bracket?.kind !== "open") return false;
  run.at = open + 1;
  const value = listOf(expressions(run, bracket.partner));
  bindLoop(run, open === at + 1 ? ["_"] : names(at + 1, open), value);
  run.at = bracket.partner + 1;
  return true;
}

/** `unlink for glob("*")`. */
export function suffixLoop(run: Run, end: number): CodeValue | null {
  if (run.language.names !== "perl") return null;
  const { at, tokens } = run;
  for (let index = at + 1; index < Math.min(end, at + 40); index++) {
    const token = tokens[index];
    if (token === undefined || token.text === ";" || token.kind === "close" || token.text === "{") return null;
    if (token.kind === "open") index = token.partner;
    else if (/^(?:for|foreach)$/.test(token.text)) {
      run.at = index + 1;
      bindLoop(run, ["_"], listOf(expressions(run, end)));
      const after = run.at;
      run.at = at;
      const value = run.evaluator.expression(run, index);
      run.at = after;
      return value;
    }
  }
  return null;
}

/** The end of a clause of a comprehension. */
function clauseEnd({ tokens, at }: Run, partner: number): number {
  for (let index = at + 1; index < partner; index++) {
    const token = tokens[index];
    if (token?.kind === "open") index = token.partner;
    else if (token?.kind === "name" && /^(?:if|for)$/.test(token.text)) return index;
  }
  return partner;
}

/** The index of the first `for` of a comprehension at this level, or -1. */
export function loopIn({ tokens }: Run, from: number, partner: number): number {
  for (let at = from; at < partner; at++) {
    const token = tokens[at];
    if (token?.kind === "open") at = token.partner;
    else if (token?.kind === "name" && token.text === "for" && at > from) return at;
  }
  return -1;
}

export function comprehension(
  run: Run,
  from: number,
  { loop, partner }: { readonly loop: number; readonly partner: number },
): CodeValue {
  run.at = loop;
  while (run.at < partner) {
    const word = run.tokens[run.at]?.text;
    if (word === "if" && isNarrowing(run)) narrow(run);
    if (word !== "for" || !readFor(run, clauseEnd(run, partner))) run.at++;
  }
  run.at = from;
  const value = run.evaluator.expression(run, loop);
  return { ...value, isList: true };
}
