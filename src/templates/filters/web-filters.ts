import { raise } from "../faults.ts";
import type { FilterName } from "../syntax/names.ts";
import { asCount } from "../values/arguments.ts";
import { Dict } from "../values/dict.ts";
import { escapeHtml } from "../values/html.ts";
import { isTrue } from "../values/operators.ts";
import { quoted, str } from "../values/represent.ts";
import { isIterable, itemsOfSequence, iterate } from "../values/sequence.ts";
import { charactersOf } from "../values/text.ts";
import { isText, Markup, textOf, Undefined, type Value } from "../values/value.ts";
import { type Filter, filterOf } from "./filter.ts";
import { jsonOf } from "./json-text.ts";
import { pretty } from "./pretty.ts";
import { escaped } from "./text-filters.ts";
import { type LinkOptions, urlize } from "./urlize.ts";

type Given = readonly (Value | undefined)[];

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

export const WEB_FILTERS = {
  pprint: filterOf(pretty),
  tojson: filterOf(tojson, ["indent"]),
  urlencode: filterOf(urlencode),
  urlize: filterOf(
    (value, args, env) => (env.isAutoescaped ? new Markup(links(value, args)) : links(value, args)),
    [...["trim_url_limit", "nofollow", "target", "rel", "extra_schemes"]],
  ),
  xmlattr: filterOf((value, args, env) => xmlattr(value, args, env.isAutoescaped), ["autospace"]),
} satisfies Partial<Record<FilterName, Filter>>;
