import type { WordPart } from "unbash";
import { fail, ok, type Result } from "../protocol/result.ts";
import { parseShell } from "./load-parser.ts";

interface SimpleCommand {
  readonly program: string;
  /** True if it sets variables or has redirections. */
  readonly hasMore: boolean;
}

/** Reads a text that is one simple command, all of whose words are known before it runs. The error says why it is none. */
export function readSimpleCommand(text: string): Result<SimpleCommand, string> {
  const { commands, errors = [] } = parseShell(text);
  const [error] = errors;
  if (error !== undefined) return fail(`is not a command: ${error.message}`);
  const [statement, ...others] = commands;
  const command = statement?.command;
  if (statement === undefined || others.length > 0 || command?.type !== "Command" || statement.background === true)
    return fail("is not one simple command: write a rule for each command");
  const { name, prefix, suffix, redirects } = command;
  if (name === undefined) return fail("names no program");
  const unknown = [name, ...suffix].find((word) => "parts" in word && word.parts?.some(isUnknown) === true);
  if (unknown !== undefined) return fail(`has a part without a value: ${text.slice(unknown.pos, unknown.end)}`);
  return ok({ program: name.text, hasMore: prefix.length + redirects.length > 0 });
}

/** True if the value is known only at run time; the home directory is known. */
function isUnknown(part: WordPart): boolean {
  if (part.type === "DoubleQuoted") return part.parts.some(isUnknown);
  return /Expansion$/.test(part.type) && part.type !== "BraceExpansion" && !/^\$(?:HOME|\{HOME\})$/.test(part.text);
}
