import { itemsOf, type JsonSpan, spanOfRaw, stringOf, textSpan } from "../json/read.ts";
import { shellQuote } from "../text/shell-quote.ts";
import type { Conversion } from "./tool-table.ts";

/** The portable value of an agent's argument. A value of a wrong type stays unchanged, because the agent's tool rejects it. */
export function converted(conversion: Conversion | undefined, span: JsonSpan): JsonSpan {
  switch (conversion) {
    case "milliseconds":
      return numberFrom(span, (value) => value / 1000);
    case "from-zero":
      return numberFrom(span, (value) => value + 1);
    case "words":
      return commandText(span) ?? span;
    case undefined:
      return span;
  }
}

/** The agent's value of a portable argument; `before` is its value before the change. Null if the agent cannot express the change. */
export function convertBack(conversion: Conversion | undefined, span: JsonSpan, before?: JsonSpan): JsonSpan | null {
  switch (conversion) {
    case "milliseconds":
      return numberFrom(span, (value) => value * 1000);
    case "from-zero":
      return numberFrom(span, (value) => value - 1);
    case "words":
      return before?.kind === "array" ? commandWords(span, before) : span;
    case undefined:
      return span;
  }
}

function numberFrom(span: JsonSpan, convert: (value: number) => number): JsonSpan {
  const value = span.kind === "number" ? convert(Number(span.raw)) : Number.NaN;
  // Twelve digits: 0.3 * 1000 would otherwise be 299.99999999999994.
  return Number.isFinite(value) ? spanOfRaw(JSON.stringify(Number(value.toPrecision(12)))) : span;
}

const SHELL = /(?:^|\/)(?:ba|da|z|k)?sh$/;
const COMMAND_OPTION = /^-[a-z]*c$/;

/** The command text of a list of program and arguments; null for any other value. */
function commandText(span: JsonSpan): JsonSpan | null {
  const words = textsOf(span);
  if (words === null || words.length === 0) return null;
  const text = isShellText(words) ? (words[2] ?? "") : words.map(quoted).join(" ");
  return textSpan(text);
}

const isShellText = (words: readonly string[]): boolean =>
  words.length === 3 && SHELL.test(words[0] ?? "") && COMMAND_OPTION.test(words[1] ?? "");

const quoted = (word: string): string => (word === "" ? "''" : shellQuote(word));

/** Plain and single-quoted words on one line: an assignment, an operator or an expansion needs a shell, which the list does not start. */
const SIMPLE_COMMAND = /^(?!\w+=)(?:(?:[\w@%+=:,./-]|'[^']*'|\\')+(?:[ \t]+|$))+$/;
const WORD = /(?:[\w@%+=:,./-]|'[^']*'|\\')+/g;
const PART = /'([^']*)'|\\'|[\w@%+=:,./-]+/g;

function commandWords(span: JsonSpan, before: JsonSpan): JsonSpan | null {
  const old = textsOf(before) ?? [];
  const text = span.kind === "string" ? stringOf(span) : null;
  if (text === null) return span;
  if (isShellText(old)) return spanOfRaw(JSON.stringify([...old.slice(0, 2), text]));
  if (!SIMPLE_COMMAND.test(text)) return null;
  const words = (text.match(WORD) ?? []).map((word) =>
    word.replace(PART, (part, inner?: string) => inner ?? (part === "\\'" ? "'" : part)),
  );
  return spanOfRaw(JSON.stringify(words));
}

function textsOf(span: JsonSpan): readonly string[] | null {
  const items = span.kind === "array" ? itemsOf(span) : [];
  return span.kind === "array" && items.every(({ kind }) => kind === "string") ? items.map(stringOf) : null;
}
