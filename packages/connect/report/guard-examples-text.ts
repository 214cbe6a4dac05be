import type { JsonRecord } from "../../../src/protocol/json/write.ts";
import type { Style } from "../../../src/report/text-style.ts";
import type { Example, Examples } from "../../guards/examples.ts";

/** The kinds of examples, each with its word in the text. */
const KINDS = [
  ["blocked", "block"],
  ["asked", "ask"],
  ["allowed", "allow"],
  ["gaps", "missed"],
] as const satisfies readonly (readonly [keyof Examples, string])[];

const WORD_WIDTH = 7;

/** The examples of a guard, one line each; what it does not catch comes last. The first of each kind fit on a screen. */
export function guardExamplesText(name: string, examples: Examples | null, hasAll: boolean, style: Style): string {
  if (examples === null) return "";
  const lines = KINDS.flatMap(([kind, word]) =>
    examples[kind].slice(0, hasAll ? undefined : 1).map(({ command, why }: Example) => {
      const note = why === undefined ? "" : style.faint(`  # ${why}`);
      return `  ${word.padEnd(WORD_WIDTH)} ${command.replaceAll("\n", " ⏎ ")}${note}\n`;
    }),
  );
  const all = hasAll ? "" : `All commands and examples: hookctl guards ${name} -v\n`;
  return `\nExamples of ${name} (missed: not caught):\n${lines.join("")}${all}`;
}

export const examplesJson = (examples: Examples): JsonRecord =>
  Object.fromEntries(
    KINDS.map(([kind]) => [kind, examples[kind].map(({ command, why }: Example) => ({ command, why }))]),
  );
