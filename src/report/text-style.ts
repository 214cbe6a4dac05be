import type { TrustState } from "../protocol/hook.ts";
import { truncateEscaped } from "../protocol/text/text.ts";

/** Colours of a terminal. Every symbol is followed by a word, so the text is complete without colours. */
export interface Style {
  readonly bad: (text: string) => string;
  readonly good: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly strong: (text: string) => string;
}

const same = (text: string): string => text;
export const PLAIN_STYLE: Style = { bad: same, good: same, warn: same, faint: same, strong: same };

/** Pads to a column; a name that is too long pushes the rest to the right and stays readable. */
export function column(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - [...text].length));
}

const LINE_WIDTH = 80;

/**
 * A sentence in lines of at most 80 columns where its words allow it. `start` is the column of its first word, and of the
 * first word of each further line. Not for a command: it could not be copied.
 */
export function sentenceLines(text: string, start: number): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && start + longer.length <= LINE_WIDTH) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join(`\n${" ".repeat(start)}`);
}

/** The column of hook names in `list` and in plans. Long names widen it up to a limit. */
export function nameColumn(names: readonly string[]): (name: string) => string {
  const shown = (name: string): string => truncateEscaped(name, 60);
  const width = Math.max(16, ...names.map((name) => [...shown(name)].length).filter((length) => length <= 32));
  return (name) => column(shown(name), width);
}

export const TRUST_LABELS: Readonly<Record<TrustState, string>> = {
  trusted: "✔ approved",
  untrusted: "✖ not approved",
  changed: "✖ changed",
  denied: "✖ denied",
  unsafe: "✖ unsafe",
};
