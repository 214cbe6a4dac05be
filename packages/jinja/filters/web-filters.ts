import { raise } from "../faults.ts";
import { asCount, type Given } from "../values/arguments.ts";
import { isTrue, sorted } from "../values/compare.ts";
import { Dict } from "../values/dict.ts";
import { escapeHtml } from "../values/html.ts";
import { floatText, htmlOf, integerText, quoted, str } from "../values/represent.ts";
import { isIterable, itemsOfSequence, iterate } from "../values/sequence.ts";
import { charactersOf, lengthOf } from "../values/text.ts";
import { isText, Markup, Tuple, textOf, typeNameOf, Undefined, type Value } from "../values/value.ts";
import { type Filter, filter } from "./filter.ts";
import { pretty } from "./pretty.ts";

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

function xmlattr(value: Value, [autospace = true]: Given): string {
  if (!(value instanceof Dict)) return raise("AttributeError", "xmlattr takes a dict");
  const attributes: string[] = [];
  for (const [key, item] of value.entries()) {
    if (item === null || item instanceof Undefined) continue;
    if (!isText(key)) return raise("TypeError", "the name of an attribute must be text");
    if (/[\t-\r /=>]/.test(textOf(key)))
      raise("ValueError", `Invalid character in attribute name: ${quoted(textOf(key))}`);
    attributes.push(`${htmlOf(key)}="${htmlOf(item)}"`);
  }
  const text = attributes.join(" ");
  return isTrue(autospace) && text !== "" ? ` ${text}` : text;
}

function tojson(value: Value, [indent = null]: Given): Value {
  const step =
    indent === null ? null : isText(indent) ? textOf(indent) : " ".repeat(Math.min(100, Math.max(0, asCount(indent))));
  return new Markup(jsonOf(value, step).replace(/[<>&']/g, unicodeEscape));
}

/** HTML text in which the addresses are links. */
function urlize(value: Value, args: Given): string {
  const [limit = null, nofollow = false, target = null, rel = null, schemes = null] = args;
  const relations = ["noopener", ...(rel === null ? [] : str(rel).split(/\s+/)), isTrue(nofollow) ? "nofollow" : ""];
  const sortedRelations = [...new Set(relations)].filter((one) => one !== "").sort();
  const prefixes = schemes === null ? [] : itemsOfSequence(schemes).map(str);
  const wrong = prefixes.find((one) => !/^[\p{L}\p{N}_.+-]{2,}:\/{0,2}$/u.test(one));
  if (wrong !== undefined) raise("TypeError", `${quoted(wrong)} is not a valid URI scheme prefix.`);
  const attribute = (name: string, text: string): string => (text === "" ? "" : ` ${name}="${escapeHtml(text)}"`);
  const options: LinkOptions = {
    attributes: attribute("rel", sortedRelations.join(" ")) + attribute("target", target === null ? "" : str(target)),
    prefixes,
    limit: limit === null ? Number.POSITIVE_INFINITY : asCount(limit),
  };
  return htmlOf(value)
    .split(/(\s+)/)
    .map((word) => linked(word, options))
    .join("");
}

export const WEB_FILTERS: Readonly<Record<string, Filter>> = {
  pprint: filter("", pretty),
  tojson: filter("indent?", tojson),
  urlencode: filter("", urlencode),
  urlize: filter("trim_url_limit? nofollow? target? rel? extra_schemes?", (value, args, env) =>
    env.asValue(urlize(value, args)),
  ),
  xmlattr: filter("autospace?", (value, args, env) => env.asValue(xmlattr(value, args))),
};

interface LinkOptions {
  /** Attributes of each link beside `href`. */
  readonly attributes: string;
  /** Further beginnings of addresses: `ftp://`. */
  readonly prefixes: readonly string[];
  /** A longer address is shortened where it is shown. */
  readonly limit: number;
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

function linkOf(address: string, { attributes, prefixes, limit }: LinkOptions): string {
  if (ADDRESSES.some((pattern) => pattern.test(address))) {
    const scheme = /^https?:\/\//.test(address) ? "" : "https://";
    const shown = lengthOf(address) <= limit ? address : `${charactersOf(address).slice(0, limit).join("")}...`;
    return `<a href="${scheme}${address}"${attributes}>${shown}</a>`;
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

/** Python's `json.dumps` with sorted keys; `indent` is the text of one level, or null for one line. */
function jsonOf(value: Value, indent: string | null, depth = 0): string {
  if (depth > MOST_LEVELS) return raise("ValueError", "Circular reference detected");
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "bigint") return integerText(value);
  if (typeof value === "number") return Number.isFinite(value) ? floatText(value) : String(value);
  if (isText(value)) return jsonString(textOf(value));
  const inner = (item: Value): string => jsonOf(item, indent, depth + 1);
  const inBrackets = (open: string, parts: readonly string[], close: string): string => {
    if (indent === null || parts.length === 0) return `${open}${parts.join(", ")}${close}`;
    const line = `\n${indent.repeat(depth + 1)}`;
    return `${open}${line}${parts.join(`,${line}`)}\n${indent.repeat(depth)}${close}`;
  };
  if (value instanceof Dict) {
    const keys = sorted([...value.entries()].map(([key]) => key));
    const members = keys.map((key) => `${jsonString(keyText(key))}: ${inner(value.get(key) ?? null)}`);
    return inBrackets("{", members, "}");
  }
  if (Array.isArray(value) || value instanceof Tuple) {
    return inBrackets("[", (Array.isArray(value) ? value : value.items).map(inner), "]");
  }
  return raise("TypeError", `Object of type ${typeNameOf(value)} is not JSON serializable`);
}

function keyText(key: Value): string {
  if (isText(key)) return textOf(key);
  if (key === null || typeof key !== "object") return jsonOf(key, null);
  return raise("TypeError", `keys must be str, int, float, bool or None, not ${typeNameOf(key)}`);
}

const unicodeEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** In ASCII: every other character is escaped. */
const jsonString = (text: string): string => JSON.stringify(text).replace(/[^\0-\x7e]/g, unicodeEscape);
