import { namesIn, tableOf } from "../../../src/protocol/json/table.ts";
import { ownValue } from "../../../src/protocol/own-value.ts";
import { UNKNOWN } from "../../../src/shell/unknown.ts";
import type { Call, Word } from "../command/call.ts";
import { rowFinder } from "../command/named-rows.ts";
import { type OptionSpec, type ParsedOption, parseOptions } from "../command/options.ts";
import type { Finding, Guard } from "../guard.ts";

/** A rule of a guard. Without forms it is judged by code, which may also give the decision and the effect. */
interface Rule {
  readonly about: string;
  readonly decision?: Finding["decision"];
  readonly effect?: string;
  readonly instead: string;
  /** The forms of command lines that it stops (`hasForm`), by the names of the programs, separated by spaces. */
  readonly forms?: Readonly<Record<string, readonly string[]>>;
}

/** The file `rules.json` of a guard. */
interface RuleTable<Name extends string> extends Pick<Guard, "name" | "about"> {
  readonly programs: string;
  /** How programs read their arguments, by their names. */
  readonly grammars?: Readonly<Record<string, Grammar>>;
  readonly rules: Readonly<Record<Name, Rule>>;
}

/** What code adds to a rule, or replaces in it. */
type Details = Partial<Pick<Finding, "decision" | "effect" | "instead" | "isUnknown">>;

export interface Rules<Name extends string = string> {
  /** The guard without its functions. */
  readonly guard: Guard;
  readonly find: (rule: Name, part: string, details?: Details) => Finding;
  /** The command line of a call, read by the grammar of its program. */
  readonly lineOf: (call: Call) => CommandLine;
  /** The finding of the first rule with a form that the call has. */
  readonly judgeByForm: (call: Call) => Finding | null;
}

/** The rules of a table. Its type is known by the names of the rules in the JSON file. */
export function readRules<Name extends string>(json: { readonly rules: Readonly<Record<Name, unknown>> }): Rules<Name> {
  const { name, about, programs, rules, grammars = {} } = tableOf<RuleTable<Name>>(json);
  const names: Name[] = [];
  for (const rule in rules) names.push(rule);
  const finders = names.map((rule) => ({ rule, formsOf: rowFinder(rules[rule].forms ?? {}) }));
  const grammarOf = rowFinder(grammars);

  const find = (rule: Name, part: string, details: Details = {}): Finding => {
    const { decision = "block", effect = "", instead } = rules[rule];
    return { rule, decision, part, effect, instead, ...details };
  };
  const lineOf = ({ program, args }: Call): CommandLine => readCommandLine(args, grammarOf(program) ?? {});
  const judgeByForm = (call: Call): Finding | null => {
    const rows = finders.flatMap(({ rule, formsOf }) => (formsOf(call.program) ?? []).map((form) => ({ rule, form })));
    if (rows.length === 0) return null;
    const line = lineOf(call);
    if (isHarmless(line)) return null;
    const ruleOf = (read: CommandLine): Name | undefined => rows.find(({ form }) => hasForm(read, form))?.rule;
    const surely = withoutUnknown(line);
    const known = ruleOf(surely);
    if (known !== undefined) return find(known, call.source);
    const possible = surely.options.length === line.options.length ? undefined : ruleOf(line);
    return possible === undefined ? null : find(possible, call.source, { decision: "ask", isUnknown: true });
  };
  const descriptions = Object.fromEntries(names.map((rule) => [rule, rules[rule].about]));
  const decisions = Object.fromEntries(names.map((rule) => [rule, rules[rule].decision ?? null]));
  return {
    guard: { name, about, rules: descriptions, decisions, programs: namesIn(programs) },
    find,
    lineOf,
    judgeByForm,
  };
}

/** A call and the wrappers around it, innermost first: their redirections and their place in a pipe are its own. */
function withWrappers(call: Call): readonly Call[] {
  const { parent } = call;
  return parent?.relation === "wrapper" ? [call, ...withWrappers(parent.call)] : [call];
}

export const redirectionsOf = (call: Call): Call["redirections"] =>
  withWrappers(call).flatMap(({ redirections }) => redirections);

/** The text of a call and its wrappers, which contains the redirections of descriptors. */
export const fullSource = (call: Call): string => withWrappers(call).at(-1)?.source ?? call.source;

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

interface Operand {
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
const withoutUnknown = (line: CommandLine): CommandLine => ({
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
