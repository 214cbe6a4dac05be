import type { ArithmeticFor, CompoundList, Statement, While } from "unbash";

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
    return expression.type === "TestUnary" && /^\w+$/.test(expression.operand.text) ? true : null;
  }
  if (command.type !== "Command" || command.name === undefined) return null;
  const name = command.name.value.slice(command.name.value.lastIndexOf("/") + 1);
  const words = command.args.map((one) => (one.type === "Word" ? one.text : ""));
  if (name === "[" || name === "test") return /^\w+$/.test(words[0] ?? "") && words.length <= 2 ? true : null;
  return name === "true" || name === ":" ? true : name === "false" ? false : null;
}

function leavesJob({ command, background }: Statement): boolean {
  if (background === true) return true;
  return (command.type === "Subshell" || command.type === "BraceGroup") && hasJobsOnly(command.body);
}

const hasJobsOnly = ({ commands }: CompoundList): boolean => commands.length > 0 && commands.every(leavesJob);
