import type { ParameterExpansionPart, ParameterOperation, Word as ShellWord } from "unbash";
import type { Frame } from "../analysis.ts";
import { type CommandPlace, UNKNOWN } from "../call.ts";
import { rowFinder } from "../named-rows.ts";
import { GLOBBED, type ShellState, setVariable, type Value } from "../script/shell-state.ts";
import { expandValue, fromValue, joinedPieces, piecesOf } from "./expand-word.ts";
import type { Piece } from "./fields.ts";

/** The context in which a word is expanded. */
export interface Expanding {
  readonly state: ShellState;
  readonly frame: Frame;
  /** True between double quotes. */
  readonly isQuoted: boolean;
}

/** `$name`, `$1`, `$@`. */
export function expandSimple(name: string, at: Expanding): readonly Piece[] {
  if (name === "@" || name === "*") return listPieces(at.state.positional, name, at);
  const value = variableValue(name, at);
  return value === null ? nothing(at) : [fromValue(value?.[0] ?? (value === undefined ? UNKNOWN : ""), at)];
}

/** The elements of a variable; null if it is unset, undefined if that is not known. */
function variableValue(name: string, { state, frame }: Expanding): Value | undefined {
  const own = state.variables.get(name);
  if (own !== undefined) return own;
  if (/^[1-9]\d*$/.test(name)) {
    const before = state.positional?.slice(0, Number(name) - 1);
    if (before === undefined || isOpenList(before)) return undefined;
    const value = state.positional?.[Number(name) - 1];
    return value === undefined ? null : [value];
  }
  switch (name) {
    case "PWD":
      return [state.folder ?? UNKNOWN];
    case "OLDPWD":
      return [state.oldFolder ?? UNKNOWN];
    case "IFS":
      return [" \t\n"];
    case "0":
      return [state.name];
    case "#":
      return [state.positional === null || isOpenList(state.positional) ? UNKNOWN : String(state.positional.length)];
    case "?":
    case "$":
    case "!":
    case "-":
    case "RANDOM":
    case "SECONDS":
      return [UNKNOWN];
  }
  const { place } = frame.analysis;
  const value = Object.hasOwn(place.variables, name) ? place.variables[name] : conventionFor(name)?.(place);
  return value === undefined ? undefined : [value];
}

/** An unknown element may expand to several words, or to none. */
const isOpenList = (list: readonly string[]): boolean => list.some((text) => text.includes(UNKNOWN));

const nothing = ({ isQuoted }: Expanding): readonly Piece[] => [{ text: "", isSplit: false, isGlob: false, isQuoted }];

function listPieces(list: readonly string[] | null, name: string, at: Expanding): readonly Piece[] {
  if (list === null) return [fromValue(UNKNOWN, at)];
  if (name === "*" && at.isQuoted) {
    const separator = (variableValue("IFS", at)?.[0] ?? " ").charAt(0);
    return [fromValue(list.join(separator), at)];
  }
  return list.map((text, index) => (index === 0 ? fromValue(text, at) : { ...fromValue(text, at), isNew: true }));
}

/** `${…}`. */
export function expandParameter(part: ParameterExpansionPart, at: Expanding): readonly (readonly Piece[])[] {
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
  const textOf = (word: Parameters<typeof expandValue>[0]) => expandValue(word, at.state, at.frame).text;
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

function sliced(value: string, offset: string, length: string | null): string {
  const [from, count] = [offset.trim(), length?.trim() ?? null];
  if (value.includes(UNKNOWN) || !/^-?\d+$/.test(from) || (count !== null && !/^-?\d+$/.test(count))) return UNKNOWN;
  const rest = value.slice(Number(from));
  return count === null ? rest : rest.slice(0, Number(count));
}

function changedCase(value: string, operator: "^" | "^^" | "," | ",,"): string {
  const change = (text: string) => (operator.startsWith("^") ? text.toUpperCase() : text.toLowerCase());
  return operator.length === 2 ? change(value) : change(value.slice(0, 1)) + value.slice(1);
}

const MOST_CHARACTERS = 512;
const MOST_STARS = 4;

/** `${value#pattern}`, `##`, `%`, `%%`. */
function removePattern(value: string, pattern: string, operator: "#" | "##" | "%" | "%%"): string {
  const matcher = matcherOf(value, pattern);
  if (matcher === null) return UNKNOWN;
  const lengths = Array.from({ length: value.length + 1 }, (_, length) => length);
  if (operator.length === 2) lengths.reverse();
  const isStart = operator.startsWith("#");
  const cut = lengths.find((length) =>
    matcher.test(isStart ? value.slice(0, length) : value.slice(value.length - length)),
  );
  if (cut === undefined) return value;
  return isStart ? value.slice(cut) : value.slice(0, value.length - cut);
}

/** `${value/pattern/replacement}`, `//`, `/#`, `/%`. */
function replacePattern(
  value: string,
  [pattern, replacement]: readonly [string, string],
  operator: "/" | "//" | "/#" | "/%",
): string {
  if (matcherOf(value, pattern) === null || value.includes(UNKNOWN)) return UNKNOWN;
  if (pattern === "") return value;
  const source = sourceOf(pattern);
  const expression = { "/": source, "//": source, "/#": `^${source}`, "/%": `${source}$` }[operator];
  return value.replace(new RegExp(expression, operator === "//" ? "gs" : "s"), () => replacement);
}

/** Tests a whole text; null if that could take long. */
function matcherOf(value: string, pattern: string): RegExp | null {
  const stars = pattern.split("*").length - 1;
  if (value.length > MOST_CHARACTERS || pattern.length > MOST_CHARACTERS || stars > MOST_STARS) return null;
  try {
    return new RegExp(`^${sourceOf(pattern)}$`, "s");
  } catch {
    return null;
  }
}

/** The regular expression of a glob. */
const sourceOf = (pattern: string): string =>
  pattern.replace(/\[!?[^\]]+\]|[\s\S]/g, (unit) => {
    if (unit === "*") return ".*";
    if (unit === "?") return ".";
    if (unit.length > 1) return unit.replace(/^\[!/, "[^").replaceAll("\\", "\\\\");
    return unit.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  });

/** Variables whose value is a convention, where the environment does not set them. */
const conventionFor = rowFinder<(place: CommandPlace) => string | undefined>({
  "TMPDIR TMP TEMP TEMPDIR RUNNER_TEMP TEST_TMPDIR BATS_TMPDIR": () => "/tmp",
  "GITHUB_WORKSPACE CI_PROJECT_DIR WORKSPACE BUILD_SOURCESDIRECTORY CIRCLE_WORKING_DIRECTORY HOOKCTL_PROJECT_DIR CLAUDE_PROJECT_DIR GEMINI_PROJECT_DIR TRAVIS_BUILD_DIR":
    ({ project }) => project,
  XDG_CACHE_HOME: ({ home }) => `${home}/.cache`,
  XDG_CONFIG_HOME: ({ home }) => `${home}/.config`,
  XDG_DATA_HOME: ({ home }) => `${home}/.local/share`,
  XDG_STATE_HOME: ({ home }) => `${home}/.local/state`,
  CARGO_HOME: ({ home }) => `${home}/.cargo`,
  "USER LOGNAME": ({ home }) =>
    /^\/(?:home|Users)\/([^/]+)$/.exec(home)?.[1] ?? (home === "/root" ? "root" : undefined),
  SHELL: () => "/bin/bash",
});
