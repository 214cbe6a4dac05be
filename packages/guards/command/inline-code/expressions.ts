import { isLambda, runLambda } from "./bindings.ts";
import {
  anyOf,
  type CodeValue,
  combined,
  isKnown,
  joinedPaths,
  joinedTexts,
  listOf,
  oneText,
  orderedList,
  textOf,
  UNKNOWN_VALUE,
} from "./code-values.ts";
import { comprehension, expressions, loopIn } from "./loops.ts";
import { members, named } from "./members.ts";
import type { Run } from "./run.ts";
import { textValue } from "./texts.ts";
import type { Token } from "./tokens.ts";

const MOST_DEPTH = 100;

/** The value of an expression. */
export function expression(run: Run, end: number): CodeValue {
  if (run.depth >= MOST_DEPTH) {
    run.effects.tooDeep();
    run.at = end;
    return UNKNOWN_VALUE;
  }
  run.depth++;
  let value = operand(run, end);
  for (let next = continued(run, end, value); next !== null; next = continued(run, end, value)) value = next;
  run.depth--;
  return value;
}

/** The value with the operator and the operand behind it; null if the expression ends. */
function continued(run: Run, end: number, value: CodeValue): CodeValue | null {
  const token = run.at < end ? run.tokens[run.at] : undefined;
  if (token === undefined || token.kind === "close") return null;
  const { names, concatenates = "+" } = run.language;
  if (token.isFirst && run.brackets === 0 && (token.kind !== "punctuation" || names === "python")) return null;
  if (token.kind === "text" || token.kind === "words") return joins(run, end, value);
  if (names === "awk" && /^(?:name|number)$/.test(token.kind) && !/^(?:getline|in)$/.test(token.text))
    return joins(run, end, value);
  if (token.kind === "name") return continuedByWord(run, end, value, token.text);
  if (token.kind !== "punctuation") return null;
  const { text } = token;
  if (names === "awk" && text === "$") return joins(run, end, value);
  const right = (): CodeValue => {
    run.at++;
    return operand(run, end);
  };
  if (text === concatenates) {
    const other = right();
    if (value.isList && other.isList) return { texts: [...value.texts, ...other.texts], isList: true };
    return combined(value, other, value.isPath === true && names === "ruby" ? joinedPaths : joinedTexts);
  }
  switch (text) {
    case "/": {
      const other = right();
      const isPath = value.isPath === true || isKnown(value);
      return isPath ? { ...combined(value, other, joinedPaths), isPath } : UNKNOWN_VALUE;
    }
    case "%":
      return combined(value, right(), (format, filling) => format.replace(/%[-\d.]*[sdr]/g, () => filling));
    case "||":
    case "??": {
      const other = right();
      return isKnown(value) ? value : other;
    }
    case "&&":
      return right();
    case "?": {
      run.at++;
      const first = expression(run, end);
      if (run.tokens[run.at]?.text !== ":") return first;
      run.at++;
      return anyOf([first, expression(run, end)]);
    }
    case "|": {
      const other = right();
      if (names === "awk")
        for (const command of [value, other]) if (isKnown(command)) run.effects.runText(textOf(command));
      return UNKNOWN_VALUE;
    }
    case ",":
    case ";":
    case ":":
    case "=>":
      return null;
    default:
      right();
      return UNKNOWN_VALUE;
  }
}

const joins = (run: Run, end: number, value: CodeValue): CodeValue => combined(value, operand(run, end), joinedTexts);

function continuedByWord(run: Run, end: number, value: CodeValue, word: string): CodeValue | null {
  if (!/^(?:or|and|if|unless|in|is|not|instanceof|eq|ne|x|cmp)$/.test(word)) return null;
  if (word === "if" || word === "unless") {
    run.at++;
    expression(run, end);
    if (run.tokens[run.at]?.text !== "else") return value;
    run.at++;
    return anyOf([value, expression(run, end)]);
  }
  run.at++;
  const other = operand(run, end);
  if (word === "or") return isKnown(value) ? value : other;
  return word === "and" ? other : UNKNOWN_VALUE;
}

const PREFIXES =
  /^(?:await|new|typeof|void|delete|yield|not|async|return|my|our|local|print|puts|echo|unless|[-!~+*&\\@]|\*\*|\.\.\.)$/;

function operand(run: Run, end: number): CodeValue {
  const token = run.at < end ? run.tokens[run.at] : undefined;
  if (token === undefined) return UNKNOWN_VALUE;
  if (isLambda(run)) return runLambda(run, end);
  switch (token.kind) {
    case "number":
      run.at++;
      return oneText(token.text);
    case "regex":
      run.at++;
      return members(run, end, UNKNOWN_VALUE);
    case "text":
      run.at++;
      return members(run, end, textValue(run, token.body));
    case "words":
      run.at++;
      return members(run, end, orderedList(token.body.body.trim().split(/\s+/).map(oneText)));
    case "command":
      run.at++;
      run.effects.runText(textOf(textValue(run, token.body)));
      return UNKNOWN_VALUE;
    case "open":
      return members(run, end, bracket(run, token));
    case "close":
      return UNKNOWN_VALUE;
  }
  const isPrefix =
    PREFIXES.test(token.text) &&
    !(token.kind === "name" && run.tokens[run.at + 1]?.text === "(" && token.text !== "await" && token.text !== "not");
  if (token.kind === "punctuation" && !isPrefix) {
    const symbol = run.language.names === "ruby" && token.text === ":" ? run.tokens[run.at + 1] : undefined;
    if (symbol?.kind === "name") {
      run.at += 2;
      return oneText(symbol.text);
    }
    // `$0` and `$x` of awk.
    if (token.text === "$") run.at += 2;
    return UNKNOWN_VALUE;
  }
  run.at++;
  if (isPrefix) return operand(run, end);
  return named(run, end, token);
}

/** A list, a group, a comprehension or a block. */
function bracket(run: Run, { text, partner }: Extract<Token, { kind: "open" }>): CodeValue {
  const { tokens } = run;
  const from = run.at + 1;
  run.brackets++;
  run.at = from;
  const loop = run.language.names === "python" ? loopIn(run, from, partner) : -1;
  let value = UNKNOWN_VALUE;
  if (loop !== -1) value = comprehension(run, from, { loop, partner });
  else if (text === "{") run.evaluator.runTo(run, partner);
  else {
    const values = expressions(run, partner);
    const hasOne =
      values.length === 1 && (text === "(" || values[0]?.isList === true) && tokens[partner - 1]?.text !== ",";
    value = hasOne ? (values[0] ?? UNKNOWN_VALUE) : orderedValues(values);
    // What is left was no list.
    if (run.at < partner) run.evaluator.runTo(run, partner);
  }
  run.brackets--;
  run.at = partner + 1;
  return value;
}

const orderedValues = (values: readonly CodeValue[]): CodeValue =>
  values.some(({ isList, texts }) => isList || texts.length > 1) ? listOf(values) : orderedList(values);
