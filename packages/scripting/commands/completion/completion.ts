import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine, Commands } from "../../../../src/cli/command-table.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { readBundled } from "../../../../src/fs/read-bundled.ts";
import { fail } from "../../../../src/protocol/result.ts";
import { nearest } from "../../../../src/protocol/text/nearest.ts";
import { isPathArgument } from "../../../../src/protocol/text/shell-quote.ts";
import { bashReply, readBashLine } from "../../bash-line.ts";
import { type Candidate, type Expected, expectedAt } from "../../completion.ts";
import { valuesAt } from "./values.ts";

/**
 * `assets/completion.SHELL` calls the hookctl on the PATH for candidates. The first line of the answer has the mode:
 * `nospace` or `space`, then `files`, `folders` or `none`, then the number of characters before the path. A hookctl on a
 * relative PATH is not run, because it may be in a project.
 */
const SHELLS = ["bash", "zsh", "fish"] as const;

/** `hookctl completion SHELL`: prints the script; with the words of a command line, the candidates for the last one. */
export async function completion(
  { args }: CommandLine<"completion">,
  host: Host,
  commands: Commands,
): Promise<CommandResult> {
  const [name = "", ...words] = args;
  const shell = SHELLS.find((one) => one === name);
  if (shell === undefined) {
    const detail = `completion: unknown shell ${JSON.stringify(name)}: ${SHELLS.join(", ")}.`;
    return fail({
      code: "USAGE_WRONG_WORDS",
      detail,
      tryThis: `hookctl completion ${nearest(name, SHELLS) ?? "bash"}`,
    });
  }
  if (words.length === 0) return print(readBundled(`assets/completion.${shell}`), host);
  return print(await (shell === "bash" ? bashAnswer : tabbedAnswer)(words, host, commands), host);
}

/** bash passes its line up to the cursor, and the end of it that the reply replaces. */
async function bashAnswer(
  [text = "", replaced = ""]: readonly string[],
  host: Host,
  commands: Commands,
): Promise<string> {
  const { words, current, isRedirected } = readBashLine(text);
  if (isRedirected) return answer("space", "files 0", []);
  const expected = expectedAt(words.slice(1), current.text, commands);
  const fitting = (await valuesAt(expected, host)).filter(({ value }) => value.startsWith(current.text));
  const replies = fitting.flatMap((one) => bashReply(one, current, replaced) ?? []);
  return answer(spaceAfter(fitting), pathsAt(expected), replies);
}

/** zsh and fish pass unquoted words and quote the result: `value TAB description`. */
async function tabbedAnswer(words: readonly string[], host: Host, commands: Commands): Promise<string> {
  const expected = expectedAt(words.slice(1, -1), words.at(-1) ?? "", commands);
  const found = await valuesAt(expected, host);
  const lines = found.map(({ value, about }) => (about === "" ? value : `${value}\t${about}`));
  return answer(spaceAfter(found), pathsAt(expected), lines);
}

const answer = (space: string, paths: string, lines: readonly string[]): string =>
  [`${space} ${paths}`, ...lines].map((line) => `${line}\n`).join("");

/** A name before `=` is not a complete word. */
const spaceAfter = (found: readonly Candidate[]): string =>
  found.length > 0 && found.every(({ value }) => value.endsWith("=")) ? "nospace" : "space";

/** Whether a path is allowed here, and after how many characters. */
function pathsAt({ sources, prefix, typed }: Expected): string {
  const equals = sources.includes("report") ? typed.indexOf("=") + 1 : 0;
  const at = prefix.length + equals;
  if (sources.includes("folder")) return `folders ${at}`;
  const isPath = sources.includes("file") || equals > 0 || (sources.includes("hook") && isPathArgument(typed));
  return isPath ? `files ${at}` : "none 0";
}
