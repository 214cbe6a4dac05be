import { namesIn, tableOf } from "../../../src/protocol/json/table.ts";
import { ownValue } from "../../../src/protocol/own-value.ts";
import { UNKNOWN } from "../../../src/shell/unknown.ts";
import type { Call, Word } from "../command/call.ts";
import { rowFinder } from "../command/named-rows.ts";
import { CURL, type OptionSpec, type ParsedOption, parseOptions, WGET } from "../command/options.ts";
import { ownArgumentsOf } from "../command/started/wrappers.ts";
import { commandTarget } from "../effects/target-names.ts";
import type { Finding, Guard } from "../guard.ts";

/** A rule of a guard. Without forms it is judged by code, which may also give the decision and the effect. */
export interface Rule {
  readonly about: string;
  readonly decision?: Finding["decision"];
  readonly effect?: string;
  readonly instead: string;
  /** The forms of command lines that it stops (`hasForm`), by the names of the programs, separated by spaces. */
  readonly forms?: Forms;
  /** Commands for the tests of the rule. */
  readonly examples?: { readonly stopped: readonly string[]; readonly allowed: readonly string[] };
}

type Forms = Readonly<Record<string, readonly string[]>>;

/** The file `rules.json` of a guard. */
export interface RuleTable<Name extends string> extends Pick<Guard, "name" | "about"> {
  readonly programs: string;
  /** The names of rules whose block no repetition makes a question. */
  readonly staysBlocked?: string;
  /** How programs read their arguments, by their names. */
  readonly grammars?: Readonly<Record<string, Grammar>>;
  /** Forms of command lines that change nothing, so that no form of a rule applies: a dry run, a list, another server. */
  readonly harmless?: Forms;
  readonly rules: Readonly<Record<Name, Rule>>;
}

/** What code adds to a rule, or replaces in it. */
type Details = Partial<Pick<Finding, "decision" | "effect" | "instead" | "isUnknown" | "targets">>;

export interface Rules<Name extends string = string> {
  /** The guard without its functions. */
  readonly guard: Guard;
  readonly find: (rule: Name, part: string, details?: Details) => Finding;
  /** The command line of a call, read by the grammar of its program. */
  readonly lineOf: (call: Call) => CommandLine;
  /** True if the call changes nothing. */
  readonly isHarmless: (line: CommandLine, program: string) => boolean;
  /** The finding of the first rule with a form that the call has. */
  readonly judgeByForm: (call: Call) => Finding | null;
}

/** The rules of a table. Its type is known by the names of the rules in the JSON file. */
export function readRules<Name extends string>(json: { readonly rules: Readonly<Record<Name, unknown>> }): Rules<Name> {
  const {
    name,
    about,
    programs,
    rules,
    staysBlocked = "",
    grammars = {},
    harmless = {},
  } = tableOf<RuleTable<Name>>(json);
  const names: Name[] = [];
  for (const rule in rules) names.push(rule);
  const finders = names.map((rule) => ({ rule, formsOf: rowFinder(rules[rule].forms ?? {}) }));
  const grammarOf = rowFinder<Grammar>({ ...TRANSFER_GRAMMARS, ...grammars });
  const harmlessOf = rowFinder(harmless);

  const find = (rule: Name, part: string, details: Details = {}): Finding => {
    const { decision = "block", effect = "", instead } = rules[rule];
    return { rule, decision, part, effect, instead, ...details };
  };
  const lineOf = (call: Call): CommandLine => readCommandLine(call, grammarOf(call.program) ?? {});
  const isHarmless = (line: CommandLine, program: string): boolean =>
    isTrialRun(line) || (harmlessOf(program) ?? []).some((form) => hasForm(withoutUnknown(line), form));
  const judgeByForm = (call: Call): Finding | null => {
    const rows = finders.flatMap(({ rule, formsOf }) => (formsOf(call.program) ?? []).map((form) => ({ rule, form })));
    if (rows.length === 0) return null;
    const line = lineOf(call);
    if (isHarmless(line, call.program)) return null;
    const ruleOf = (read: CommandLine): Name | undefined => rows.find(({ form }) => hasForm(read, form))?.rule;
    const found = (rule: Name, details: Details = {}): Finding => {
      const targets = [commandTarget(familyOf(call.program, rules[rule]), line, call)];
      return find(rule, call.source, { targets, ...details });
    };
    const surely = withoutUnknown(line);
    const known = ruleOf(surely);
    if (known !== undefined) return found(known);
    const possible = surely.options.length === line.options.length ? undefined : ruleOf(line);
    return possible === undefined ? null : found(possible, { decision: "ask", isUnknown: true });
  };
  const descriptions = Object.fromEntries(names.map((rule) => [rule, rules[rule].about]));
  const decisions = Object.fromEntries(names.map((rule) => [rule, rules[rule].decision ?? null]));
  const guard = {
    ...{ name, about, rules: descriptions, decisions },
    staysBlocked: namesIn(staysBlocked),
    programs: namesIn(programs),
  };
  return { guard, find, lineOf, isHarmless, judgeByForm };
}

/** The first of the programs that share the forms of a rule, which stands for all of them. */
const familyOf = (program: string, { forms = {} }: Rule): string =>
  Object.keys(forms)
    .map(namesIn)
    .find((names) => names.includes(program))?.[0] ?? program;

/** A call and the wrappers around it, innermost first: their redirections and their place in a pipe are its own. */
function withWrappers(call: Call): readonly Call[] {
  const { parent } = call;
  return parent?.relation === "wrapper" ? [call, ...withWrappers(parent.call)] : [call];
}

export const redirectionsOf = (call: Call): Call["redirections"] =>
  withWrappers(call).flatMap(({ redirections }) => redirections);

/** The text of a call and its wrappers, which contains the redirections of descriptors. */
export const fullSource = (call: Call): string => withWrappers(call).at(-1)?.source ?? call.source;

const TRANSFER_GRAMMARS = { curl: CURL, wget: WGET };

/** How a program reads its arguments. */
export interface Grammar
  extends Pick<OptionSpec, "values" | "flags" | "hasSingleDash" | "hasSignals" | "endsAtOperand"> {
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
  readonly variables: Call["variables"];
  readonly isRemote: boolean;
  /** The texts that it may read from its input, as far as they are known; null without an input of its own. */
  readonly inputs: readonly string[] | null;
}

interface Operand {
  readonly word: Word;
  /** True if it follows an option that may take it. */
  readonly mayBeValue: boolean;
  readonly isAfterDashes: boolean;
}

/** Reads the arguments of a program. Those of a program that it starts are operands. */
export function readCommandLine(call: Pick<Call, "program" | "args"> & Partial<Call>, grammar: Grammar): CommandLine {
  const { variables = new Map(), isRemote = false, input = { kind: "none" } } = call;
  const { commandValues, abbreviates = false, ...spec } = grammar;
  const rest = { abbreviates, variables, isRemote, inputs: inputTexts(input) };
  const end = ownArgumentsOf(call);
  const args = call.args.slice(0, end);
  const inner = call.args.slice(end).map((word) => ({ word, mayBeValue: false, isAfterDashes: false }));
  if (commandValues === undefined) {
    const { options, operands } = parseOptions(args, spec);
    return { operands: [...operandsOf(operands, args, true), ...inner], options, ...rest };
  }
  const own = parseOptions(args, { ...spec, endsAtOperand: true });
  const [command, ...words] = own.operands;
  if (command === undefined) return { operands: [], options: own.options, ...rest };
  // `--force` is no abbreviation of `--force-create`.
  const flags = "--force";
  const { options, operands } = parseOptions(words, { values: ownValue(commandValues, command.text) ?? "", flags });
  return {
    operands: [
      { word: command, mayBeValue: false, isAfterDashes: false },
      ...operandsOf(operands, words, false),
      ...inner,
    ],
    options: [...own.options, ...options],
    ...rest,
  };
}

/**
 * The text of a here-document, or what the programs before in the pipeline were given to print; null without an input. Of
 * a long pipeline the programs further away are not looked at, so that the time grows with the length alone.
 */
export function inputTexts(input: Call["input"], most = 8): CommandLine["inputs"] {
  if (input.kind === "text") return [input.text];
  if (input.kind !== "pipe") return input.kind === "file" ? [] : null;
  if (most === 0) return [];
  return input.from.flatMap(({ program, args, input: before }) => {
    const words = args.map(({ text }) => text);
    return program === "echo" || program === "printf"
      ? [words.join(" "), ...words]
      : (inputTexts(before, most - 1) ?? []);
  });
}

function operandsOf(operands: readonly Word[], args: readonly Word[], mayTakeValues: boolean): readonly Operand[] {
  const dashes = args.findIndex(({ text }) => text === "--");
  const places = new Map(args.map((word, at) => [word, at]));
  return operands.map((word) => {
    const at = places.get(word) ?? -1;
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
  const [, long = wanted, only] = /^([^=]*)=(.*)$/s.exec(wanted) ?? [];
  if (only !== undefined && !isLike(value?.text ?? "", only)) return false;
  const unknown = name.indexOf(UNKNOWN);
  // `-$PID` is the number of a process or of a group, and not just -1.
  if (unknown >= 0 && /^-\d+$/.test(wanted)) return false;
  if (unknown >= 0) return long.startsWith(name.slice(0, unknown)) && long.startsWith("--") === name.startsWith("--");
  return name === long || (abbreviates && /^--./.test(name) && long.startsWith(name));
}

/** Matches a pattern in which `*` is at least one character, and `[*]` an asterisk. */
function isLike(text: string, pattern: string): boolean {
  if (pattern === "[*]") return text === "*";
  const [head = "", ...parts] = pattern.split("*");
  const tail = parts.pop();
  if (tail === undefined) return text === pattern;
  if (!text.startsWith(head) || !text.endsWith(tail)) return false;
  let at = head.length;
  for (const part of parts) {
    const found = text.indexOf(part, at + 1);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at < text.length - tail.length;
}

/**
 * True if a command line is of a form such as `branch -D|--delete !--dry-run`: operands that it begins with (`*` any one, `**`
 * up to five, `a|b` one of them, `--` followed by an operand, `;` no more), options that it has and, after `!`, that it does
 * not have, variables that are set for it (`$NAME=value`), `@remote` for a command on another machine or in a container, and
 * `@input` for one with an input of its own, of which a text is like `@input=text`.
 */
export function hasForm(line: CommandLine, form: string): boolean {
  const { words, others } = knownForms.get(form) ?? readForm(form);
  return begins(line.operands, words) && others.every((token) => hasToken(line, token));
}

/** The parts of a form: what operands are compared with, and all else. */
interface Form {
  readonly words: readonly string[];
  readonly others: readonly string[];
}

/** Forms are compared with each call, and there are no others than those of the tables. */
const knownForms = new Map<string, Form>();

function readForm(form: string): Form {
  const tokens = form.split(" ").filter((token) => token !== "");
  const dashes = tokens.indexOf("--");
  const isWordToken = (token: string, at: number): boolean =>
    (dashes >= 0 && at >= dashes) || !/^(?:!?-.|\$|@(?:remote|input)(?:=|$))/.test(token);
  const words = tokens.filter(isWordToken);
  const others = tokens.filter((token, at) => !isWordToken(token, at));
  knownForms.set(form, { words, others });
  return { words, others };
}

function hasToken(line: CommandLine, token: string): boolean {
  if (token === "@remote") return line.isRemote;
  if (token === "@input") return line.inputs !== null;
  if (token.startsWith("@input=")) {
    const patterns = token.slice("@input=".length).split("|");
    return line.inputs?.some((text) => patterns.some((one) => isLike(text.trim(), one))) === true;
  }
  const [, name = "", value = ""] = /^\$(\w+)=(.*)$/.exec(token) ?? [];
  if (name !== "") return value.split("|").some((one) => isLike(line.variables.get(name) ?? "", one));
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
  if (token === ";") return operands.length === 0;
  if (token === "--") return operands.some(({ isAfterDashes }) => isAfterDashes) && begins(operands, rest);
  if (token === "**") return operands.slice(0, MOST_SKIPPED + 1).some((_, at) => begins(operands.slice(at), rest));
  const [operand, ...others] = operands;
  if (operand === undefined) return false;
  if (operand.mayBeValue && begins(others, [token, ...rest])) return true;
  return token.split("|").some((one) => isWord(operand.word.text, one)) && begins(others, rest);
}

const isWord = (text: string, pattern: string): boolean =>
  pattern === "*" || (!text.startsWith(UNKNOWN) && isLike(text, pattern));

/** True if it only prints what would happen, its help, or its version. */
export function isTrialRun(line: CommandLine): boolean {
  if (line.options.some(({ name }) => name === "--help")) return true;
  if (line.operands.length === 0 && line.options[0]?.name === "--version") return true;
  const last = line.options.findLast(({ name }) => isTrial(name, line.abbreviates) || name === "--no-dry-run");
  return last !== undefined && last.name !== "--no-dry-run" && !isOff(last.value);
}

const isTrial = (name: string, abbreviates: boolean): boolean =>
  /^--?dry-?run$|^--?what-?if$/i.test(name) || (abbreviates && name.length > 4 && "--dry-run".startsWith(name));

const isOff = (value: Word | null): boolean => value !== null && /^\$?(?:none|false|no|0)$/i.test(value.text);
