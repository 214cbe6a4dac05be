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

/** The examples of a guard, one line each; what it does not catch comes last. */
export function guardExamplesText(name: string, examples: Examples | null, style: Style): string {
  if (examples === null) return "";
  const lines = KINDS.flatMap(([kind, word]) =>
    examples[kind].map(({ command, why }: Example) => {
      const note = why === undefined ? "" : style.faint(`  # ${why}`);
      return `  ${word.padEnd(WORD_WIDTH)} ${command.replaceAll("\n", " ⏎ ")}${note}\n`;
    }),
  );
  return `\nExamples of ${name} (missed: not caught):\n${lines.join("")}`;
}

export const examplesJson = (examples: Examples): JsonRecord =>
  Object.fromEntries(
    KINDS.map(([kind]) => [kind, examples[kind].map(({ command, why }: Example) => ({ command, why }))]),
  );
