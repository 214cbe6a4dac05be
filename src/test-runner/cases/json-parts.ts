import { itemsOf, type JsonSpan, membersOf, stringOf } from "../../protocol/json/read.ts";

/** Equal as values: the order of keys and white space do not matter, the digits of large numbers do. */
export const isSameJson = (a: JsonSpan, b: JsonSpan): boolean => canonical(a) === canonical(b);

/** True if an object has at least the members of the part, at every level; lists have as many items. */
export function hasPart(whole: JsonSpan | undefined, part: JsonSpan): boolean {
  if (whole?.kind !== part.kind) return false;
  if (part.kind === "object") {
    const members = membersOf(whole);
    return [...membersOf(part)].every(([key, value]) => hasPart(members.get(key), value));
  }
  if (part.kind !== "array") return isSameJson(whole, part);
  const [items, wanted] = [itemsOf(whole), itemsOf(part)];
  return items.length === wanted.length && wanted.every((value, index) => hasPart(items[index], value));
}

function canonical(span: JsonSpan): string {
  if (span.kind === "array") return `[${itemsOf(span).map(canonical).join(",")}]`;
  if (span.kind === "string") return JSON.stringify(stringOf(span));
  if (span.kind !== "object") return span.kind === "number" ? digits(span.raw) : span.raw;
  const members = [...membersOf(span)].map(([key, value]) => `${JSON.stringify(key)}:${canonical(value)}`);
  return `{${members.sort().join(",")}}`;
}

/** `1.0` is `1`; an integer that JavaScript would round stays as it was written. */
function digits(raw: string): string {
  const value = Number(raw);
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? raw : String(value);
}
