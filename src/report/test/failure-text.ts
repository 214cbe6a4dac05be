import { truncateEscaped } from "../../protocol/text/text.ts";
import type { CheckedHook, CheckResult } from "../../test-runner/test-report.ts";
import type { Style } from "../text-style.ts";

/** All that explains a check, line by line: the message, what shows the fault, and what to do. Empty if there is nothing to say. */
export function failureLines(check: CheckResult, hook: CheckedHook, style: Style): readonly string[] {
  return [
    ...(check.message === null
      ? []
      : [`${check.passed ? `${style.warn("▲")} ` : ""}${truncateEscaped(check.message, 600)}`]),
    ...check.excerpt.map((line) => `  ${truncateEscaped(line, 160)}`),
    ...(check.hint === null ? [] : [`Hint: ${truncateEscaped(check.hint, 300)}`]),
    ...(check.passed ? [] : [`Run again: ${rerunCommand(hook)}`]),
  ];
}

/** The command that repeats a failed check. */
export const rerunCommand = ({ again }: CheckedHook): string => `hookctl test -v ${again}`;
