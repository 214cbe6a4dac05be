import { RenderError } from "../faults.ts";
import { isLess } from "../values/compare.ts";
import { Dict } from "../values/dict.ts";
import { quoted, repr, str } from "../values/represent.ts";
import { lengthOf, linesOf } from "../values/text.ts";
import { Group, Tuple, typeNameOf, type Value } from "../values/value.ts";

const WIDTH = 80;

interface Place {
  readonly indent: number;
  /** The number of characters that follow on the last line. */
  readonly allowance: number;
  readonly level: number;
}

/** Python's `pprint.pformat`: dicts sorted by key, values wider than 80 characters broken into lines. */
export const pretty = (value: Value): string => layOut(value, { indent: 0, allowance: 0, level: 1 });

function layOut(value: Value, place: Place): string {
  const text = oneLine(value);
  if (lengthOf(text) <= WIDTH - place.indent - place.allowance) return text;
  if (value instanceof Dict && value.size > 0) return dictText(value, place);
  if (Array.isArray(value) && value.length > 0) return `[${itemsText(value, place, 1)}]`;
  if (value instanceof Tuple && !(value instanceof Group) && value.items.length > 0) return tupleText(value, place);
  return typeof value === "string" ? stringText(value, place) : text;
}

/** `repr()` with the keys of dicts in their order. */
function oneLine(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (value instanceof Group) return repr(value);
  if (value instanceof Tuple) return `(${value.items.map(oneLine).join(", ")}${value.items.length === 1 ? "," : ""})`;
  if (!(value instanceof Dict)) return repr(value);
  return `{${pairsInOrder(value)
    .map(([key, item]) => `${oneLine(key)}: ${oneLine(item)}`)
    .join(", ")}}`;
}

const pairsInOrder = (dict: Dict): readonly (readonly [Value, Value])[] =>
  [...dict.entries()].sort(([left], [right]) => (isBefore(left, right) ? -1 : isBefore(right, left) ? 1 : 0));

/** Keys without an order among them are sorted by their types. */
function isBefore(left: Value, right: Value): boolean {
  try {
    return isLess(left, right);
  } catch (error) {
    if (error instanceof RenderError) return typeNameOf(left) < typeNameOf(right);
    throw error;
  }
}

const lineBreak = (indent: number): string => `,\n${" ".repeat(indent)}`;

function dictText(dict: Dict, { indent, allowance, level }: Place): string {
  const pairs = pairsInOrder(dict);
  const lines = pairs.map(([key, item], at) => {
    const name = oneLine(key);
    const isLast = at === pairs.length - 1;
    const place = { indent: indent + 1 + lengthOf(name) + 2, allowance: isLast ? allowance + 1 : 1, level: level + 1 };
    return `${name}: ${layOut(item, place)}`;
  });
  return `{${lines.join(lineBreak(indent + 1))}}`;
}

function tupleText({ items }: Tuple, place: Place): string {
  const end = items.length === 1 ? ",)" : ")";
  return `(${itemsText(items, place, end.length)}${end}`;
}

function itemsText(items: readonly Value[], { indent, allowance, level }: Place, closing: number): string {
  const lines = items.map((item, at) => {
    const isLast = at === items.length - 1;
    return layOut(item, { indent: indent + 1, allowance: isLast ? allowance + closing : 1, level: level + 1 });
  });
  return lines.join(lineBreak(indent + 1));
}

/** A long string is broken between its words, each part with its own quotes. */
function stringText(text: string, place: Place): string {
  const isTop = place.level === 1;
  const indent = place.indent + (isTop ? 1 : 0);
  const allowance = place.allowance + (isTop ? 1 : 0);
  const lines = linesOf(text, true);
  const chunks = lines.flatMap((line, at) => {
    const isLast = at === lines.length - 1;
    const width = WIDTH - indent;
    return quoted(line).length <= width - (isLast ? allowance : 0)
      ? [quoted(line)]
      : brokenLine(line, width, isLast ? allowance : 0);
  });
  if (chunks.length === 1) return quoted(lines.at(-1) ?? str(text));
  const joined = chunks.join(`\n${" ".repeat(indent)}`);
  return isTop ? `(${joined})` : joined;
}

function brokenLine(line: string, width: number, allowance: number): readonly string[] {
  const parts = (line.match(/\S*\s*/g) ?? []).filter((part) => part !== "");
  const chunks: string[] = [];
  let current = "";
  for (const [at, part] of parts.entries()) {
    const room = width - (at === parts.length - 1 ? allowance : 0);
    if (lengthOf(quoted(current + part)) <= room) {
      current += part;
      continue;
    }
    if (current !== "") chunks.push(quoted(current));
    current = part;
  }
  return current === "" ? chunks : [...chunks, quoted(current)];
}
