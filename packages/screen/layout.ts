import { ownValue } from "../../src/protocol/own-value.ts";
import { asciiSource, breakCells, cellWidth, fitCells } from "./cell-width.ts";

/** What a text is laid out for. */
export interface Screen {
  /** Infinity outside a terminal: there nothing is broken, so that a line stays one record for `grep` and `cut`. */
  readonly columns: number;
  /** The locale has no UTF-8, so that symbols would be shown as several wrong characters. */
  readonly isAscii: boolean;
}

const ASCII: Readonly<Record<string, string>> = {
  ...{ "✔": "v", "✖": "x", "▲": "!", "•": "*", "✎": "~", "✚": "+", "░": ".", "█": "#", "│": "|", "…": "..." },
  ...{ "→": "->", "↪": ">" },
  ...{ "“": '"', "”": '"', "▁": "_", "▂": "_", "▃": "-", "▄": "-", "▅": "=", "▆": "=", "▇": "#" },
};
const SYMBOLS = new RegExp(`[${Object.keys(ASCII).join("")}]`, "g");

/** The one layout of everything that a person reads. JSON, and what begins like it, belongs to a program. */
export function layOut(text: string, { columns, isAscii }: Screen): string {
  if (/^[{["<]/.test(text)) return text;
  const shown = isAscii ? text.replace(SYMBOLS, (symbol) => ownValue(ASCII, symbol) ?? symbol) : text;
  if (columns === Number.POSITIVE_INFINITY) return shown;
  // A line that shows progress is erased as one line, so it may not become two.
  if (shown.startsWith("\r")) return clipProgress(shown, columns);
  return alignRows(shown.split("\n"), columns)
    .map((line) => lineFor(line, Math.max(columns, 20)))
    .join("\n");
}

/** The most columns in front of a line of source. */
const SOURCE_INDENT = 7;

/** The rows of a line of source. They fit with what stands in front of them, so that `layOut` leaves them as they are. */
export const breakSource = (line: string, { columns, isAscii }: Screen): readonly string[] =>
  breakCells(isAscii ? asciiSource(line) : line, Math.max(columns, 20) - SOURCE_INDENT);

// biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal, which take no column.
const COLOURS = /\u001b\[[0-9;]*m/g;
/** Padding inside a colour belongs behind it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same.
const PADDED = /( {2,})((?:\u001b\[[0-9;]*m)+)/g;
const ERASE = "\r\u001b[K";
const widthOf = (text: string): number => cellWidth(text.replace(COLOURS, ""));

const clipProgress = (text: string, columns: number): string =>
  text.startsWith(ERASE) ? ERASE + fitCells(text.slice(ERASE.length), columns - 1) : text;

/** Words behind a program that is the subject of a sentence, and no command. */
const VERBS =
  "is|was|has|does|did|can|cannot|could|needs|runs|ends|sends|sets|writes|created|removed|asks|itself|in|for";
/** The programs that commands in messages start. */
const PROGRAM = `(?:(?:npx|sudo) )?(?:hookctl|chmod|git|npm|mkdir|rm|mv|cp|export|unset|kill|apt|brew|cd|sh)(?! (?:${VERBS})\\b)`;
/** A command to copy begins a cell or stands behind a colon, and ends where the sentence does. Parts between dots only mention one. */
const COMMAND = new RegExp(
  `^(?!.* · )(|.*: )(${PROGRAM}(?: (?:\\\\.|'[^']*'|"[^"]*"|[^\\s'"])+?)+?)(|[.,;](?: .*)?| \\(.*)$`,
);
/** A command of its own line with its explanation. */
const COMMAND_ROW = new RegExp(`^( +)(${PROGRAM} \\S.*?) {2,}(\\S.*)$`);

/** Explanations of commands that follow each other are all behind them, or all below if one has no room. */
function alignRows(lines: readonly string[], columns: number): readonly string[] {
  const rows = lines.map((line) => COMMAND_ROW.exec(line));
  let isTight = false;
  return lines.flatMap((line, at) => {
    const [, indent = "", command = "", about = ""] = rows[at] ?? [];
    if (command === "") return line;
    if (at === 0 || rows[at - 1] === null) {
      const end = rows.indexOf(null, at);
      isTight = lines.slice(at, end === -1 ? lines.length : end).some((row) => widthOf(row) > columns);
    }
    return isTight ? [indent + command, `${indent}  ${about}`] : line;
  });
}

/** The words of a sentence; a command in it is one word. */
const WORD = /[("“]*(?:npx )?hookctl [a-z-]+(?: (?:--[a-z-]+|[A-Z]+\b|'[^']*'))*\S*|(?:[^\s`]*`[^`]+`)+\S*|\S+/g;
/** The words of a command, as a shell splits them. */
const SHELL_WORD = /(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"\\]|['"])+/g;

/** The lines so far, the last of which grows, and the column in which further ones begin. */
interface Filling {
  readonly lines: string[];
  readonly columns: number;
  readonly hang: number;
}

/** JSON is copied, and a line break in it would be part of a text. */
const JSON_LINE = /^ *(?:\{"|\[[["{]).*[\]}]$/;

/** A line in as many lines as it needs. Its cells are separated by two spaces or more. */
function lineFor(line: string, columns: number): string {
  if (widthOf(line) <= columns || JSON_LINE.test(line)) return line;
  const [, indent = "", rest = ""] = /^( *)(.*?) *$/s.exec(line.replace(PADDED, "$2$1")) ?? [];
  const [first = "", ...others] = rest.split(/( {2,})/);
  const filling = { lines: [indent], columns, hang: hangOf(indent.length, [first, ...others], columns) };
  addCell("", first, { isLast: others.length === 0, isCommand: false }, filling);
  for (let at = 0; at < others.length; at += 2) {
    const kind = { isLast: at + 2 === others.length, isCommand: at === 0 && DECISION.test(first) };
    addCell(others[at] ?? "", others[at + 1] ?? "", kind, filling);
  }
  return filling.lines.join("\n");
}

/** The length of a symbol and its space at the beginning of a cell. */
const symbolIn = (cell: string): number => /^[^\w\s"'`/~.(]{1,2} /.exec(cell.replace(COLOURS, ""))?.[0].length ?? 0;

/** Further lines begin below the second cell if that is near, or else below the text behind a symbol. */
function hangOf(indent: number, [first = "", gap = "", second = ""]: readonly string[], columns: number): number {
  if (symbolIn(first) > 0 && symbolIn(second) > 0) return indent;
  const wanted = indent + (gap === "" ? symbolIn(first) : widthOf(first) + gap.length);
  return wanted <= columns / 3 ? wanted : Math.min(indent + 2, Math.floor(columns / 3));
}

interface CellKind {
  readonly isLast: boolean;
  readonly isCommand: boolean;
}

/** A row that begins with a decision has the command second, of whatever program. */
const DECISION = /^(?:block|ask|allow|missed)$/;

/** A cell moves to the next line whole if it fits there. The last one may be a paragraph and is broken where it begins. */
function addCell(gap: string, cell: string, { isLast, isCommand }: CellKind, filling: Filling): void {
  const { lines, columns, hang } = filling;
  const start = widthOf(lines.at(-1) ?? "") + gap.length;
  const [, sentence = cell, command = "", rest = ""] = isCommand ? ["", "", cell] : (COMMAND.exec(cell) ?? []);
  if (start + widthOf(cell) <= columns) {
    append(gap + cell, filling);
    return;
  }
  const words = cell.match(WORD) ?? [];
  const isFitting = isLast && command === "" && words.every((word) => start + widthOf(word) <= columns);
  const isHere = start <= columns / 2 && (isCommand || isFitting);
  const cellFilling = { ...filling, hang: isHere && gap !== "" ? start : hang };
  if (gap !== "" && isHere) append(gap, filling);
  else if (gap !== "") lines.push(" ".repeat(hang));
  for (const word of sentence.match(WORD) ?? []) addWord(word, cellFilling);
  if (command === "") return;
  const [, mark = "", others = ""] = /^([.,;]?)(.*)$/s.exec(rest) ?? [];
  const before = lines.length;
  addCommand(command + mark, cellFilling);
  // Behind a command of several lines the sentence goes on in a line of its own.
  if (lines.length > before + 1 && others !== "") lines.push(" ".repeat(cellFilling.hang));
  for (const word of others.match(WORD) ?? []) addWord(word, cellFilling);
}

const append = (text: string, { lines }: Filling): void => void lines.push((lines.pop() ?? "") + text);

const isEmpty = ({ lines }: Filling): boolean => (lines.at(-1) ?? "").endsWith(" ") || lines.at(-1) === "";

/** Appends the word, with a space after another one, or begins a line with it. */
function addWord(word: string, filling: Filling): void {
  if (word.includes(" ") && widthOf(word) + filling.hang > filling.columns) {
    for (const part of word.split(" ")) addWord(part, filling);
    return;
  }
  const spaced = isEmpty(filling) ? word : ` ${word}`;
  const isFitting = widthOf((filling.lines.at(-1) ?? "") + spaced) <= filling.columns;
  if (isFitting || isEmpty(filling)) append(spaced, filling);
  else filling.lines.push(" ".repeat(filling.hang) + word);
}

/** The command in one line, or broken between its words so that a shell joins them again. */
function addCommand(command: string, filling: Filling): void {
  const { columns, hang } = filling;
  const [first = "", ...words] = widthOf(command) + hang <= columns ? [command] : (command.match(SHELL_WORD) ?? []);
  if (words.length === 0) {
    addWord(first, filling);
    return;
  }
  if (!isEmpty(filling)) filling.lines.push(" ".repeat(hang));
  append(first, filling);
  for (const [at, word] of words.entries()) {
    const last = filling.lines.pop() ?? "";
    if (widthOf(`${last} ${word}${at + 1 < words.length ? " \\" : ""}`) <= columns)
      filling.lines.push(`${last} ${word}`);
    else filling.lines.push(`${last} \\`, " ".repeat(hang + 2) + word);
  }
}

/**
 * The text with `npx` before each command line of hookctl, for a user who has no `hookctl` on the PATH. In a text that may be an
 * answer for a program only before those that are hints: behind a colon, or at the beginning of an indented line.
 */
export function npxForm(text: string, commands: readonly string[], isForPerson: boolean): string {
  if (/^[{["<#]/.test(text)) return text;
  const start = isForPerson ? "(?<![\\w./-]|npx )" : "(?<=: |^ {2,})";
  const words = [...commands, "help", "version", "COMMAND", "--help"].join("|");
  return text.replace(new RegExp(`${start}hookctl (?=(?:${words})\\b)`, "gm"), "npx hookctl ");
}
