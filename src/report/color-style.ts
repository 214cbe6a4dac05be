import { Chalk } from "chalk";
import type { Style } from "./text-style.ts";

/** Colours for a person at a terminal; loaded only then. */
export function colorStyle(): Omit<Style, "breakCode"> {
  const chalk = new Chalk({ level: 1 });
  return { bad: chalk.red, good: chalk.green, warn: chalk.yellow, faint: chalk.dim, strong: chalk.bold };
}
