import type { Problem } from "../protocol/problem.ts";
import { explain } from "../protocol/problem-message.ts";
import { escapeControls } from "../protocol/text.ts";
import type { Style } from "./text-style.ts";

/** What happened, its code, and what to type next. */
export function problemText(problem: Problem, style: Style): string {
  const { summary, hint } = explain(problem);
  return `${style.bad("✖")} ${escapeControls(summary)} ${style.faint(`(${problem.code})`)}\n  ${escapeControls(hint)}\n`;
}

/** What a person should know although it went on. */
export const warningLine = (text: string, style: Style): string => `${style.warn("▲")} ${escapeControls(text)}\n`;
