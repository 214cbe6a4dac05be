import { type JsonRecord, printableJson } from "../protocol/json/write.ts";
import type { Problem } from "../protocol/problem.ts";
import { explain } from "../protocol/problem-messages/explain.ts";
import { escapeControls } from "../protocol/text/text.ts";
import type { Style } from "./text-style.ts";

/**
 * The summary of a problem, its code and its hint. The code is behind every problem, also without `-v`: it is what a reader
 * looks up in docs/exit-codes.md and a script searches for. A warning is a sentence of the story and shows none.
 */
export function problemText(problem: Problem, style: Style): string {
  const { summary, hint } = explain(problem);
  return `${style.bad("✖")} ${escapeControls(summary)} ${style.faint(`(${problem.code})`)}\n  ${escapeControls(hint)}\n`;
}

/** The same for a program, on stdout where the answer would have been: `hookctl.problem/1`. */
export const problemJson = (problem: Problem): string =>
  printableJson({ schema: "hookctl.problem/1", ...problemRecord(problem) });

/** A problem in an answer that has more. */
export function problemRecord(problem: Problem): JsonRecord {
  const { summary: message, hint } = explain(problem);
  return { code: problem.code, message, hint };
}

/** One warning as a line. */
export const warningLine = (text: string, style: Style): string => `${style.warn("▲")} ${escapeControls(text)}\n`;
