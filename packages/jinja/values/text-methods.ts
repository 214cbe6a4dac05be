import { raise } from "../faults.ts";
import { asCount, asText, type Given, type Method, methods } from "./arguments.ts";
import { Dict } from "./dict.ts";
import { escapeHtml, stripTags, unescapeHtml } from "./html.ts";
import { htmlOf } from "./operators.ts";
import { isPrintable } from "./represent.ts";
import { iterate, sliceOf } from "./sequence.ts";
import * as texts from "./text.ts";
import { isText, Markup, Slice, Tuple, textOf, typeNameOf, type Value } from "./value.ts";

type Text = string | Markup;

/** A method that returns text. On HTML it returns HTML and escapes text arguments. */
const making = (
  make: (text: string, args: Given) => string,
  names: readonly string[] = [],
  required = names.length,
): Method<Text> => ({
  names,
  required,
  run: (self, args) => {
    if (typeof self === "string") return make(self, args);
    return new Markup(
      make(
        self.text,
        args.map((one) => (one !== undefined && isText(one) ? htmlOf(one) : one)),
      ),
    );
  },
});

const asking = (
  ask: (text: string, args: Given) => Value,
  names: readonly string[] = [],
  required = names.length,
): Method<Text> => ({
  names,
  required,
  run: (self, args) => ask(textOf(self), args),
});

/** A method that splits a text. */
const parting = (
  part: (text: string, args: Given) => readonly string[],
  names: readonly string[],
  isTuple = false,
): Method<Text> => ({
  names,
  required: isTuple ? 1 : 0,
  run: (self, args) => {
    const parts = part(textOf(self), args).map((one) => (self instanceof Markup ? new Markup(one) : one));
    return isTuple ? new Tuple(parts) : parts;
  },
});

const every = (pattern: RegExp): Method<Text> => asking((text) => pattern.test(text));
const given = (value: Value | undefined): string | null =>
  value === undefined || value === null ? null : asText(value);

function field(text: string, args: Given, align: (missing: number) => number): string {
  const fill = args[1] === undefined ? " " : asText(args[1]);
  if (texts.lengthOf(fill) !== 1) raise("TypeError", "The fill character must be exactly one character long");
  const missing = asCount(args[0] ?? 0n) - texts.lengthOf(text);
  if (missing <= 0) return text;
  const left = align(missing);
  return texts.repeat(fill, left) + text + texts.repeat(fill, missing - left);
}

/** Python puts the odd one to the left where the width is odd. */
const centered = (text: string, args: Given): string =>
  field(text, args, (missing) => Math.floor(missing / 2) + (missing % 2) * (asCount(args[0] ?? 0n) % 2));

function zeroFilled(text: string, width: number): string {
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  return sign + texts.repeat("0", width - texts.lengthOf(text)) + text.slice(sign.length);
}

function expandTabs(text: string, size: number): string {
  let column = 0;
  let written = "";
  for (const one of texts.charactersOf(text)) {
    const spaces = one === "\t" ? (size > 0 ? size - (column % size) : 0) : 0;
    written += one === "\t" ? texts.repeat(" ", spaces) : one;
    column = one === "\n" || one === "\r" ? 0 : column + (one === "\t" ? spaces : 1);
    texts.checkLength(written.length);
  }
  return written;
}

function replaceText(text: string, [old, fresh]: readonly [string, string], count: number): string {
  if (count === 0) return text;
  const parts = old === "" ? ["", ...texts.charactersOf(text), ""] : text.split(old);
  if (count < 0 || count >= parts.length - 1) return joinParts(parts, fresh);
  return joinParts(parts.slice(0, count + 1), fresh) + (old === "" ? "" : old) + parts.slice(count + 1).join(old);
}

function joinParts(parts: readonly string[], separator: string): string {
  texts.checkLength(parts.length * separator.length);
  return parts.join(separator);
}

/** The part of a text between two positions, and where it begins. */
function within(text: string, start: Value | undefined, end: Value | undefined): readonly [string, number] {
  const bounds = [start, end].map((bound) => (bound === undefined || bound === null ? null : BigInt(asCount(bound))));
  const part = sliceOf(text, new Slice(bounds));
  const length = texts.lengthOf(text);
  const first = Number(bounds[0] ?? 0n);
  return [String(part), first < 0 ? Math.max(0, first + length) : first];
}

function find(text: string, [wanted, start, end]: Given, isLast: boolean): number {
  const [part, offset] = within(text, start, end);
  const needle = asText(wanted ?? null);
  if (offset > texts.lengthOf(text)) return -1;
  const unit = isLast ? part.lastIndexOf(needle) : part.indexOf(needle);
  return unit === -1 ? -1 : offset + texts.characterAt(part, unit);
}

const index = (isLast: boolean): Method<Text> =>
  asking(
    (text, args) => {
      const found = find(text, args, isLast);
      return found === -1 ? raise("ValueError", "substring not found") : BigInt(found);
    },
    ["_sub", "_start", "_end"],
    1,
  );

function beginsOrEnds(text: string, [wanted, start, end]: Given, test: "startsWith" | "endsWith"): boolean {
  const [part, offset] = within(text, start, end);
  const all = wanted instanceof Tuple ? wanted.items : [wanted ?? null];
  return all.some((one) => offset <= texts.lengthOf(text) && part[test](asText(one)));
}

function split(text: string, [separator, most]: Given, isFromRight: boolean): readonly string[] {
  const count = most === undefined ? -1 : asCount(most);
  const by = given(separator);
  if (by === "") raise("ValueError", "empty separator");
  if (by === null) return splitSpaces(text, count, isFromRight);
  const parts = text.split(by);
  if (count < 0 || parts.length - 1 <= count) return parts;
  if (!isFromRight) return [...parts.slice(0, count), parts.slice(count).join(by)];
  const rest = parts.length - count;
  return [parts.slice(0, rest).join(by), ...parts.slice(rest)];
}

function splitSpaces(text: string, count: number, isFromRight: boolean): readonly string[] {
  const words = texts.wordsOf(text);
  if (count < 0 || words.length - 1 < count) return words;
  const spots = [...text.matchAll(texts.WORDS)];
  if (!isFromRight) {
    const rest = spots[count];
    return [
      ...words.slice(0, count),
      ...(rest === undefined ? [] : [texts.strip(text.slice(rest.index), null, "left")]),
    ];
  }
  const last = spots[spots.length - 1 - count];
  const kept = last === undefined ? [] : [texts.strip(text.slice(0, last.index + last[0].length), null, "right")];
  return [...kept.filter((one) => one !== ""), ...words.slice(words.length - count)];
}

function partition(text: string, separator: string, isLast: boolean): readonly string[] {
  if (separator === "") raise("ValueError", "empty separator");
  const at = isLast ? text.lastIndexOf(separator) : text.indexOf(separator);
  if (at === -1) return isLast ? ["", "", text] : [text, "", ""];
  return [text.slice(0, at), separator, text.slice(at + separator.length)];
}

/** Joins texts. On HTML it returns HTML and escapes the other texts. */
function join(self: Text, items: Value | undefined): Value {
  const parts = [...iterate(items ?? null)].map((item, at) => {
    if (self instanceof Markup) return isText(item) ? htmlOf(item) : escapeHtml(asText(item));
    return isText(item)
      ? textOf(item)
      : raise("TypeError", `sequence item ${at}: expected str instance, ${typeNameOf(item)} found`);
  });
  const joined = joinParts(parts, textOf(self));
  return self instanceof Markup ? new Markup(joined) : joined;
}

function translate(text: string, table: Value | undefined): string {
  if (!(table instanceof Dict)) return raise("TypeError", "translate() takes a dict");
  const changed = texts.charactersOf(text).map((one) => {
    const found = table.get(BigInt(one.codePointAt(0) ?? 0));
    if (found === undefined) return one;
    if (found === null) return "";
    return isText(found) ? textOf(found) : String.fromCodePoint(asCount(found));
  });
  return changed.join("");
}

const swapCase = (text: string): string =>
  texts
    .charactersOf(text)
    .map((one) => (/\p{Uppercase}/u.test(one) ? one.toLowerCase() : one.toUpperCase()))
    .join("");

export const TEXT_METHODS = methods<Text>({
  capitalize: making(texts.capitalize),
  casefold: asking((text) => text.toLowerCase().toUpperCase().toLowerCase()),
  center: making(centered, ["_width", "_fillchar"], 1),
  count: asking(
    (text, args) => {
      const [part] = within(text, args[1], args[2]);
      const wanted = asText(args[0] ?? null);
      return BigInt(wanted === "" ? texts.lengthOf(part) + 1 : part.split(wanted).length - 1);
    },
    ["_sub", "_start", "_end"],
    1,
  ),

  endswith: asking((text, args) => beginsOrEnds(text, args, "endsWith"), ["_suffix", "_start", "_end"], 1),
  expandtabs: making((text, [size]) => expandTabs(text, asCount(size ?? 8n)), ["tabsize"], 0),
  find: asking((text, args) => BigInt(find(text, args, false)), ["_sub", "_start", "_end"], 1),
  index: index(false),
  isalnum: every(/^[\p{L}\p{N}]+$/u),
  isalpha: every(/^\p{L}+$/u),
  isascii: every(/^[\0-\x7f]*$/),
  isdecimal: every(/^\p{Nd}+$/u),
  isdigit: every(/^[\p{Nd}\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468]+$/u),
  isidentifier: every(/^[\p{ID_Start}_]\p{ID_Continue}*$/u),
  islower: asking((text) => texts.hasCase(text, "lower")),
  isnumeric: every(/^\p{N}+$/u),
  isprintable: asking((text) => texts.charactersOf(text).every(isPrintable)),
  isspace: asking(texts.isSpace),
  istitle: asking(texts.isTitle),
  isupper: asking((text) => texts.hasCase(text, "upper")),
  join: { names: ["_iterable"], required: 1, run: (self, [items]) => join(self, items) },
  ljust: making((text, args) => field(text, args, () => 0), ["_width", "_fillchar"], 1),
  lower: making((text) => text.toLowerCase()),
  lstrip: making((text, [chars]) => texts.strip(text, given(chars), "left"), ["_chars"], 0),
  partition: parting((text, [by]) => partition(text, asText(by ?? null), false), ["_sep"], true),
  removeprefix: asking(
    (text, [prefix]) => {
      const start = asText(prefix ?? null);
      return text.startsWith(start) ? text.slice(start.length) : text;
    },
    ["_prefix"],
  ),

  removesuffix: asking(
    (text, [suffix]) => {
      const end = asText(suffix ?? null);
      return end !== "" && text.endsWith(end) ? text.slice(0, -end.length) : text;
    },
    ["_suffix"],
  ),

  replace: making(
    (text, [old, fresh, count]) =>
      replaceText(text, [asText(old ?? null), asText(fresh ?? null)], asCount(count ?? -1n)),
    ["_old", "_new", "_count"],
    2,
  ),

  rfind: asking((text, args) => BigInt(find(text, args, true)), ["_sub", "_start", "_end"], 1),
  rindex: index(true),
  rjust: making((text, args) => field(text, args, (missing) => missing), ["_width", "_fillchar"], 1),
  rpartition: parting((text, [by]) => partition(text, asText(by ?? null), true), ["_sep"], true),
  rsplit: parting((text, args) => split(text, args, true), ["sep", "maxsplit"]),
  rstrip: making((text, [chars]) => texts.strip(text, given(chars), "right"), ["_chars"], 0),
  split: parting((text, args) => split(text, args, false), ["sep", "maxsplit"]),
  splitlines: parting((text, [keeps]) => texts.linesOf(text, keeps === true || keeps === 1n), ["keepends"]),
  startswith: asking((text, args) => beginsOrEnds(text, args, "startsWith"), ["_prefix", "_start", "_end"], 1),
  strip: making((text, [chars]) => texts.strip(text, given(chars)), ["_chars"], 0),
  striptags: { run: (self) => (self instanceof Markup ? stripTags(self.text) : raise("AttributeError", "striptags")) },

  swapcase: making(swapCase),
  title: making(texts.titled),
  translate: making((text, [table]) => translate(text, table), ["_table"]),
  unescape: { run: (self) => (self instanceof Markup ? unescapeHtml(self.text) : raise("AttributeError", "unescape")) },

  upper: making((text) => text.toUpperCase()),
  zfill: making((text, [width]) => zeroFilled(text, asCount(width ?? 0n)), ["_width"]),
});
