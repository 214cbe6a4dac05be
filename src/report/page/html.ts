import { escapeControls, truncate } from "../../protocol/text/text.ts";

const MARKUP = Symbol("markup");

/** Text that `html` has made, and nothing else: a string from outside is never one. */
export interface Html {
  readonly [MARKUP]: string;
}

type Part = string | number | Html | readonly Part[] | null;

/**
 * Fills a template. Every text is escaped for an element and for a quoted attribute alike. The page is well-formed XML, too,
 * so that a test can parse it strictly.
 */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { [MARKUP]: fixed.map((text, at) => text + written(parts[at] ?? null)).join("") };
}

export const markupOf = (page: Html): string => page[MARKUP];

function written(part: Part): string {
  if (part === null) return "";
  if (typeof part === "string") return escapeMarkup(part);
  if (typeof part === "number") return String(part);
  return isList(part) ? part.map(written).join("") : part[MARKUP];
}

const isList = (part: Html | readonly Part[]): part is readonly Part[] => Array.isArray(part);

const escapeMarkup = (text: string): string => visible(text).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/** Control and bidi characters as `\uXXXX`; halves of characters, and accents piled on one letter, are no text. */
const visible = (text: string): string =>
  escapeControls(text)
    .replace(/[\p{Cs}\ufffe\uffff]/gu, "\ufffd")
    .replace(/(\p{M}{3})\p{M}+/gu, "$1");

/** A text from outside on one line: cut, and isolated from the direction of the text around it. */
export const outside = (text: string, limit: number): Html => html`<bdi>${clip(text.trim(), limit)}</bdi>`;

/** Cut before it is escaped, so that a long text costs nothing. Tabs and line breaks are spaces here. */
const clip = (text: string, limit: number): string =>
  truncate(text.slice(0, limit * 2).replaceAll(/[\t\r\n]+/g, " "), limit);
