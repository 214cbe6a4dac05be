import type { ArithmeticExpression } from "unbash";
import { ownValue } from "../../../../src/protocol/own-value.ts";
import { parseShell } from "../../../../src/shell/load-parser.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import { setVariable } from "../script/shell-state.ts";
import { type Expanding, substitute } from "./fields.ts";

/** The value of `$((…))`; `UNKNOWN` if it depends on what only the run knows. Assignments in it take place. */
export function valueOfArithmetic(expression: ArithmeticExpression | undefined, at: Expanding): string {
  if (expression === undefined) return UNKNOWN;
  const value = evaluate(expression, at, 0);
  return value === null ? UNKNOWN : String(value);
}

const MOST_LEVELS = 100;

function evaluate(node: ArithmeticExpression, at: Expanding, level: number): number | null {
  if (level > MOST_LEVELS) return null;
  switch (node.type) {
    case "ArithmeticGroup":
      return evaluate(node.expression, at, level + 1);
    case "ArithmeticWord":
      return numberOf(node.value, at, 0);
    case "ArithmeticCommandExpansion": {
      const [text = "", ...others] = substitute(node.script, at);
      return others.length === 0 ? numberOf(text, at, 0) : null;
    }
    case "ArithmeticUnary":
      return unary(node, at, level + 1);
    case "ArithmeticBinary":
      return binary(node, at, level + 1);
    case "ArithmeticTernary": {
      const test = evaluate(node.test, at, level + 1);
      const [yes, no] = [evaluate(node.consequent, at, level + 1), evaluate(node.alternate, at, level + 1)];
      return test === null ? null : test === 0 ? no : yes;
    }
  }
}

const MOST_LINKS = 8;

/** A number, or the number that a variable holds, maybe through the names of other variables. */
function numberOf(text: string, at: Expanding, links: number): number | null {
  // The parser leaves commands between backticks in the word.
  const commands = text.includes("`") ? [...text.matchAll(/`([^`]*)`/g)] : [];
  for (const [, command = ""] of commands) {
    const [output = "", ...others] = substitute(parseShell(command), {
      ...at,
      frame: { ...at.frame, source: command },
    });
    if (commands.length === 1 && others.length === 0 && text.trim() === `\`${command}\``)
      return numberOf(output, at, links + 1);
  }
  const word = text.trim();
  if (word === "") return 0;
  if (/^(?:0|[1-9]\d{0,14})$/.test(word)) return Number(word);
  if (/^0x[\da-f]{1,12}$/i.test(word)) return Number.parseInt(word, 16);
  if (/^0[0-7]{1,14}$/.test(word)) return Number.parseInt(word, 8);
  const name = /^\$?\{?([A-Za-z_]\w*)\}?$/.exec(word)?.[1];
  if (name === undefined || links > MOST_LINKS) return null;
  const value = at.state.variables.get(name)?.[0];
  return value === undefined ? null : numberOf(value, at, links + 1);
}

function unary(
  { operator, operand }: ArithmeticExpression & { readonly type: "ArithmeticUnary" },
  at: Expanding,
  level: number,
): number | null {
  const value = evaluate(operand, at, level);
  if (operator === "++" || operator === "--") {
    assign(operand, null, at);
    return null;
  }
  if (value === null) return null;
  if (operator === "-") return -value;
  if (operator === "!") return value === 0 ? 1 : 0;
  return operator === "+" ? value : null;
}

function binary(
  { operator, left, right }: ArithmeticExpression & { readonly type: "ArithmeticBinary" },
  at: Expanding,
  level: number,
): number | null {
  const value = evaluate(right, at, level);
  if (/^(?:[-+*/%&|^]|<<|>>)?=$/.test(operator)) {
    const result = operator === "=" ? value : null;
    assign(left, result, at);
    return result;
  }
  const first = evaluate(left, at, level);
  if (operator === ",") return value;
  if (first === null || value === null) return null;
  const result = ownValue(OPERATORS, operator)?.(first, value);
  return result !== undefined && Number.isSafeInteger(result) ? result : null;
}

const OPERATORS: Readonly<Record<string, (one: number, other: number) => number>> = {
  "+": (one, other) => one + other,
  "-": (one, other) => one - other,
  "*": (one, other) => one * other,
  "/": (one, other) => Math.trunc(one / other),
  "%": (one, other) => one % other,
  "==": (one, other) => Number(one === other),
  "!=": (one, other) => Number(one !== other),
  "<": (one, other) => Number(one < other),
  ">": (one, other) => Number(one > other),
  "<=": (one, other) => Number(one <= other),
  ">=": (one, other) => Number(one >= other),
};

function assign(target: ArithmeticExpression, value: number | null, { state }: Expanding): void {
  if (target.type !== "ArithmeticWord") return;
  setVariable(state, target.value.replace(/\[.*$/s, ""), [value === null ? UNKNOWN : String(value)]);
}
