/** How a word is dressed for a screen. Every symbol comes with a word, so nothing is lost without colour. */
export interface Style {
  readonly bad: (text: string) => string;
  readonly good: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly strong: (text: string) => string;
}

const same = (text: string): string => text;
export const PLAIN: Style = { bad: same, good: same, warn: same, faint: same, strong: same };

/** Pads to a column; a name that is too long pushes the rest to the right and stays readable. */
export function column(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - [...text].length));
}

export const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;
