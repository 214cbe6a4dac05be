import { escapeControls } from "../../src/protocol/text/text.ts";

/** Takes no column: marks that combine with the character before, joiners and selectors. */
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;
/** Takes two columns: East Asian wide and fullwidth characters, and pictures. */
const DOUBLE_WIDTH =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f1e6}-\u{1f1ff}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;
const PLAIN = /^[\x20-\x7e]*$/;
const ELLIPSIS = "…";

/** The number of columns of a text on a terminal. */
export function cellWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

/** Escapes control characters, and cuts the text to a number of columns. */
export function fitCells(text: string, width: number): string {
  // Longer texts are never shown. A combining mark takes no column, but no character has hundreds of them.
  const escaped = escapeControls(text.length > width * 8 + 64 ? text.slice(0, width * 8 + 64) : text);
  if (cellWidth(escaped) <= width) return escaped;
  let [fitted, used] = ["", cellWidth(ELLIPSIS)];
  for (const char of escaped) {
    used += charWidth(char);
    if (used > width) break;
    fitted += char;
  }
  return width < 1 ? "" : fitted + ELLIPSIS;
}

/** Pads a text to a number of columns. */
export const padCells = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - cellWidth(text)));

/** Breaks a line into rows of a number of columns, before spaces where some are near; no character is lost. */
export function breakCells(line: string, width: number): readonly string[] {
  if (cellWidth(line) <= width) return [line];
  const rows: string[] = [];
  let [row, used] = ["", 0];
  for (const char of line) {
    const added = charWidth(char);
    if (used + added > width) {
      const end = endOfRow(row, char, width);
      rows.push(row.slice(0, end));
      row = row.slice(end);
      used = cellWidth(row);
    }
    row += char;
    used += added;
  }
  return [...rows, row];
}

/** The spaces begin the next row: at the end of this one nobody would see them, and `/ tmp` would look like `/tmp`. */
function endOfRow(row: string, next: string, width: number): number {
  if (next === " " && !row.endsWith(" ")) return row.length;
  const gap = row.search(/ +[^ ]*$/);
  return cellWidth(row.slice(0, Math.max(0, gap))) >= Math.max(2, width / 2) ? gap : row.length;
}

/** Source in ASCII: a symbol in its place would hide which character is in the text. */
export const asciiSource = (line: string): string =>
  line.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

function charWidth(char: string): number {
  if (ZERO_WIDTH.test(char)) return 0;
  return DOUBLE_WIDTH.test(char) ? 2 : 1;
}
