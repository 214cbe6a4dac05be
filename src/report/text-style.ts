import type { TrustState } from "../protocol/hook.ts";
import { escapeControls, truncateEscaped } from "../protocol/text/text.ts";

/** Colours of a terminal. Every symbol is followed by a word, so the text is complete without colours. */
export interface Style {
  readonly bad: (text: string) => string;
  readonly good: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly strong: (text: string) => string;
  /** Breaks a long line of code, with all its spaces: a person who approves it must see its end. */
  readonly breakCode: (line: string) => readonly string[];
}

const same = (text: string): string => text;
const breakCode = (line: string): readonly string[] => line.match(/^$|.{1,150}/gsu) ?? [];
export const PLAIN_STYLE: Style = { bad: same, good: same, warn: same, faint: same, strong: same, breakCode };

/** A line that others wrote, behind its sign. Further rows have a mark in the column of the sign, which no text can fill. */
export const sourceRows = (sign: string, line: string, style: Style, dress = same): readonly string[] =>
  style.breakCode(escapeControls(line)).map((row, at) => dress(`${at === 0 ? sign : "↪ "}${row}`));

/** The events that the text of a hook names that was not started. */
export const mentionText = (events: readonly string[]): string =>
  events.length === 0 ? "its text names no event" : `event named in its text: ${events.join(", ")}`;

/** Pads to a column; a name that is too long pushes the rest to the right and stays readable. */
export function column(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - [...text].length));
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
