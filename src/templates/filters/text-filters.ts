import { raise } from "../faults.ts";
import type { FilterName } from "../syntax/names.ts";
import { asCount, asText } from "../values/arguments.ts";
import { Dict } from "../values/dict.ts";
import { escapeHtml, stripTags } from "../values/html.ts";
import { methodOf } from "../values/methods.ts";
import { calculate, isTrue } from "../values/operators.ts";
import { str } from "../values/represent.ts";
import { requireSize, sliceOf } from "../values/sequence.ts";
import { charactersOf, linesOf, PYTHON_SPACE, repeat } from "../values/text.ts";
import { Callable, isText, Markup, Slice, Tuple, textOf, typeNameOf, type Value } from "../values/value.ts";
import { type Filter, filterOf } from "./filter.ts";
import { wrapLine } from "./word-wrap.ts";

/** Text as it is, HTML included; of anything else its `str()`. */
const softText = (value: Value): string | Markup => (isText(value) ? value : str(value));

/** HTML: escaped, unless it is HTML already. */
export const escaped = (value: Value): Markup => (value instanceof Markup ? value : new Markup(escapeHtml(str(value))));

/** The method of the same name of Python's str. */
const method = (name: string, names: readonly string[] = []): Filter =>
  filterOf((value, args) => callMethod(softText(value), name, args), names);

function callMethod(text: string | Markup, name: string, args: readonly (Value | undefined)[]): Value {
  const found = methodOf(text, name);
  const positional = args.filter((one) => one !== undefined);
  return found instanceof Callable ? found.call({ positional, keywords: new Map() }) : raise("AttributeError", name);
}

const WORD_BREAK = new RegExp(`([-${PYTHON_SPACE}({[<]+)`);

function title(value: Value): Value {
  const text = softText(value);
  const made = textOf(text)
    .split(WORD_BREAK)
    .filter((part) => part !== "")
    .map((part) => {
      const [first = "", ...rest] = charactersOf(part);
      return first.toUpperCase() + rest.join("").toLowerCase();
    })
    .join("");
  return made;
}

function indent(value: Value, [width = 4n, first = false, blank = false]: readonly (Value | undefined)[]): Value {
  const indention = isText(width) ? textOf(width) : repeat(" ", asCount(width));
  const joined = calculate(value, "+", "\n");
  if (!isText(joined)) return raise("TypeError", `can only indent text, not ${typeNameOf(value)}`);
  const [start = "", ...rest] = linesOf(textOf(joined));
  const lines = rest.map((line) => (isTrue(blank) || line !== "" ? indention + line : line));
  const text = (isTrue(first) ? indention : "") + [start, ...lines].join("\n");
  return value instanceof Markup ? new Markup(text) : text;
}

function truncate(value: Value, args: readonly (Value | undefined)[]): Value {
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

function wordwrap(value: Value, args: readonly (Value | undefined)[]): Value {
  const [width = 79n, breakLong = true, wrapstring = null, breakHyphens = true] = args;
  const options = { width: asCount(width), breaksLongWords: isTrue(breakLong), breaksOnHyphens: isTrue(breakHyphens) };
  const separator = wrapstring === null ? "\n" : wrapstring;
  const paragraphs = linesOf(asText(value)).map((line) => wrapLine(line, options).join(asText(separator)));
  const text = paragraphs.join(asText(separator));
  return separator instanceof Markup ? new Markup(text) : text;
}

const WORD = /[\p{L}\p{N}_]+/gu;

function replace(
  value: Value,
  [old = "", fresh = "", count = null]: readonly (Value | undefined)[],
  isHtml: boolean,
): Value {
  const most = count === null ? -1n : count;
  if (!isHtml) return callMethod(str(value), "replace", [str(old), str(fresh), most]);
  const isMarked = old instanceof Markup || (fresh instanceof Markup && !(value instanceof Markup));
  return callMethod(isMarked ? escaped(value) : softText(value), "replace", [softText(old), softText(fresh), most]);
}

const format: Filter = (_, value, { positional, keywords }) => {
  if (positional.length > 0 && keywords.size > 0) raise("TypeError", "format takes values or keywords, not both");
  const values = keywords.size > 0 ? new Dict(keywords) : new Tuple(positional);
  return calculate(softText(value), "%", values);
};

export const TEXT_FILTERS = {
  capitalize: method("capitalize"),
  center: filterOf((value, [width = 80n]) => callMethod(softText(value), "center", [width]), ["width"]),
  e: filterOf(escaped),
  escape: filterOf(escaped),
  forceescape: filterOf((value) => new Markup(escapeHtml(value instanceof Markup ? value.text : str(value)))),
  format,
  indent: filterOf(indent, ["width", "first", "blank"]),
  lower: method("lower"),
  replace: filterOf((value, args, env) => replace(value, args, env.isAutoescaped), ["old", "new", "count"], 2),
  safe: filterOf((value) => (value instanceof Markup ? value : new Markup(str(value)))),
  string: filterOf(softText),
  striptags: filterOf((value) => stripTags(str(value))),
  title: filterOf(title),
  trim: filterOf((value, [chars]) => callMethod(softText(value), "strip", [chars]), ["chars"]),
  truncate: filterOf(truncate, ["length", "killwords", "end", "leeway"]),
  upper: method("upper"),
  wordcount: filterOf((value) => BigInt(textOf(softText(value)).match(WORD)?.length ?? 0)),
  wordwrap: filterOf(wordwrap, ["width", "break_long_words", "wrapstring", "break_on_hyphens"]),
} satisfies Partial<Record<FilterName, Filter>>;
