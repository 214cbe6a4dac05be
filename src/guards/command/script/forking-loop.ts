import type { ArithmeticFor, CompoundList, Statement, While, Word } from "unbash";

/** True if a loop never ends and each round only leaves jobs in the background: a fork bomb without a function. */
export const isForkingLoop = (loop: While | ArithmeticFor): boolean =>
  (loop.type === "While" ? isEndless(loop) : loop.test === undefined) &&
  loop.body.commands.length > 0 &&
  loop.body.commands.every(leavesJob);

function isEndless({ kind, clause }: While): boolean {
  const [only, ...others] = clause.commands;
  if (only === undefined || others.length > 0) return false;
  return constantOf(only) === (kind === "while");
}

/** True or false for a constant condition; null if it is not known. */
function constantOf({ command }: Statement): boolean | null {
  if (command.type === "ArithmeticCommand") return /^\s*[1-9]\d*\s*$/.test(command.body) ? true : null;
  if (command.type === "TestCommand") {
    const { expression } = command;
    return expression.type === "TestUnary" && isConstant(expression.operand) ? true : null;
  }
  if (command.type !== "Command" || command.name === undefined) return null;
  const name = command.name.value.slice(command.name.value.lastIndexOf("/") + 1);
  const [first, ...rest] = command.args;
  if (name === "[" || name === "test")
    return first?.type === "Word" && isConstant(first) && rest.length <= 1 ? true : null;
  return name === "true" || name === ":" ? true : name === "false" ? false : null;
}

/** True if a word is a text that is not empty, whatever its quotes. */
const isConstant = ({ text, value }: Word): boolean => !/[$`]/.test(text) && /^\w+$/.test(value);

function leavesJob({ command, background }: Statement): boolean {
  if (background === true) return true;
  return (command.type === "Subshell" || command.type === "BraceGroup") && hasJobsOnly(command.body);
}

const hasJobsOnly = ({ commands }: CompoundList): boolean => commands.length > 0 && commands.every(leavesJob);
