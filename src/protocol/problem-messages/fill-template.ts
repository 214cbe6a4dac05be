import { ownValue } from "../own-value.ts";
import { didYouMean } from "../text/nearest.ts";
import { quoteHookName, shellQuote } from "../text/shell-quote.ts";
import { truncate } from "../text/text.ts";
import { formatDuration, formatSize } from "../text/units.ts";

const text = (value: unknown): string => (value === null || value === undefined ? "" : String(value));
const nullable = (value: unknown): string | null => (value === null ? null : text(value));

/** How a field is shown: `{path, quoted}`. A number cuts its text: `{cause, 160}`. */
const FORMATS: Readonly<Record<string, (value: unknown) => string>> = {
  quoted: (value) => shellQuote(text(value)),
  /** The name of a hook at the end of a command line. */
  name: (value) => quoteHookName(text(value)),
  json: (value) => JSON.stringify(value),
  duration: (value) => formatDuration(Number(value)),
  size: (value) => formatSize(Number(value)),
  /** The similar name that was probably intended, if there is one. */
  suggestion: (value) => didYouMean(nullable(value)),
  quotedSuggestion: (value) => (value === null ? "" : `. Did you mean "${truncate(text(value), 80)}"?`),
  /** The same at the end of a sentence. */
  ending: (value) => (value === null ? "." : didYouMean(nullable(value))),
  /** The line of a file, after its path. */
  line: (value) => (value === null ? "" : `:${text(value)}`),
};

/** A text with names of fields in braces; or one such text for each value of a chosen field, `other` for the remaining ones. */
export type Template = string | Readonly<Record<string, string>>;

/** The template with fields in place of their names. The value of the field `by` chooses from several. */
export function filled(template: Template, by: string, fields: Readonly<Record<string, unknown>>): string {
  const chosen =
    typeof template === "string" ? template : (ownValue(template, String(fields[by])) ?? template.other ?? "");
  return chosen.replace(/\{(\w+)(?:, (\w+))?\}/g, (_, name: string, format: string | undefined) => {
    const value = fields[name];
    if (format === undefined) return text(value);
    return ownValue(FORMATS, format)?.(value) ?? truncate(text(value), Number(format));
  });
}
