import { globMatches } from "../../../../src/protocol/match.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import { analyzeCommand } from "../../command/analyze.ts";
import type { Call, CommandPlace, Word } from "../../command/call.ts";
import { resolvePath } from "../../command/paths.ts";
import { isNamed, type Line, type Operand, type Option, type Reading, readingsOf, readLine } from "./command-line.ts";

/** The text of a rule about commands, ready to be compared. */
export interface CommandPattern {
  readonly call: Call;
  /** True if it ends with ` *`. */
  readonly isOpen: boolean;
  readonly reading: Reading;
  /** True if a word such as `-name` is one option, as far as the program is not known. */
  readonly isLong: boolean;
}

const MOST_KNOWN = 1_000;
const known = new Map<string, CommandPattern | null>();

/** Reads a pattern; null if it names no program. The settings were checked before. */
export function readPattern(text: string, place: CommandPlace): CommandPattern | null {
  const variables = text.includes("$") ? JSON.stringify(place.variables) : "";
  const key = [place.project, place.home, variables, text].join("\0");
  const before = known.get(key);
  if (before !== undefined) return before;
  const isOpen = /\s\*\s*$/.test(text);
  const { calls } = analyzeCommand(isOpen ? text.replace(/\s\*\s*$/, "") : text, { ...place, folder: place.project });
  const [call] = calls.filter(({ parent, program }) => parent === null && program !== "");
  const pattern = call === undefined ? null : patternOf(call, isOpen);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, pattern);
  return pattern;
}

function patternOf(call: Call, isOpen: boolean): CommandPattern {
  // A file that an interpreter runs is part of the pattern's text, and not another name for it.
  const reading = readingsOf({ program: call.program, args: call.args }).at(-1) ?? call;
  return { call, isOpen, reading, isLong: call.args.some(({ text }) => /^-[a-z][\w-]{3,}/i.test(text)) };
}

/** `surely`: the call is one that the pattern means; `perhaps`: it may be one at run time. */
export type Fit = "surely" | "perhaps" | null;

/**
 * Compares a call with a pattern that covers more than its text: further options, and further operands after the named ones.
 */
export function coveredBy(pattern: CommandPattern, call: Call): Fit {
  let fit: Fit = null;
  for (const { program, args } of readingsOf(call)) {
    const named = programFit(pattern, program);
    if (named === null) continue;
    const line = readLine(named === "surely" ? program : pattern.reading.program, args, pattern.isLong);
    const wanted = variantsOf(readLine(pattern.reading.program, pattern.reading.args, pattern.isLong));
    const fits = (isSure: boolean): boolean => wanted.some((one) => covers(one, line, { pattern, call, isSure }));
    if (named === "surely" && fits(true)) return "surely";
    if (named === "surely" ? fits(false) : wanted.some((one) => hasKnownWord(one, line)) && fits(false))
      fit = "perhaps";
  }
  return fit;
}

function programFit({ call, reading }: CommandPattern, program: string): Fit {
  if (call.name.isGlob ? globMatches(call.program, program) : reading.program === program) return "surely";
  return program.includes(UNKNOWN) && globMatches(asGlob(program), reading.program) ? "perhaps" : null;
}

const asGlob = (text: string): string => text.replaceAll(UNKNOWN, "*");

/** A program that is not known may be the one of a rule if a word of the rule is there. */
const hasKnownWord = (wanted: Line, { operands, options }: Line): boolean =>
  wanted.operands.some(({ word }) => !word.isGlob && operands[0]?.word.text === word.text) ||
  wanted.options.some(({ name }) => options.some((one) => one.name === name));

/** The word after an option that is not known may be its value. */
function variantsOf(wanted: Line): readonly Line[] {
  if (!wanted.operands.some(({ mayBeValue }) => mayBeValue)) return [wanted];
  const options = wanted.options.map((one) => ({ ...one, value: one.value ?? one.next }));
  const rest = (operands: readonly Operand[]) => operands.filter(({ mayBeValue }) => !mayBeValue);
  return [wanted, { ...wanted, options, operands: rest(wanted.operands), usual: rest(wanted.usual) }];
}

interface Comparison {
  readonly pattern: CommandPattern;
  readonly call: Call;
  readonly isSure: boolean;
}

function covers(wanted: Line, line: Line, comparison: Comparison): boolean {
  if (!wanted.options.every((option) => hasOption(line, option, comparison))) return false;
  return (
    begins(line.operands, wanted.operands, comparison) ||
    startsOf(line.operands, comparison).some((start) =>
      begins(start === 0 ? line.usual : usualFrom(line, start), wanted.usual, comparison),
    )
  );
}

/** The operands at which the subcommand may begin: a word before it may be the value of an option. */
function startsOf(operands: readonly Operand[], { isSure }: Comparison): readonly number[] {
  const isSkipped = ({ word, mayBeValue }: Operand): boolean => mayBeValue || (!isSure && word.text.includes(UNKNOWN));
  const end = operands.findIndex((operand) => !isSkipped(operand));
  return Array.from({ length: (end === -1 ? operands.length : end) + 1 }, (_, at) => at);
}

const usualFrom = ({ program, operands }: Line, start: number): readonly Operand[] =>
  readLine(
    program,
    operands.slice(start).map(({ word }) => word),
  ).usual;

function begins(operands: readonly Operand[], wanted: readonly Operand[], comparison: Comparison): boolean {
  const [first, ...rest] = wanted;
  if (first === undefined) return true;
  const [operand, ...others] = operands;
  if (operand === undefined) return false;
  const isSkipped = operand.mayBeValue || (!comparison.isSure && operand.word.text.includes(UNKNOWN));
  if (isSkipped && begins(others, wanted, comparison)) return true;
  return wordFits(first.word, operand.word, comparison) && begins(others, rest, comparison);
}

function hasOption({ program, options, abbreviates }: Line, wanted: Option, comparison: Comparison): boolean {
  const isSame = (name: string): boolean =>
    name === wanted.name ||
    (abbreviates && /^--.../.test(name) && wanted.name.startsWith(name) && !isNamed(program, name)) ||
    (!comparison.isSure && /^-.*\0/s.test(name) && globMatches(asGlob(name), wanted.name));
  const negated = wanted.name.replace(/^--/, "--no-");
  const last = options.findLast(({ name }) => isSame(name) || (name !== wanted.name && name === negated));
  if (last === undefined || !isSame(last.name)) return false;
  if (wanted.value === null) return !/^(?:false|no|0)$/i.test(last.value?.text ?? "");
  const { value } = wanted;
  return options.some(({ name, ...one }) => {
    const given = one.value ?? one.next;
    return isSame(name) && given !== null && wordFits(value, given, comparison);
  });
}

/** True if a word is the one of the pattern, or may be it at run time if that is enough. */
function wordFits(wanted: Word, { text, isGlob, ...word }: Word, { pattern, call, isSure }: Comparison): boolean {
  if (wanted.isGlob ? globMatches(wanted.text, text) : wanted.text === text && !isGlob) return true;
  const given = { ...word, text, isGlob };
  const isPath = !wanted.isGlob && /[/~]/.test(wanted.source) && !/:\/\//.test(wanted.text) && !text.startsWith("-");
  if (isPath && resolvePath(given, call) === resolvePath(wanted, pattern.call)) return true;
  return !isSure && (isGlob || text.includes(UNKNOWN)) && globMatches(asGlob(text), wanted.text);
}

/** True if the call is one that a rule takes out: with ` *` at the end it may have more options, but none before its subcommand. */
export function isExcepted(pattern: CommandPattern, call: Call): boolean {
  if (!pattern.isOpen) return isExactly(pattern, call);
  if (coveredBy(pattern, call) !== "surely") return false;
  const line = readLine(pattern.reading.program, call.args, pattern.isLong);
  const wanted = readLine(pattern.reading.program, pattern.reading.args, pattern.isLong);
  const first = line.operands[0]?.at ?? -1;
  return line.options.every(({ at, name }) => at > first || wanted.options.some((one) => one.name === name));
}

/**
 * True if a call has the words of the pattern, all of them, and no others unless the pattern is open. Options of a known program
 * may be in any order and spelling.
 */
export function isExactly(pattern: CommandPattern, call: Call): boolean {
  if (call.program !== pattern.call.program) return false;
  const given = wordsOf(readLine(call.program, call.args, pattern.isLong));
  const line = readLine(pattern.call.program, pattern.call.args, pattern.isLong);
  const wanted = wordsOf(line);
  if (pattern.isOpen ? given.length < wanted.length : given.length !== wanted.length) return false;
  const own = given.slice(0, wanted.length);
  const isInOrder = (kind: readonly Token[], other: readonly Token[]): boolean =>
    kind.length === other.length && kind.every((one, at) => isSameToken(one, other[at]));
  if (!line.isKnown) return isInOrder(wanted, own);
  const [options, operands] = [wanted.filter(isOption), wanted.filter((one) => !isOption(one))];
  const left = own.filter(isOption);
  for (const option of options) {
    const at = left.findIndex((one) => isSameToken(option, one));
    if (at === -1) return false;
    left.splice(at, 1);
  }
  return (
    left.length === 0 &&
    isInOrder(
      operands,
      own.filter((one) => !isOption(one)),
    )
  );
}

type Token = Option | Operand;

const isOption = (token: Token): token is Option => "name" in token;

/** Options and operands in the order of the command. */
const wordsOf = ({ options, operands }: Line): readonly Token[] =>
  [...options, ...operands].sort((one, other) => one.at - other.at);

function isSameToken(wanted: Token, given: Token | undefined): boolean {
  if (given === undefined || isOption(wanted) !== isOption(given)) return false;
  if (!isOption(wanted) || !isOption(given)) {
    if (isOption(wanted) || isOption(given)) return false;
    return wanted.isAfterDashes === given.isAfterDashes && isSameWord(wanted.word, given.word);
  }
  if (wanted.name !== given.name) return false;
  return wanted.value === null || given.value === null
    ? wanted.value === given.value
    : isSameWord(wanted.value, given.value);
}

const isSameWord = (wanted: Word, { text, isGlob }: Word): boolean =>
  !text.includes(UNKNOWN) && !isGlob && (wanted.isGlob ? globMatches(wanted.text, text) : wanted.text === text);
