import { namesIn } from "../../../src/protocol/json/table.ts";
import { ownValue } from "../../../src/protocol/own-value.ts";
import { UNKNOWN } from "../../../src/shell/unknown.ts";
import type { Word } from "../command/call.ts";
import { type OptionSpec, type ParsedOption, parseOptions } from "../command/options.ts";

/** How a program reads its arguments. */
export interface Grammar extends Pick<OptionSpec, "values" | "hasSingleDash"> {
  /** Options of its subcommands that take the next word. If given, no other option does. */
  readonly commandValues?: Readonly<Record<string, string>>;
  /** True if long options may be abbreviated. */
  readonly abbreviates?: true;
}

/** The arguments of a program, read by its grammar. */
export interface CommandLine {
  readonly operands: readonly Operand[];
  readonly options: readonly ParsedOption[];
  readonly abbreviates: boolean;
}

export interface Operand {
  readonly word: Word;
  /** True if it follows an option that may take it. */
  readonly mayBeValue: boolean;
  readonly isAfterDashes: boolean;
}

export function readCommandLine(args: readonly Word[], grammar: Grammar): CommandLine {
  const { values = "", commandValues, abbreviates = false, hasSingleDash = false } = grammar;
  if (commandValues === undefined) {
    const { options, operands } = parseOptions(args, { values, hasSingleDash });
    return { operands: operandsOf(operands, args, true), options, abbreviates };
  }
  const own = parseOptions(args, { values, endsAtOperand: true });
  const [command, ...rest] = own.operands;
  if (command === undefined) return { operands: [], options: own.options, abbreviates };
  // `--force` is no abbreviation of `--force-create`.
  const spec = { values: ownValue(commandValues, command.text) ?? "", flags: "--force" };
  const { options, operands } = parseOptions(rest, spec);
  return {
    operands: [{ word: command, mayBeValue: false, isAfterDashes: false }, ...operandsOf(operands, rest, false)],
    options: [...own.options, ...options],
    abbreviates,
  };
}

function operandsOf(operands: readonly Word[], args: readonly Word[], mayTakeValues: boolean): readonly Operand[] {
  const dashes = args.findIndex(({ text }) => text === "--");
  return operands.map((word) => {
    const at = args.indexOf(word);
    const before = args[at - 1]?.text ?? "";
    const isAfterDashes = dashes >= 0 && at > dashes;
    return { word, isAfterDashes, mayBeValue: mayTakeValues && !isAfterDashes && /^-[^=]+$/.test(before) };
  });
}

/** True if it has one of the options, which mean the same: `--force -f`, `--prune=now`. A later `--no-force` takes it back. */
export const hasOption = (line: CommandLine, names: string): boolean => hasOneOf(line, namesIn(names));

function hasOneOf({ options, abbreviates }: CommandLine, wanted: readonly string[]): boolean {
  const last = options.findLast(({ name, value }) =>
    wanted.some((one) => isNegation(name, one) || isOption({ name, value }, one, abbreviates)),
  );
  return last !== undefined && !wanted.some((one) => isNegation(last.name, one));
}

const isNegation = (name: string, wanted: string): boolean =>
  wanted.startsWith("--") && name === `--no-${wanted.slice(2).replace(/=.*$/s, "")}`;

/** A part of a name that is known only at run time may be anything: `--$X`, `-d$X`. */
function isOption(
  { name, value }: Pick<ParsedOption, "name" | "value">,
  wanted: string,
  abbreviates: boolean,
): boolean {
  const [long = wanted, only] = wanted.split("=");
  if (only !== undefined && !isLike(value?.text ?? "", only)) return false;
  const unknown = name.indexOf(UNKNOWN);
  if (unknown >= 0) return long.startsWith(name.slice(0, unknown)) && long.startsWith("--") === name.startsWith("--");
  return name === long || (abbreviates && /^--./.test(name) && long.startsWith(name));
}

/** Matches a pattern in which `*` is at least one character. */
function isLike(text: string, pattern: string): boolean {
  const [head = "", tail] = pattern.split("*");
  if (tail === undefined) return text === pattern;
  return text.length > head.length + tail.length && text.startsWith(head) && text.endsWith(tail);
}

/**
 * True if a command line is of a form such as `branch -D|--delete !--dry-run`: operands that it begins with (`*` any one, `**`
 * up to five, `a|b` one of them, `--` followed by an operand), options that it has and, after `!`, that it does not have.
 */
export function hasForm(line: CommandLine, form: string): boolean {
  const tokens = form.split(" ").filter((token) => token !== "");
  const words = tokens.filter((token) => !isOptionToken(token));
  return tokens.every((token) => !isOptionToken(token) || hasOptionToken(line, token)) && begins(line.operands, words);
}

const isOptionToken = (token: string): boolean => token !== "--" && /^!?-/.test(token);

function hasOptionToken(line: CommandLine, token: string): boolean {
  if (!token.startsWith("!")) return hasOneOf(line, token.split("|"));
  return !hasOneOf(withoutUnknown(line), token.slice(1).split("|"));
}

/** The command line without options that are known only at run time. */
export const withoutUnknown = (line: CommandLine): CommandLine => ({
  ...line,
  options: line.options.filter(({ name }) => !name.includes(UNKNOWN)),
});

const MOST_SKIPPED = 5;

function begins(operands: readonly Operand[], [token, ...rest]: readonly string[]): boolean {
  if (token === undefined) return true;
  if (token === "--") return operands.some(({ isAfterDashes }) => isAfterDashes) && begins(operands, rest);
  if (token === "**") return operands.slice(0, MOST_SKIPPED + 1).some((_, at) => begins(operands.slice(at), rest));
  const [operand, ...others] = operands;
  if (operand === undefined) return false;
  if (operand.mayBeValue && begins(others, [token, ...rest])) return true;
  return token.split("|").some((one) => isWord(operand.word.text, one)) && begins(others, rest);
}

const isWord = (text: string, pattern: string): boolean =>
  pattern === "*" || (!text.startsWith(UNKNOWN) && isLike(text, pattern));

/** True if it only prints what would happen, or its help. */
export function isHarmless(line: CommandLine): boolean {
  if (line.options.some(({ name }) => name === "--help")) return true;
  const last = line.options.findLast(({ name }) => isTrial(name, line.abbreviates) || name === "--no-dry-run");
  return last !== undefined && last.name !== "--no-dry-run" && !isOff(last.value);
}

const isTrial = (name: string, abbreviates: boolean): boolean =>
  /^--?dry-?run$|^--what-?if$/.test(name) || (abbreviates && name.length > 4 && "--dry-run".startsWith(name));

const isOff = (value: Word | null): boolean => value !== null && /^(?:none|false|no|0)$/i.test(value.text);
