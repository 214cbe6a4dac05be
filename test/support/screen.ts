import { cellWidth } from "../../packages/screen/cell-width.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal does not show as text.
const CODES = /\u001b\[[0-9;?]*[a-zA-Z]/g;
/** A path, an address, a hash, and what stands in quotes: no shell and no reader could put it together again. */
const UNBREAKABLE = /^\s*(?:\S+|\S*'[^']*'\S*|\S*`[^`]*`\S*)(?: \\)?$/;

/** The lines of a screen, without colours and without progress that was removed again. */
export const screenLines = (shown: string): readonly string[] =>
  shown
    .split(/\r?\n/)
    .map((line) => line.split("\r\u001b[K").at(-1) ?? "")
    .map((line) => line.replace(CODES, "").replace(/\r$/, ""));

/** The lines that are wider than the screen and could have been broken. */
export const tooWide = (shown: string, columns: number): readonly string[] =>
  screenLines(shown).filter((line) => cellWidth(line) > columns && !UNBREAKABLE.test(line));

/** What a shell reads of text that was copied from a screen: a backslash at the end of a line joins it with the next. */
export const pasted = (shown: string): string => shown.replace(/ \\\n */g, " ");
