import type { EventRow } from "../../protocol/event.ts";
import { itemsOf, type JsonSpan, stringOf } from "../../protocol/json/read.ts";
import type { ResponseKey, ResponsePart } from "../dialect.ts";

type ReadKey = ResponseKey["read"];

const key = (name: string, expected: string, read: ReadKey): ResponseKey => ({
  key: name,
  isDeciding: false,
  expected,
  read,
});
export const decidingKey = (row: ResponseKey): ResponseKey => ({ ...row, isDeciding: true });

/** A new value that may be null in its own dialect. In other dialects null means "unchanged". */
export const nullableKey = (row: ResponseKey): ResponseKey => ({ ...row, takesNull: true });

export const newValueKey = (row: ResponseKey): ResponseKey => ({ ...row, isValue: true });

export const tagKey = (row: ResponseKey): ResponseKey => ({ ...row, isDeciding: true, isTag: true });

export const textKey = (name: string, part: (text: string, event: EventRow) => ResponsePart): ResponseKey =>
  key(name, "a string", (value, event) => (value.kind === "string" ? part(stringOf(value), event) : null));

export const flagKey = (name: string, part: (isSet: boolean) => ResponsePart): ResponseKey =>
  key(name, "true or false", (value) => (value.kind === "boolean" ? part(value.raw === "true") : null));

export const numberKey = (name: string, part: (raw: string) => ResponsePart): ResponseKey =>
  key(name, "a number", (value) => (value.kind === "number" ? part(value.raw) : null));

export const textsKey = (name: string, part: (texts: readonly string[]) => ResponsePart): ResponseKey =>
  key(name, "a string or a list of strings", (value) => {
    const texts = listOfTexts(value);
    return texts === null ? null : part(texts);
  });

/** Any JSON value, passed on as raw text. */
export const valueKey = (name: string, part: (raw: string, event: EventRow) => ResponsePart): ResponseKey =>
  newValueKey(key(name, "JSON", (value, event) => part(value.raw, event)));

export const objectKey = (name: string, read: (value: JsonSpan, event: EventRow) => ResponsePart | null): ResponseKey =>
  key(name, "an object", (value, event) => (value.kind === "object" ? read(value, event) : null));

export const listKey = (
  name: string,
  expected: string,
  read: (items: readonly JsonSpan[]) => ResponsePart | null,
): ResponseKey => key(name, expected, (value) => (value.kind === "array" ? read(itemsOf(value)) : null));

/** One of several words, each with its own meaning. `more` describes what else is needed. */
export const wordKey = (name: string, words: Readonly<Record<string, ReadKey>>, more = ""): ResponseKey =>
  key(name, `one of ${Object.keys(words).join(", ")}${more}`, (value, row, members, event) => {
    const word = value.kind === "string" ? stringOf(value) : "";
    return Object.hasOwn(words, word) ? (words[word]?.(value, row, members, event) ?? null) : null;
  });

/** Reads a string or a list of strings; null if it is neither. In a list null is an empty string, as in Go. */
export function listOfTexts(value: JsonSpan): readonly string[] | null {
  if (value.kind === "string") return [stringOf(value)].filter((text) => text !== "");
  if (value.kind !== "array") return null;
  const items = itemsOf(value);
  const isFit = items.every(({ kind }) => kind === "string" || kind === "null");
  return isFit ? items.map((item) => (item.kind === "null" ? "" : stringOf(item))) : null;
}

/** A new value of the target, if the event's target is on this side of the action. */
export const inputPart = (raw: string, event: EventRow): ResponsePart =>
  event.phase === "pre" && event.target !== "message" ? { change: raw } : { isOutOfPlace: true };
export const outputPart = (raw: string, event: EventRow): ResponsePart =>
  event.phase === "post" ? { change: raw } : { isOutOfPlace: true };
