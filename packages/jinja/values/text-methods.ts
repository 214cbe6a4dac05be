import { raise } from "../faults.ts";
import { asCount, asText, type Given, type Method, method, methods } from "./arguments.ts";
import { Dict } from "./dict.ts";
import { stripTags, unescapeHtml } from "./html.ts";
import { htmlOf, isPrintable } from "./represent.ts";
import { iterate, sliceOf } from "./sequence.ts";
import * as texts from "./text.ts";
import { isText, Markup, Slice, Tuple, textOf, typeNameOf, type Value } from "./value.ts";

type Text = string | Markup;

/** On HTML the texts that a method returns are HTML. */
function asHtml(value: Value): Value {
  if (typeof value === "string") return new Markup(value);
  if (Array.isArray(value)) return value.map(asHtml);
  return value instanceof Tuple ? new Tuple(value.items.map(asHtml)) : value;
}

/** A method that returns the same value for HTML as for text. */
const asking = (parameters: string, ask: (text: string, args: Given) => Value): Method<Text> =>
  method(parameters, (self, args) => ask(textOf(self), args));

/** A method that splits a text. */
const parting = (parameters: string, part: (text: string, args: Given) => Value): Method<Text> =>
  method(parameters, (self, args) => (self instanceof Markup ? asHtml(part(self.text, args)) : part(self, args)));

/** A method that returns text. On HTML it escapes text arguments. */
const making = (parameters: string, make: (text: string, args: Given) => string): Method<Text> =>
  method(parameters, (self, args) => {
    if (typeof self === "string") return make(self, args);
    const escaped = args.map((one) => (one !== undefined && isText(one) ? htmlOf(one) : one));
    return new Markup(make(self.text, escaped));
  });

/** A method that only HTML has. */
const onHtml = (name: string, make: (html: string) => string): Method<Text> =>
  method("", (self) => (self instanceof Markup ? make(self.text) : raise("AttributeError", name)));

const every = (pattern: RegExp): Method<Text> => asking("", (text) => pattern.test(text));
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

function indexOf(text: string, args: Given, isLast: boolean): bigint {
  const found = find(text, args, isLast);
  return found === -1 ? raise("ValueError", "substring not found") : BigInt(found);
}

function count(text: string, [wanted = null, start, end]: Given): bigint {
  const [part] = within(text, start, end);
  const needle = asText(wanted);
  return BigInt(needle === "" ? texts.lengthOf(part) + 1 : part.split(needle).length - 1);
}

function beginsOrEnds(text: string, [wanted, start, end]: Given, test: "startsWith" | "endsWith"): boolean {
  const [part, offset] = within(text, start, end);
  const all = wanted instanceof Tuple ? wanted.items : [wanted ?? null];
  return all.some((one) => offset <= texts.lengthOf(text) && part[test](asText(one)));
}

function split(text: string, [separator, most]: Given, isFromRight: boolean): string[] {
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

function splitSpaces(text: string, count: number, isFromRight: boolean): string[] {
  const words = [...texts.wordsOf(text)];
  if (count < 0 || words.length - 1 < count) return words;
  const spots = [...text.matchAll(texts.WORDS)];
  if (!isFromRight)
    return [...words.slice(0, count), ...spots.slice(count, count + 1).map(({ index }) => text.slice(index))];
  const rest = spots.slice(0, spots.length - count).at(-1);
  const before = rest === undefined ? [] : [text.slice(0, rest.index + rest[0].length)];
  return [...before, ...words.slice(words.length - count)];
}

function partition(text: string, [by = null]: Given, isLast: boolean): Tuple {
  const separator = asText(by);
  if (separator === "") raise("ValueError", "empty separator");
  const at = isLast ? text.lastIndexOf(separator) : text.indexOf(separator);
  if (at === -1) return new Tuple(isLast ? ["", "", text] : [text, "", ""]);
  return new Tuple([text.slice(0, at), separator, text.slice(at + separator.length)]);
}

/** Joins texts. On HTML it returns HTML and escapes the other texts. */
function join(self: Text, [items = null]: Given): Value {
  const parts = [...iterate(items)].map((item, at) => {
    if (self instanceof Markup) return htmlOf(isText(item) ? item : asText(item));
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
  text.replace(/./gsu, (one) => (/\p{Uppercase}/u.test(one) ? one.toLowerCase() : one.toUpperCase()));

export const TEXT_METHODS = methods<Text>({
  capitalize: making("", texts.capitalize),
  casefold: asking("", (text) => text.toLowerCase().toUpperCase().toLowerCase()),
  center: making("_width _fillchar?", centered),
  count: asking("_sub _start? _end?", count),
  endswith: asking("_suffix _start? _end?", (text, args) => beginsOrEnds(text, args, "endsWith")),
  expandtabs: making("tabsize?", (text, [size = 8n]) => expandTabs(text, asCount(size))),
  find: asking("_sub _start? _end?", (text, args) => BigInt(find(text, args, false))),
  index: asking("_sub _start? _end?", (text, args) => indexOf(text, args, false)),
  isalnum: every(/^[\p{L}\p{N}]+$/u),
  isalpha: every(/^\p{L}+$/u),
  isascii: every(/^[\0-\x7f]*$/),
  isdecimal: every(/^\p{Nd}+$/u),
  isdigit: every(/^[\p{Nd}\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468]+$/u),
  isidentifier: every(/^[\p{ID_Start}_]\p{ID_Continue}*$/u),
  islower: asking("", (text) => texts.hasCase(text, "lower")),
  isnumeric: every(/^\p{N}+$/u),
  isprintable: asking("", (text) => texts.charactersOf(text).every(isPrintable)),
  isspace: asking("", texts.isSpace),
  istitle: asking("", texts.isTitle),
  isupper: asking("", (text) => texts.hasCase(text, "upper")),
  join: method("_iterable", join),
  ljust: making("_width _fillchar?", (text, args) => field(text, args, () => 0)),
  lower: making("", (text) => text.toLowerCase()),
  lstrip: making("_chars?", (text, [chars]) => texts.strip(text, given(chars), "left")),
  partition: parting("_sep", (text, args) => partition(text, args, false)),
  removeprefix: asking("_prefix", (text, [prefix = null]) =>
    text.startsWith(asText(prefix)) ? text.slice(asText(prefix).length) : text,
  ),
  removesuffix: asking("_suffix", (text, [suffix = null]) =>
    text.endsWith(asText(suffix)) ? text.slice(0, text.length - asText(suffix).length) : text,
  ),
  replace: making("_old _new _count?", (text, [old = null, fresh = null, count = -1n]) =>
    replaceText(text, [asText(old), asText(fresh)], asCount(count)),
  ),
  rfind: asking("_sub _start? _end?", (text, args) => BigInt(find(text, args, true))),
  rindex: asking("_sub _start? _end?", (text, args) => indexOf(text, args, true)),
  rjust: making("_width _fillchar?", (text, args) => field(text, args, (missing) => missing)),
  rpartition: parting("_sep", (text, args) => partition(text, args, true)),
  rsplit: parting("sep? maxsplit?", (text, args) => split(text, args, true)),
  rstrip: making("_chars?", (text, [chars]) => texts.strip(text, given(chars), "right")),
  split: parting("sep? maxsplit?", (text, args) => split(text, args, false)),
  splitlines: parting("keepends?", (text, [keeps]) => [...texts.linesOf(text, keeps === true || keeps === 1n)]),
  startswith: asking("_prefix _start? _end?", (text, args) => beginsOrEnds(text, args, "startsWith")),
  strip: making("_chars?", (text, [chars]) => texts.strip(text, given(chars))),
  striptags: onHtml("striptags", stripTags),
  swapcase: making("", swapCase),
  title: making("", texts.titled),
  translate: making("_table", (text, [table]) => translate(text, table)),
  unescape: onHtml("unescape", unescapeHtml),
  upper: making("", (text) => text.toUpperCase()),
  zfill: making("_width", (text, [width = 0n]) => zeroFilled(text, asCount(width))),
});
