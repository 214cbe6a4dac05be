import { raise } from "../faults.ts";
import { asCount, asText, type Given } from "../values/arguments.ts";
import { isTrue } from "../values/compare.ts";
import { Dict } from "../values/dict.ts";
import { escapeHtml, stripTags } from "../values/html.ts";
import { methodOf } from "../values/methods.ts";
import { calculate } from "../values/operators.ts";
import { htmlOf, str } from "../values/represent.ts";
import { requireSize, sliceOf } from "../values/sequence.ts";
import { charactersOf, isSpace, linesOf, PYTHON_SPACE, repeat } from "../values/text.ts";
import { Callable, isText, Markup, Slice, Tuple, textOf, typeNameOf, type Value } from "../values/value.ts";
import { type Filter, filter } from "./filter.ts";

/** Returns text unchanged, including HTML, and the `str()` of any other value. */
const softText = (value: Value): string | Markup => (isText(value) ? value : str(value));

/** The method of the same name of Python's str. */
const method = (name: string): Filter => filter("", (value) => callMethod(softText(value), name, []));

function callMethod(text: string | Markup, name: string, args: Given): Value {
  const found = methodOf(text, name);
  const positional = args.filter((one) => one !== undefined);
  return found instanceof Callable ? found.call({ positional, keywords: new Map() }) : raise("AttributeError", name);
}

const WORD_BREAK = new RegExp(`([-${PYTHON_SPACE}({[<]+)`);

function title(value: Value): Value {
  return textOf(softText(value))
    .split(WORD_BREAK)
    .map((part) => {
      const [first = "", ...rest] = charactersOf(part);
      return first.toUpperCase() + rest.join("").toLowerCase();
    })
    .join("");
}

function indent(value: Value, [width = 4n, first = false, blank = false]: Given): Value {
  const indention = isText(width) ? textOf(width) : repeat(" ", asCount(width));
  const joined = calculate(value, "+", "\n");
  if (!isText(joined)) return raise("TypeError", `can only indent text, not ${typeNameOf(value)}`);
  const [start = "", ...rest] = linesOf(textOf(joined));
  const lines = rest.map((line) => (isTrue(blank) || line !== "" ? indention + line : line));
  const text = (isTrue(first) ? indention : "") + [start, ...lines].join("\n");
  return value instanceof Markup ? new Markup(text) : text;
}

function truncate(value: Value, args: Given): Value {
  const [length = 255n, killwords = false, ending = "...", leeway = null] = args;
  const [most, spare] = [asCount(length), leeway === null ? 5 : asCount(leeway)];
  const end = requireSize(ending);
  if (most < end) raise("ValueError", `expected length >= ${end}, got ${most}`);
  if (spare < 0) raise("ValueError", `expected leeway >= 0, got ${spare}`);
  if (requireSize(value) <= most + spare) return value;
  const cut = sliceOf(value, new Slice([null, BigInt(most - end)]));
  if (cut === undefined) return raise("TypeError", `${typeNameOf(value)} cannot be truncated`);
  if (isTrue(killwords)) return calculate(cut, "+", ending);
  if (!isText(cut)) return raise("AttributeError", `${typeNameOf(cut)} has no rsplit`);
  const space = textOf(cut).lastIndexOf(" ");
  const words = space === -1 ? textOf(cut) : textOf(cut).slice(0, space);
  return calculate(cut instanceof Markup ? new Markup(words) : words, "+", ending);
}

function wordwrap(value: Value, args: Given): Value {
  const [width = 79n, breakLong = true, wrapstring = null, breakHyphens = true] = args;
  const options = { width: asCount(width), breaksLongWords: isTrue(breakLong), breaksOnHyphens: isTrue(breakHyphens) };
  const separator = wrapstring === null ? "\n" : wrapstring;
  const paragraphs = linesOf(asText(value)).map((line) => wrapLine(line, options).join(asText(separator)));
  const text = paragraphs.join(asText(separator));
  return separator instanceof Markup ? new Markup(text) : text;
}

const WORD = /[\p{L}\p{N}_]+/gu;

function replace(value: Value, [old = "", fresh = "", count = null]: Given, isHtml: boolean): Value {
  const most = count === null ? -1n : count;
  if (!isHtml) return callMethod(str(value), "replace", [str(old), str(fresh), most]);
  const isMarked = old instanceof Markup || (fresh instanceof Markup && !(value instanceof Markup));
  const text = isMarked ? new Markup(htmlOf(value)) : softText(value);
  return callMethod(text, "replace", [softText(old), softText(fresh), most]);
}

const format: Filter = (value, { positional, keywords }) => {
  if (positional.length > 0 && keywords.size > 0) raise("TypeError", "format takes values or keywords, not both");
  const values = keywords.size > 0 ? new Dict(keywords) : new Tuple(positional);
  return calculate(softText(value), "%", values);
};

const toHtml = filter("", (value) => new Markup(htmlOf(value)));

export const TEXT_FILTERS: Readonly<Record<string, Filter>> = {
  capitalize: method("capitalize"),
  center: filter("width?", (value, [width = 80n]) => callMethod(softText(value), "center", [width])),
  e: toHtml,
  escape: toHtml,
  forceescape: filter("", (value) => new Markup(escapeHtml(str(value)))),
  format,
  indent: filter("width? first? blank?", indent),
  lower: method("lower"),
  replace: filter("old new count?", (value, args, env) => replace(value, args, env.isAutoescaped)),
  safe: filter("", (value) => new Markup(str(value))),
  string: filter("", softText),
  striptags: filter("", (value) => stripTags(str(value))),
  title: filter("", title),
  trim: filter("chars?", (value, [chars]) => callMethod(softText(value), "strip", [chars])),
  truncate: filter("length? killwords? end? leeway?", truncate),
  upper: method("upper"),
  wordcount: filter("", (value) => BigInt(textOf(softText(value)).match(WORD)?.length ?? 0)),
  wordwrap: filter("width? break_long_words? wrapstring? break_on_hyphens?", wordwrap),
};

interface WrapOptions {
  readonly width: number;
  readonly breaksLongWords: boolean;
  readonly breaksOnHyphens: boolean;
}

const SPACE = "[\\t\\n\\v\\f\\r ]";
const OTHER = "[^\\t\\n\\v\\f\\r ]";
const WORD_CHARACTER = "[\\p{L}\\p{N}_]";
const LETTER = "[\\p{L}\\p{Nl}\\p{No}]";
const WORD_OR_MARK = "[\\p{L}\\p{N}_!\"'&.,?]";

/** Where a line may break: at white space, after a hyphen in a word, and around a dash between words. */
const PIECES = new RegExp(
  `${SPACE}+|(?<=${WORD_OR_MARK})-{2,}(?=${WORD_CHARACTER})|` +
    `${OTHER}+?(?:-(?:(?<=${LETTER}{2}-)|(?<=${LETTER}-${LETTER}-))(?=${LETTER}-?${LETTER})|(?=${SPACE}|$)|` +
    `(?<=${WORD_OR_MARK})(?=-{2,}${WORD_CHARACTER}))`,
  "gu",
);
const SIMPLE_PIECES = new RegExp(`${SPACE}+|${OTHER}+`, "gu");

/** Breaks one line of text into lines of limited width. White space at a break is dropped. */
function wrapLine(text: string, { width, breaksLongWords, breaksOnHyphens }: WrapOptions): readonly string[] {
  if (width <= 0) return raise("ValueError", `invalid width ${width} (must be > 0)`);
  const lines: string[] = [];
  let line: string[] = [];
  let length = 0;
  const endLine = (): void => {
    if (isBlank(line.at(-1))) line.pop();
    if (line.length > 0) lines.push(line.join(""));
    line = [];
    length = 0;
  };
  for (const piece of text.match(breaksOnHyphens ? PIECES : SIMPLE_PIECES) ?? []) {
    let rest = piece;
    while (rest !== "") {
      if (line.length === 0 && lines.length > 0 && isBlank(rest)) break;
      const characters = charactersOf(rest);
      const fits = length + characters.length <= width;
      const isTooLong = characters.length > width && (breaksLongWords || line.length === 0);
      if (fits || isTooLong) {
        const isWhole = fits || !breaksLongWords;
        const end = isWhole ? characters.length : breakIn(characters, width - length, breaksOnHyphens);
        line.push(characters.slice(0, end).join(""));
        length += end;
        rest = characters.slice(end).join("");
      }
      if (!fits) endLine();
    }
  }
  endLine();
  return lines;
}

const isBlank = (piece: string | undefined): boolean => piece === "" || (piece !== undefined && isSpace(piece));

/** Where a word that is too long for any line is broken: after its last hyphen that fits, or where the room ends. */
function breakIn(characters: readonly string[], room: number, breaksOnHyphens: boolean): number {
  const hyphen = breaksOnHyphens && room > 0 ? characters.lastIndexOf("-", room - 1) : -1;
  const isInWord = hyphen > 0 && characters.slice(0, hyphen).some((one) => one !== "-");
  return isInWord ? hyphen + 1 : room;
}
