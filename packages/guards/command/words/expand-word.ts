import type { ParameterExpansionPart, ParameterOperation, Word as ShellWord, WordPart } from "unbash";
import { shellParser } from "../../../../src/shell/load-parser.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import { addGap, type Frame } from "../analysis.ts";
import { type Call, plainWord, type Word } from "../call.ts";
import { GLOBBED, type ShellState, setVariable, type Value } from "../script/shell-state.ts";
import { valueOfArithmetic } from "./arithmetic.ts";
import { expandBraces } from "./expand-braces.ts";
import {
  type Expanding,
  type Field,
  fieldsOf,
  fromValue,
  type Piece,
  substitute,
  substituteProcess,
} from "./fields.ts";
import { changedCase, isOpenList, removePattern, replacePattern, sliced, variableValue } from "./parameter-values.ts";

/** More combinations are treated as unknown. */
const MOST_ALTERNATIVES = 16;
const MOST_CHARACTERS = 1 << 20;

/** All lists of words that these words may expand to, usually one. */
export function expandWords(
  words: readonly ShellWord[],
  state: ShellState,
  frame: Frame,
): readonly (readonly Word[])[] {
  return combined(words.map((word) => expandWord(word, state, frame)));
}

/** Combines the lists of words for each word of a command. */
export function combined(parts: readonly (readonly (readonly Word[])[])[]): readonly (readonly Word[])[] {
  if (parts.every(({ length }) => length === 1)) return [parts.flatMap(([words = []]) => words)];
  return parts.reduce((lists, next) => product(lists, next), [[]]);
}

const product = (lists: readonly (readonly Word[])[], next: readonly (readonly Word[])[]) =>
  lists.length * next.length > MOST_ALTERNATIVES
    ? lists.map((list) => [...list, ...unknownInstead(next)])
    : lists.flatMap((list) => next.map((words) => [...list, ...words]));

const unknownInstead = (lists: readonly (readonly Word[])[]): readonly Word[] =>
  (lists[0] ?? []).map((word) => ({ ...word, text: UNKNOWN }));

/** The lists of words that a word may expand to after braces, quotes, variables, substitutions and field splitting. */
export function expandWord(word: ShellWord, state: ShellState, frame: Frame): readonly (readonly Word[])[] {
  if (word.parts?.some(({ type }) => type === "BraceExpansion") !== true) return withoutBraces(word, state, frame);
  return combined(expandBraces(word.text, state.limits).map((text) => withoutBraces(reparsed(text), state, frame)));
}

function withoutBraces(word: ShellWord, state: ShellState, frame: Frame): readonly (readonly Word[])[] {
  if (word.parts === undefined) return [[unquotedWord(word, state)]];
  const before = frame.analysis.started.length;
  const alternatives = piecesOf(word, { state, frame, isQuoted: false });
  const printedBy = frame.analysis.started.slice(before);
  const ifs = state.variables.get("IFS")?.[0];
  return alternatives.map((pieces) =>
    fieldsOf(pieces, state.limits, ifs).map((field) => asWord(field, word, printedBy)),
  );
}

const asWord = ({ text, isGlob }: Field, { text: source }: ShellWord, printedBy: readonly Call[]): Word => ({
  text,
  source,
  isGlob,
  printedBy,
});

/** The value where words are not split: in an assignment, a redirection, a pattern. */
export function expandValue(word: ShellWord, state: ShellState, frame: Frame): Word {
  if (word.parts === undefined) return unquotedWord(word, state);
  const before = frame.analysis.started.length;
  const [pieces = [], ...others] = piecesOf(word, { state, frame, isQuoted: false });
  const text = pieces.map((piece) => piece.text).join("");
  const isGlob = pieces.some((piece) => piece.isGlob);
  const printedBy = frame.analysis.started.slice(before);
  return { text: others.length === 0 ? text : UNKNOWN, source: word.text, isGlob, printedBy };
}

/** All values that a word in an assignment may have. */
export function expandValues(word: ShellWord, state: ShellState, frame: Frame): readonly string[] {
  if (word.parts === undefined) return [unquotedWord(word, state).text];
  return piecesOf(word, { state, frame, isQuoted: false }).map((pieces) => pieces.map(({ text }) => text).join(""));
}

function unquotedWord({ value, text }: ShellWord, state: ShellState): Word {
  const name = nameBefore(text);
  const isHome = text.startsWith("~", name.length);
  const full = isHome ? name + withHome(value.slice(name.length), state) : value;
  return plainWord(full, text);
}

/** Bash replaces the tilde in an argument like `of=~/x`, too. */
const nameBefore = (text: string): string => /^[A-Za-z_]\w*=(?=~)/.exec(text)?.[0] ?? "";

/** `~`, `~/x`, `~+`, `~-`; the home of another user is `/home/name`. */
function withHome(value: string, { variables, folder, oldFolder }: ShellState): string {
  const match = /^~([^/]*)(.*)$/s.exec(value);
  if (match === null) return value;
  const [, user = "", rest = ""] = match;
  // The name of the user ends with something that is not known: `~$X` in text for another shell.
  if (user.includes(UNKNOWN)) return UNKNOWN;
  if (user === "") return (variables.get("HOME")?.[0] ?? UNKNOWN) + rest;
  if (user === "+") return (folder ?? UNKNOWN) + rest;
  if (user === "-") return (oldFolder ?? UNKNOWN) + rest;
  return user === "root" ? `/root${rest}` : `/home/${user}${rest}`;
}

function piecesOf({ parts = [] }: ShellWord, at: Expanding): readonly (readonly Piece[])[] {
  const [first, ...rest] = parts;
  if (first?.type !== "Literal") return joinedPieces(parts, at);
  const name = nameBefore(first.text);
  const value = first.text.slice(name.length);
  const isHome = /^~[^/]*(?:\/|$)/.test(value) && (rest.length === 0 || value.includes("/"));
  if (!isHome) return joinedPieces(parts, at);
  const home = piece(name + withHome(first.value.slice(name.length), at.state), false);
  return joinedPieces(rest, at).map((pieces) => [home, ...pieces]);
}

/** Joins each beginning with each end. */
export function joinedPieces(parts: readonly WordPart[], at: Expanding): readonly (readonly Piece[])[] {
  let lists: Piece[][] = [[]];
  for (const part of parts) {
    const next = partPieces(part, at).map((pieces) => bounded(pieces, at.frame));
    if (next.length === 1) for (const list of lists) list.push(...(next[0] ?? []));
    else if (lists.length * next.length > MOST_ALTERNATIVES)
      for (const list of lists) list.push(piece(UNKNOWN, at.isQuoted));
    else lists = lists.flatMap((list) => next.map((pieces) => [...list, ...pieces]));
  }
  return lists;
}

/** A value that is repeated could grow without limit. */
function bounded(pieces: readonly Piece[], frame: Frame): readonly Piece[] {
  const { analysis } = frame;
  for (const { text } of pieces) analysis.characters += text.length;
  if (analysis.characters <= MOST_CHARACTERS) return pieces;
  addGap(frame, "size", frame.source);
  return pieces.map((piece) => ({ ...piece, text: UNKNOWN }));
}

/** A piece that is not split. */
const piece = (text: string, isQuoted: boolean, isGlob = false): Piece => ({ text, isSplit: false, isGlob, isQuoted });

function partPieces(part: WordPart, at: Expanding): readonly (readonly Piece[])[] {
  const { isQuoted } = at;
  const literal = (text: string, isGlob = false) => [[piece(text, isQuoted, isGlob)]];
  switch (part.type) {
    case "Literal":
      return literal(part.value);
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [[piece(part.value, true)]];
    case "Glob":
      return literal(part.kind === "bracket" ? part.text : part.value, true);
    case "ExtendedGlob":
      return extendedGlob(part.operator, part.pattern).map((text) => [piece(text, isQuoted, text === "*")]);
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.length === 0 ? [[piece("", true)]] : joinedPieces(part.parts, { ...at, isQuoted: true });
    case "SimpleExpansion":
      return [expandSimple(part.text.slice(1), at)];
    case "ParameterExpansion":
      return expandParameter(part, at);
    case "CommandExpansion":
      return substitute(part.script, at).map((text) => [fromValue(text, at)]);
    case "ProcessSubstitution":
      return literal(substituteProcess(part, at));
    case "ArithmeticExpansion":
      return literal(valueOfArithmetic(part.expression, at));
    case "BraceExpansion":
      return literal(part.text);
  }
}

/** `@(a|b)` matches one of its alternatives; any other pattern may match any name. */
const extendedGlob = (operator: string, pattern: string): readonly string[] =>
  "@?+".includes(operator) && /^[\w./|-]+$/.test(pattern) && pattern.split("|").length <= 8
    ? [...pattern.split("|"), ...(operator === "?" ? [""] : [])]
    : ["*"];

function reparsed(text: string): ShellWord {
  const command = shellParser().parse(`: ${text}`).commands[0]?.command;
  const word = command?.type === "Command" ? command.suffix[0] : undefined;
  return word?.type === "Word" ? word : { type: "Word", text, value: text, pos: 0, end: text.length };
}

/** `$name`, `$1`, `$@`. */
function expandSimple(name: string, at: Expanding): readonly Piece[] {
  if (name === "@" || name === "*") return listPieces(at.state.positional, name, at);
  return onePiece(variableValue(name, at), at);
}

const nothing = ({ isQuoted }: Expanding): readonly Piece[] => [piece("", isQuoted)];

function listPieces(list: readonly string[] | null, name: string, at: Expanding): readonly Piece[] {
  if (list === null) return [fromValue(UNKNOWN, at)];
  if (name === "*" && at.isQuoted) {
    const separator = (variableValue("IFS", at)?.[0] ?? " ").charAt(0);
    return [fromValue(list.join(separator), at)];
  }
  return list.map((text, index) => (index === 0 ? fromValue(text, at) : { ...fromValue(text, at), isNew: true }));
}

/** `${…}`. */
function expandParameter(part: ParameterExpansionPart, at: Expanding): readonly (readonly Piece[])[] {
  const { operation, prefix } = part;
  const list = elements(part, at);
  if (prefix === "#") return [[fromValue(lengthOf(part, list), at)]];
  const isList = isListName(part);
  if (operation === undefined)
    return [isList === null ? onePiece(list, at) : listPieces(list ?? (list === null ? [] : null), isList, at)];
  if (operation.type === "Default") return withDefault(part, list, at);
  if (list === undefined) return [[fromValue(UNKNOWN, at)]];
  const changed = (list ?? [""]).map((value) => changedValue(value, operation, at));
  return [isList === null ? onePiece(changed, at) : listPieces(changed, isList, at)];
}

const onePiece = (list: Value | undefined, at: Expanding): readonly Piece[] =>
  list === null ? nothing(at) : [fromValue(list === undefined ? UNKNOWN : (list[0] ?? ""), at)];

/** `@` or `*` for `$@`, `${a[*]}`; null for one value. */
function isListName({ parameter, index }: ParameterExpansionPart): "@" | "*" | null {
  const name = index?.value ?? parameter;
  return name === "@" || name === "*" ? name : null;
}

function elements(part: ParameterExpansionPart, at: Expanding): Value | undefined {
  const { parameter, index, prefix } = part;
  if (prefix === "!") {
    const name = variableValue(parameter, at)?.[0];
    return name !== undefined && index === undefined && /^\w+$/.test(name) ? variableValue(name, at) : undefined;
  }
  if (parameter === "@" || parameter === "*") return at.state.positional ?? undefined;
  const value = variableValue(parameter, at);
  if (index === undefined || index.value === "@" || index.value === "*" || value == null) return value;
  const place = expandValue(index, at.state, at.frame).text;
  if (!/^-?\d+$/.test(place) || isOpenList(value)) return undefined;
  const element = value.at(Number(place));
  return element === undefined ? null : [element];
}

function lengthOf(part: ParameterExpansionPart, list: Value | undefined): string {
  if (list == null) return list === null ? "0" : UNKNOWN;
  if (isListName(part) !== null) return isOpenList(list) ? UNKNOWN : String(list.length);
  const text = list[0] ?? "";
  return text.includes(UNKNOWN) || text.startsWith(GLOBBED) ? UNKNOWN : String(text.length);
}

/** A variable that is never set is treated as unset, so the default is used. An unknown one may have either value. */
function withDefault(
  part: ParameterExpansionPart & { readonly operation: ParameterOperation | undefined },
  list: Value | undefined,
  at: Expanding,
): readonly (readonly Piece[])[] {
  const { operation } = part;
  if (operation?.type !== "Default") return [];
  const { operator, operand } = operation;
  const isSet = list != null && list.length > 0;
  const text = list?.[0] ?? "";
  const isUsed = isSet && (!operator.startsWith(":") || text !== "");
  const own = isListName(part) === null ? onePiece(list, at) : listPieces(list ?? null, "@", at);
  const other = () => operandPieces(operand, at);
  if (operator.endsWith("+")) return isUsed ? [...other(), ...(text === UNKNOWN ? [nothing(at)] : [])] : [nothing(at)];
  if (operator.endsWith("?")) return [isUsed ? own : [fromValue(UNKNOWN, at)]];
  if (isUsed) return text === UNKNOWN ? [own, ...other()] : [own];
  const values = other();
  const assigned = values[0]?.map(({ text }) => text).join("");
  if (operator.endsWith("="))
    setVariable(at.state, part.parameter, [values.length === 1 && assigned !== undefined ? assigned : UNKNOWN]);
  return values;
}

/** Without quotes around it, `~` is the home there too. */
function operandPieces(operand: ShellWord, at: Expanding): readonly (readonly Piece[])[] {
  const { value, text, pos, end } = operand;
  const parts = operand.parts ?? [{ type: "Literal", value, text, pos, end } as const];
  return at.isQuoted ? joinedPieces(parts, at) : piecesOf({ ...operand, parts }, at);
}

function changedValue(value: string, operation: ParameterOperation, at: Expanding): string {
  const textOf = (word: ShellWord) => expandValue(word, at.state, at.frame).text;
  switch (operation.type) {
    case "Remove":
      return removePattern(value, textOf(operation.operand), operation.operator);
    case "Replace":
      return replacePattern(value, [textOf(operation.pattern), textOf(operation.replacement)], operation.operator);
    case "Slice":
      return sliced(value, textOf(operation.offset), operation.length === undefined ? null : textOf(operation.length));
    case "CaseModification":
      return operation.operand === undefined ? changedCase(value, operation.operator) : UNKNOWN;
    case "Transform":
      return "QEAak".includes(operation.operand.value) ? value : UNKNOWN;
    default:
      return UNKNOWN;
  }
}
