import { raise } from "../faults.ts";
import { charactersOf, isSpace, lengthOf } from "../values/text.ts";

interface WrapOptions {
  readonly width: number;
  readonly breaksLongWords: boolean;
  readonly breaksOnHyphens: boolean;
}

const SPACE = "[\\t\\n\\v\\f\\r ]";
const OTHER = "[^\\t\\n\\v\\f\\r ]";
const WORD = "[\\p{L}\\p{N}_]";
const LETTER = "[\\p{L}\\p{Nl}\\p{No}]";
const WORD_OR_MARK = "[\\p{L}\\p{N}_!\"'&.,?]";

/** Where a line may break: at white space, after a hyphen in a word, and around a dash between words. */
const PIECES = new RegExp(
  `${SPACE}+|(?<=${WORD_OR_MARK})-{2,}(?=${WORD})|` +
    `${OTHER}+?(?:-(?:(?<=${LETTER}{2}-)|(?<=${LETTER}-${LETTER}-))(?=${LETTER}-?${LETTER})|(?=${SPACE}|$)|` +
    `(?<=${WORD_OR_MARK})(?=-{2,}${WORD}))`,
  "gu",
);
const SIMPLE_PIECES = new RegExp(`${SPACE}+|${OTHER}+`, "gu");

/** One line of text as lines of at most so many characters. White space where it breaks is dropped. */
export function wrapLine(text: string, options: WrapOptions): readonly string[] {
  if (options.width <= 0) return raise("ValueError", `invalid width ${options.width} (must be > 0)`);
  const waiting = (text.match(options.breaksOnHyphens ? PIECES : SIMPLE_PIECES) ?? []).reverse();
  const lines: string[] = [];
  while (waiting.length > 0) {
    if (lines.length > 0 && isBlank(waiting.at(-1))) waiting.pop();
    const line = nextLine(waiting, options);
    if (isBlank(line.at(-1))) line.pop();
    if (line.length > 0) lines.push(line.join(""));
  }
  return lines;
}

const isBlank = (piece: string | undefined): boolean => piece === "" || (piece !== undefined && isSpace(piece));

/** Takes as many pieces as fit from the end of the list, and a part of one that is too long for any line. */
function nextLine(waiting: string[], options: WrapOptions): string[] {
  const line: string[] = [];
  let length = 0;
  for (let next = waiting.at(-1); next !== undefined; next = waiting.at(-1)) {
    const size = lengthOf(next);
    if (length + size > options.width) {
      if (size > options.width) breakLong(waiting, line, { ...options, width: options.width - length });
      break;
    }
    line.push(next);
    length += size;
    waiting.pop();
  }
  return line;
}

function breakLong(waiting: string[], line: string[], { width, breaksLongWords, breaksOnHyphens }: WrapOptions): void {
  const word = waiting.at(-1) ?? "";
  if (!breaksLongWords) {
    if (line.length === 0) line.push(waiting.pop() ?? "");
    return;
  }
  const characters = charactersOf(word);
  const hyphen = breaksOnHyphens && width > 0 ? characters.lastIndexOf("-", width - 1) : -1;
  const isInWord = hyphen > 0 && characters.slice(0, hyphen).some((one) => one !== "-");
  const end = isInWord ? hyphen + 1 : width;
  line.push(characters.slice(0, end).join(""));
  waiting[waiting.length - 1] = characters.slice(end).join("");
}
