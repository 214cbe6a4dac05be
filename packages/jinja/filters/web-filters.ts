import { raise } from "../faults.ts";
import { asCount, type Given } from "../values/arguments.ts";
import { isTrue, sorted } from "../values/compare.ts";
import { Dict } from "../values/dict.ts";
import { escapeHtml } from "../values/html.ts";
import { floatText, integerText, quoted, str } from "../values/represent.ts";
import { isIterable, itemsOfSequence, iterate } from "../values/sequence.ts";
import { charactersOf } from "../values/text.ts";
import { isText, Markup, Tuple, textOf, typeNameOf, Undefined, type Value } from "../values/value.ts";
import { type Filter, filterOf } from "./filter.ts";
import { pretty } from "./pretty.ts";
import { escaped } from "./text-filters.ts";

/** Percent-encoded UTF-8. In a query a space is a plus, and a slash is encoded, too. */
function quote(value: Value, isQuery: boolean): string {
  const text = str(value);
  if (/\p{Cs}/u.test(text)) raise("ValueError", "the text is not well-formed");
  const encoded = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return isQuery ? encoded.replaceAll("%20", "+") : encoded.replaceAll("%2F", "/");
}

function urlencode(value: Value): Value {
  if (isText(value) || (!isIterable(value) && !(value instanceof Undefined))) return quote(value, false);
  const pairs = value instanceof Dict ? [...value.entries()] : [...iterate(value)].map(itemsOfSequence);
  return pairs
    .map(([key, item, ...more]) => {
      if (key === undefined || item === undefined || more.length > 0)
        return raise("ValueError", "a query is made of pairs");
      return `${quote(key, true)}=${quote(item, true)}`;
    })
    .join("&");
}

function xmlattr(value: Value, [autospace = true]: Given, isHtml: boolean): Value {
  if (!(value instanceof Dict)) return raise("AttributeError", "xmlattr takes a dict");
  const attributes: string[] = [];
  for (const [key, item] of value.entries()) {
    if (item === null || item instanceof Undefined) continue;
    if (!isText(key)) return raise("TypeError", "the name of an attribute must be text");
    if (/[\t-\r /=>]/.test(textOf(key)))
      raise("ValueError", `Invalid character in attribute name: ${quoted(textOf(key))}`);
    attributes.push(`${escaped(key).text}="${escaped(item).text}"`);
  }
  const text = attributes.join(" ");
  const spaced = isTrue(autospace) && text !== "" ? ` ${text}` : text;
  return isHtml ? new Markup(spaced) : spaced;
}

const JSON_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["<", "\\u003c"],
  [">", "\\u003e"],
  ["&", "\\u0026"],
  ["'", "\\u0027"],
]);

function tojson(value: Value, [indent = null]: Given): Value {
  const step =
    indent === null ? null : isText(indent) ? textOf(indent) : " ".repeat(Math.min(100, Math.max(0, asCount(indent))));
  return new Markup(jsonOf(value, step).replace(/[<>&']/g, (one) => JSON_ESCAPES.get(one) ?? one));
}

function links(
  value: Value,
  [limit = null, nofollow = false, target = null, rel = null, schemes = null]: Given,
): string {
  const relations = new Set([
    "noopener",
    ...(rel === null ? [] : str(rel).split(/\s+/)),
    ...(isTrue(nofollow) ? ["nofollow"] : []),
  ]);
  const sortedRelations = [...relations]
    .filter((one) => one !== "")
    .sort()
    .join(" ");
  const prefixes = schemes === null ? [] : itemsOfSequence(schemes).map(str);
  const wrong = prefixes.find((one) => !/^[\p{L}\p{N}_.+-]{2,}:\/{0,2}$/u.test(one));
  if (wrong !== undefined) raise("TypeError", `${quoted(wrong)} is not a valid URI scheme prefix.`);
  const most = limit === null ? null : asCount(limit);
  const shorten = (text: string): string => {
    const characters = charactersOf(text);
    return most === null || characters.length <= most ? text : `${characters.slice(0, most).join("")}...`;
  };
  const attribute = (name: string, text: string): string => (text === "" ? "" : ` ${name}="${escapeHtml(text)}"`);
  const attributes = attribute("rel", sortedRelations) + attribute("target", target === null ? "" : str(target));
  const options: LinkOptions = { attributes, prefixes, shorten };
  return urlize(escaped(value).text, options);
}

export const WEB_FILTERS: Readonly<Record<string, Filter>> = {
  pprint: filterOf(pretty),
  tojson: filterOf(tojson, ["indent"]),
  urlencode: filterOf(urlencode),
  urlize: filterOf(
    (value, args, env) => (env.isAutoescaped ? new Markup(links(value, args)) : links(value, args)),
    ["trim_url_limit", "nofollow", "target", "rel", "extra_schemes"],
  ),
  xmlattr: filterOf((value, args, env) => xmlattr(value, args, env.isAutoescaped), ["autospace"]),
};

interface LinkOptions {
  /** Attributes of each link beside `href`. */
  readonly attributes: string;
  /** Further beginnings of addresses: `ftp://`. */
  readonly prefixes: readonly string[];
  readonly shorten: (address: string) => string;
}

const W = "\\p{L}\\p{N}_";
const REST = "(?::\\d{1,5})?(?:[/?#]\\S*)?$";
const ADDRESSES = [
  `^(?:https?://|www\\.)(?:[${W}%-]+\\.)*(?:[a-z]{2,63}|xn--[${W}%]{2,59})${REST}`,
  `^(?:[${W}%-]{2,63}\\.)+(?:com|net|int|edu|gov|org|info|mil)${REST}`,
  `^https?://(?:\\d{1,3}(?:\\.\\d{1,3}){3}|\\[(?:[\\da-f]{0,4}:){2}(?:[\\da-f]{0,4}:?){1,6}\\])${REST}`,
].map((pattern) => new RegExp(pattern, "iu"));
const EMAIL = new RegExp(`^\\S+@[${W}][${W}.-]*\\.[${W}]+$`, "u");
const BEFORE = /^(?:[(<]|&lt;)+/;
const AFTER = /(?:[)>.,\n]|&gt;)+$/;
const BRACKETS = [
  ["(", ")"],
  ["<", ">"],
  ["&lt;", "&gt;"],
] as const;

/** HTML text in which the addresses are links. */
const urlize = (html: string, options: LinkOptions): string =>
  html
    .split(/(\s+)/)
    .map((word) => linked(word, options))
    .join("");

function linked(word: string, options: LinkOptions): string {
  const before = BEFORE.exec(word)?.[0] ?? "";
  const rest = word.slice(before.length);
  const after = AFTER.exec(rest)?.[0] ?? "";
  const [address, behind] = balanced(rest.slice(0, rest.length - after.length), after);
  return before + linkOf(address, options) + behind;
}

/** A closing bracket after an address belongs to it if the address opened one. */
function balanced(address: string, after: string): readonly [string, string] {
  let [inside, outside] = [address, after];
  for (const [open, close] of BRACKETS) {
    const opened = countOf(inside, open);
    if (opened <= countOf(inside, close)) continue;
    for (let left = Math.min(opened, countOf(outside, close)); left > 0; left -= 1) {
      const end = outside.indexOf(close) + close.length;
      [inside, outside] = [inside + outside.slice(0, end), outside.slice(end)];
    }
  }
  return [inside, outside];
}

const countOf = (text: string, part: string): number => text.split(part).length - 1;

function linkOf(address: string, { attributes, prefixes, shorten }: LinkOptions): string {
  if (ADDRESSES.some((pattern) => pattern.test(address))) {
    const scheme = /^https?:\/\//.test(address) ? "" : "https://";
    return `<a href="${scheme}${address}"${attributes}>${shorten(address)}</a>`;
  }
  const mail = address.startsWith("mailto:") ? address.slice("mailto:".length) : null;
  if (mail !== null && EMAIL.test(mail)) return `<a href="${address}">${mail}</a>`;
  const isMail = address.includes("@") && !address.startsWith("www.") && !address.includes(":") && EMAIL.test(address);
  if (isMail) return `<a href="mailto:${address}">${address}</a>`;
  return prefixes.reduce((link, prefix) => {
    const isLink = link !== prefix && link.startsWith(prefix);
    return isLink ? `<a href="${link}"${attributes}>${link}</a>` : link;
  }, address);
}

/** Deeper nesting is an error. */
const MOST_LEVELS = 900;

/** Python's `json.dumps` with sorted keys; `indent`: one level of it, or null for one line. */
function jsonOf(value: Value, indent: string | null, depth = 0): string {
  if (depth > MOST_LEVELS) return raise("ValueError", "Circular reference detected");
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "bigint") return integerText(value);
  if (typeof value === "number") return numberText(value);
  if (isText(value)) return jsonString(textOf(value));
  if (value instanceof Dict) return objectText(value, indent, depth);
  if (!Array.isArray(value) && !(value instanceof Tuple)) {
    return raise("TypeError", `Object of type ${typeNameOf(value)} is not JSON serializable`);
  }
  const items = Array.isArray(value) ? value : value.items;
  return inBrackets(
    "[]",
    items.map((item) => jsonOf(item, indent, depth + 1)),
    { indent, depth },
  );
}

function objectText(dict: Dict, indent: string | null, depth: number): string {
  const keys = sorted([...dict.entries()].map(([key]) => key));
  const members = keys.map((key) => `${jsonString(keyText(key))}: ${jsonOf(dict.get(key) ?? null, indent, depth + 1)}`);
  return inBrackets("{}", members, { indent, depth });
}

function inBrackets(
  brackets: string,
  parts: readonly string[],
  { indent, depth }: { indent: string | null; depth: number },
): string {
  const [open, close] = brackets;
  if (indent === null || parts.length === 0) return `${open}${parts.join(", ")}${close}`;
  const inner = `\n${indent.repeat(depth + 1)}`;
  return `${open}${inner}${parts.join(`,${inner}`)}\n${indent.repeat(depth)}${close}`;
}

function keyText(key: Value): string {
  if (isText(key)) return textOf(key);
  if (key === null || typeof key !== "object") return jsonOf(key, null);
  return raise("TypeError", `keys must be str, int, float, bool or None, not ${typeNameOf(key)}`);
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return floatText(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

/** In ASCII: every other character is escaped. */
function jsonString(text: string): string {
  return JSON.stringify(text).replace(
    /[^\0-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
