import type { ParsedScript, ProcessSubstitutionPart } from "unbash";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Frame } from "../analysis.ts";
import { GLOBBED, keepFile, type Limits, NO_INPUT, type ShellState } from "../script/shell-state.ts";

/** The context in which a word is expanded. */
export interface Expanding {
  readonly state: ShellState;
  readonly frame: Frame;
  /** True between double quotes. */
  readonly isQuoted: boolean;
}

/** A part of a word after expansion. */
export interface Piece {
  readonly text: string;
  /** True if white space in it separates fields. */
  readonly isSplit: boolean;
  /** True if `*` in it is a wildcard. */
  readonly isGlob: boolean;
  /** True if a field remains even if it is empty. */
  readonly isQuoted: boolean;
  /** True if a new field begins before it: the elements of `"$@"`. */
  readonly isNew?: true;
}

export interface Field {
  readonly text: string;
  readonly isGlob: boolean;
}

/** A piece that came out of a variable or a command: without quotes it is split into fields. */
export function fromValue(value: string, { isQuoted }: Expanding): Piece {
  if (value.includes(GLOBBED)) {
    const text = value.replaceAll(GLOBBED, "");
    return { text, isSplit: !isQuoted && text.includes("\n"), isGlob: true, isQuoted };
  }
  return { text: value, isSplit: !isQuoted, isGlob: !isQuoted, isQuoted };
}

const MOST_FIELDS = 5000;

/** Splits the pieces of a word into fields, with the separators of `IFS`. */
export function fieldsOf(pieces: readonly Piece[], limits: Limits, ifs: string = " \t\n"): readonly Field[] {
  const fields: Field[] = [];
  let open: { text: string; isGlob: boolean } | null = null;
  const close = () => {
    if (open !== null && fields.length < MOST_FIELDS) fields.push(open);
    else if (open !== null) limits.isReached = true;
    open = null;
  };
  const add = (text: string, isGlob: boolean) => {
    open ??= { text: "", isGlob: false };
    open.text += text;
    open.isGlob ||= isGlob && /[*?[]/.test(text);
  };
  for (const piece of pieces) {
    if (piece.isNew === true) close();
    const parts = piece.isSplit ? splitFields(piece.text, ifs) : [piece.text];
    for (const [at, text] of parts.entries()) {
      if (at > 0) close();
      if (text !== "" || piece.isQuoted) add(text, piece.isGlob);
    }
  }
  close();
  return fields;
}

/** Splits a value into fields. The first and the last are empty if the value begins or ends with a separator. */
function splitFields(text: string, ifs: string): readonly string[] {
  const separators = ifs.includes(UNKNOWN) ? " \t\n" : ifs;
  if (separators === "" || text.length === 0) return [text];
  if (separators === " \t\n") return /[ \t\n]/.test(text) ? text.split(/[ \t\n]+/) : [text];
  const chars = separators.replace(/[\\\]^-]/g, "\\$&");
  return text.split(new RegExp(`[${chars}]`));
}

/** The output of `$(…)` without trailing newlines. Its calls are added to the analysis. */
export function substitute(script: ParsedScript | undefined, { state, frame }: Expanding): readonly string[] {
  if (script === undefined) return [UNKNOWN];
  const inner = { ...frame, source: script.source ?? frame.source, isCaptured: true, keepsOutput: true };
  const results = frame.analysis.shell.runScript(script, { ...state, output: "" }, inner);
  const texts = results.map(({ output }) => withoutNewlines(output));
  return texts.length === 0 ? [UNKNOWN] : [...new Set(texts)];
}

function withoutNewlines(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n") end--;
  return text.slice(0, end);
}

/** The path of `<(…)`, whose content is remembered, or of `>(…)`. */
export function substituteProcess({ script, operator }: ProcessSubstitutionPart, { state, frame }: Expanding): string {
  const number = 63 - frame.analysis.processes++;
  const path = `/dev/fd/${number}`;
  if (script === undefined) return path;
  const source = script.source ?? frame.source;
  const isRead = operator === "<";
  const inner = { ...frame, source, isCaptured: isRead || frame.isCaptured, keepsOutput: isRead || frame.keepsOutput };
  const stdin = operator === "<" ? NO_INPUT : { input: { kind: "pipe", from: [] } as const, text: UNKNOWN };
  const results = frame.analysis.shell.runScript(script, { ...state, output: "", stdin }, inner);
  const texts = new Set(results.map(({ output }) => output));
  const [only = UNKNOWN] = texts;
  if (operator === "<") keepFile(state, path, texts.size === 1 ? only : UNKNOWN);
  return path;
}
