import { RenderError } from "../faults.ts";
import { isLess } from "../values/compare.ts";
import { Dict } from "../values/dict.ts";
import { quoted, repr } from "../values/represent.ts";
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
  const unlabelled = (items: readonly Value[]): Rows => items.map((item) => ["", item]);
  if (value instanceof Dict && value.size > 0) {
    return broken(
      "{",
      pairsInOrder(value).map(([key, item]) => [`${oneLine(key)}: `, item]),
      "}",
      place,
    );
  }
  if (Array.isArray(value) && value.length > 0) return broken("[", unlabelled(value), "]", place);
  if (value instanceof Tuple && !(value instanceof Group) && value.items.length > 0) {
    return broken("(", unlabelled(value.items), value.items.length === 1 ? ",)" : ")", place);
  }
  return typeof value === "string" ? brokenText(value, place) : text;
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

type Rows = readonly (readonly [label: string, item: Value])[];

/** Each item in a line. */
function broken(open: string, rows: Rows, close: string, { indent, allowance, level }: Place): string {
  const lines = rows.map(([label, item], at) => {
    const isLast = at === rows.length - 1;
    const place = { indent: indent + 1 + lengthOf(label), allowance: isLast ? allowance + close.length : 1 };
    return label + layOut(item, { ...place, level: level + 1 });
  });
  return open + lines.join(`,\n${" ".repeat(indent + 1)}`) + close;
}

/** A long string is broken between its words, each part with its own quotes. */
function brokenText(text: string, place: Place): string {
  const isTop = place.level === 1;
  const indent = place.indent + (isTop ? 1 : 0);
  const allowance = place.allowance + (isTop ? 1 : 0);
  const lines = linesOf(text, true);
  const chunks = lines.flatMap((line, at) => wordGroups(line, WIDTH - indent, at === lines.length - 1 ? allowance : 0));
  if (chunks.length === 1) return quoted(lines.at(-1) ?? text);
  const joined = chunks.join(`\n${" ".repeat(indent)}`);
  return isTop ? `(${joined})` : joined;
}

/** The words of a line in quoted groups that fit into the width; the last group leaves room for `allowance` characters. */
function wordGroups(line: string, width: number, allowance: number): readonly string[] {
  if (quoted(line).length <= width - allowance) return [quoted(line)];
  const words = (line.match(/\S*\s*/g) ?? []).filter((word) => word !== "");
  const chunks: string[] = [];
  let current = "";
  for (const [at, word] of words.entries()) {
    const room = width - (at === words.length - 1 ? allowance : 0);
    const fits = lengthOf(quoted(current + word)) <= room;
    if (!fits && current !== "") chunks.push(quoted(current));
    current = fits ? current + word : word;
  }
  return current === "" ? chunks : [...chunks, quoted(current)];
}
