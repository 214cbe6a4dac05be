import { escapeControls, truncate } from "../../../src/protocol/text/text.ts";

const MARKUP = Symbol("markup");

/** Markup made by `html`. A plain string cannot be assigned to it. */
export interface Html {
  readonly [MARKUP]: string;
}

type Part = string | number | Html | readonly Part[] | null;

/**
 * Fills a template and escapes every text for elements and quoted attributes. The page is also well-formed XML, so that
 * a test can parse it strictly.
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

interface Section {
  readonly id: string;
  readonly title: string;
  readonly content: Html | readonly Html[];
}

/** A section that a link of the navigation leads to. */
export const section = ({ id, title, content }: Section): Html =>
  html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${content}</section>
`;

interface Column {
  readonly label: string | Html;
  /** A bar repeats the numbers, so it is hidden from screen readers. */
  readonly kind: "number" | "offset" | "text" | "bar";
}

export interface FiguresTable {
  readonly caption: string;
  /** Selects the grid that it becomes on a narrow screen. */
  readonly look: string;
  readonly rowLabel: string;
  readonly columns: readonly Column[];
  readonly rows: readonly { readonly name: Html; readonly cells: readonly Html[] }[];
}

/**
 * A table with one name for each row. ARIA roles are explicit: in some browsers a grid layout removes those of a table.
 */
export function figuresTable({ caption, look, rowLabel, columns, rows }: FiguresTable): Html {
  const heads = columns.map(({ label, kind }) =>
    kind === "bar"
      ? html`<td class="bar" aria-hidden="true">${label}</td>`
      : html`<th scope="col" role="columnheader" class="${kind}">${label}</th>`,
  );
  return html`<table role="table" class="figures ${look}"><caption>${caption}</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader" class="name">${rowLabel}</th>${heads}</tr></thead>
<tbody role="rowgroup">${rows.map(({ name, cells }) => tableRow(name, cells, columns))}</tbody></table>
`;
}

const tableRow = (name: Html, cells: readonly Html[], columns: readonly Column[]): Html =>
  html`<tr role="row"><th scope="row" role="rowheader" class="name">${name}</th>${columns.map(({ kind }, at) =>
    kind === "bar"
      ? html`<td class="bar" aria-hidden="true">${cells[at] ?? null}</td>`
      : html`<td role="cell" class="${kind}">${cells[at] ?? null}</td>`,
  )}</tr>
`;

/** One part of a bar and its class, before the bar is laid out. */
export interface Share {
  readonly look: string;
  readonly count: number;
}

/** A part of a row or of a column, in the unit of its frame. */
export interface Bar {
  readonly look: string;
  readonly start: number;
  readonly size: number;
}

/** Less cannot be seen. */
const LEAST = 0.8;

/**
 * Lays parts side by side so that they fill 100 exactly. A part that is not nothing can be seen; the largest gives up what
 * that takes.
 */
export function shareBars(shares: readonly Share[]): readonly Bar[] {
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return [];
  const sizes = shares.map(({ count }) => (count === 0 ? 0 : Math.max(LEAST, (count / total) * 100)));
  const excess = sizes.reduce((sum, size) => sum + size, 0) - 100;
  const largest = sizes.indexOf(Math.max(...sizes));
  let start = 0;
  return shares.flatMap(({ look, count }, at) => {
    if (count === 0) return [];
    const size = (sizes[at] ?? 0) - (at === largest ? excess : 0);
    start += size;
    return [{ look, start: start - size, size }];
  });
}

/** Stacks parts from the bottom up in a frame of `height`, where `most` fills it. A column with a run can be seen. */
export function stackedBars(shares: readonly Share[], most: number, height: number): readonly Bar[] {
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return [];
  const whole = Math.min(height, Math.max(1.5, (total / most) * height));
  let top = height;
  return shares.flatMap(({ look, count }) => {
    if (count === 0) return [];
    const size = (count / total) * whole;
    top -= size;
    return [{ look, start: Math.max(0, top), size }];
  });
}

/** The next of 1, 2, 3, 4, 5, 6, 8, 10, 20 … that is not below the number: the top of an axis. */
export function axisTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return ([1, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= most) ?? 10) * power;
}

/** A span of a run as percent of the run; always inside, and wide enough to be seen. */
export function spanBar(startMs: number, durationMs: number, wholeMs: number): Omit<Bar, "look"> {
  if (!(wholeMs > 0)) return { start: 0, size: 100 };
  const start = clamp((startMs / wholeMs) * 100, 0, 100 - LEAST / 2);
  return { start, size: clamp((durationMs / wholeMs) * 100, LEAST / 2, 100 - start) };
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

/** For an attribute: two digits are a fifth of a pixel. */
export const coordinate = (value: number): string => String(Number(value.toFixed(2)));
