import type { ParsedScript, ProcessSubstitutionPart } from "unbash";
import { UNKNOWN } from "../call.ts";
import { runScript } from "../script/run-script.ts";
import { keepFile, NO_INPUT } from "../script/shell-state.ts";
import type { Expanding } from "./expand-parameter.ts";

/** What `$(…)` may print, without the newlines at its end. Its calls are added. */
export function substitute(script: ParsedScript | undefined, { state, frame }: Expanding): readonly string[] {
  if (script === undefined) return [UNKNOWN];
  const inner = { ...frame, source: script.source ?? frame.source, isCaptured: true };
  const results = runScript(script, { ...state, output: "" }, inner);
  const texts = results.map(({ output }) => withoutNewlines(output));
  return texts.length === 0 ? [UNKNOWN] : [...new Set(texts)];
}

function withoutNewlines(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n") end--;
  return text.slice(0, end);
}

/** The path of `<(…)`, whose content is kept, or of `>(…)`. */
export function substituteProcess({ script, operator }: ProcessSubstitutionPart, { state, frame }: Expanding): string {
  const number = 63 - frame.analysis.processes++;
  const path = `/dev/fd/${number}`;
  if (script === undefined) return path;
  const source = script.source ?? frame.source;
  const inner = { ...frame, source, isCaptured: operator === "<" || frame.isCaptured };
  const stdin = operator === "<" ? NO_INPUT : { input: { kind: "pipe", from: [] } as const, text: UNKNOWN };
  const results = runScript(script, { ...state, output: "", stdin }, inner);
  const texts = new Set(results.map(({ output }) => output));
  const [only = UNKNOWN] = texts;
  if (operator === "<") keepFile(state, path, texts.size === 1 ? only : UNKNOWN);
  return path;
}
