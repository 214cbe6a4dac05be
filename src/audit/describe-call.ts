import { itemsOf, type JsonObject, type JsonSpan, stringOf } from "../protocol/json/read.ts";
import { COMMAND_KEYS, FILE_KEYS, membersIn } from "../protocol/payload/tool-call.ts";
import { shellQuote } from "../protocol/text/shell-quote.ts";
import { escapeControls, isBlank } from "../protocol/text/text.ts";
import { type Redact, redactedStart } from "./redact.ts";

const SHOWN_CHARACTERS = 120;
const MOST_TEXTS = 20;
const SUBJECT_KEYS = new Set([...FILE_KEYS, "url", "urls", "pattern", "query", "regex", "search"]);

/** A tool call in one line, with secrets redacted: its command, else what it names; null if it names nothing. */
export function describeCall(members: JsonObject, redact: Redact): string | null {
  const input = members.get("tool_input");
  if (input === undefined) return null;
  const text =
    input.kind === "string" ? stringOf(input) : (subjectOf(startOf(input), redact) ?? subjectOf(input, redact));
  return text === null ? null : inOneLine(redactedStart(text, redact));
}

/** The members before a long text, which need no scan of that text. */
const startOf = (input: JsonSpan): JsonSpan => ({ kind: input.kind, raw: input.raw.slice(0, FIRST_LOOK_CHARACTERS) });
const FIRST_LOOK_CHARACTERS = 8 * 1024;

function subjectOf(input: JsonSpan, redact: Redact): string | null {
  const all = membersIn(input, 0);
  for (const keys of [COMMAND_KEYS, SUBJECT_KEYS, DESCRIPTION_KEYS]) {
    const texts = all.filter(([key]) => keys.has(key)).flatMap(([, value]) => textsIn(value, redact));
    if (texts.some((text) => !isBlank(text))) return texts.slice(0, MOST_TEXTS).join(" ");
  }
  return null;
}

const DESCRIPTION_KEYS = new Set(["description"]);

/** The items of a list are quoted like arguments, which hides a secret that has quotes: so they are redacted before, too. */
function textsIn(value: JsonSpan, redact: Redact): readonly string[] {
  if (value.kind === "string") return [stringOf(value)];
  if (value.kind !== "array") return [];
  return itemsOf(value)
    .slice(0, MOST_TEXTS)
    .flatMap((item) => (item.kind === "string" ? [shellQuote(redactedStart(stringOf(item), redact))] : []));
}

function inOneLine(text: string): string {
  const start = text
    .slice(0, 8 * SHOWN_CHARACTERS)
    .replace(/\s+/g, " ")
    .trim();
  const shown = escapeControls(start);
  return shown.length <= SHOWN_CHARACTERS ? shown : `${shown.slice(0, SHOWN_CHARACTERS - 1)}…`.replace(HALF_PAIR, "…");
}

/** The first half of a character of two code units, whose second half was cut off. */
const HALF_PAIR = /[\ud800-\udbff]…$/;
