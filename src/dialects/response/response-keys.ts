import type { EventName, EventRow } from "../../protocol/event.ts";
import { strictestDecision } from "../../protocol/hook-response.ts";
import {
  itemsOf,
  type JsonMember,
  type JsonObject,
  type JsonSpan,
  membersOf,
  spanOfRaw,
  stringOf,
} from "../../protocol/json/read.ts";
import { fitsField } from "../../protocol/payload/field.ts";
import type { Warning } from "../../protocol/warning.ts";
import type { ResponseKey, ResponsePart, UnreadKey } from "../dialect.ts";
import { type KnownKey, lossOf, type ResponseLevel, sortKeys } from "./key-spelling.ts";

type ReadKey = ResponseKey["read"];

const key = (name: string, expected: string, read: ReadKey): ResponseKey => ({
  key: name,
  isDeciding: false,
  expected,
  read,
});
export const decidingKey = (row: ResponseKey): ResponseKey => ({ ...row, isDeciding: true });

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
export const valueKey = (name: string, part: (raw: string, event: EventRow) => ResponsePart): ResponseKey => ({
  ...key(name, "JSON", (value, event) => part(value.raw, event)),
  isValue: true,
});

export const objectKey = (name: string, read: (value: JsonSpan, event: EventRow) => ResponsePart | null): ResponseKey =>
  key(name, "an object", (value, event) => (value.kind === "object" ? read(value, event) : null));

export const listKey = (
  name: string,
  expected: string,
  read: (items: readonly JsonSpan[]) => ResponsePart | null,
): ResponseKey => key(name, expected, (value) => (value.kind === "array" ? read(itemsOf(value)) : null));

/** One of several keywords, each with its own meaning. `more` describes additional requirements. */
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

/** The context in which one object of a response is read. */
interface Reading {
  readonly level: ResponseLevel;
  readonly row: EventRow;
  readonly event: EventName;
  /** True if null is a new value in the hook's dialect. */
  readonly nullReplaces: boolean;
}

/**
 * Reads all keys and merges their meanings. Each key is read on its own: a fault is reported in `unread` and does not
 * affect other keys.
 */
export function readKeys(members: readonly JsonMember[], reading: Reading): ResponsePart {
  const { keys, unread, warnings } = sortKeys(members, reading.level);
  const last: JsonObject = new Map(members);
  const parts = keys.map((key) => keyPart(key, last, reading));
  return mergeParts([{ unread, warnings }, ...parts]);
}

/** Of duplicate keys the last value is used, and any earlier value that blocks or asks. */
function keyPart(key: KnownKey, members: JsonObject, reading: Reading): ResponsePart {
  const takesNull = key.rows.some((row) => row.isTag || (row.takesNull && reading.nullReplaces));
  const values = key.values.filter(({ kind }) => kind !== "null" || takesNull);
  const parts = values.map((value) => valuePart(key, value, members, reading));
  const read = parts.filter(({ isRead }) => isRead);
  const before = read.slice(0, -1).filter(isStopping);
  const unread = parts.flatMap((part) => part.unread ?? []);
  const [latest = {}] = read.slice(-1);
  const warnings = parts.flatMap((part) => part.warnings ?? []);
  return { ...mergeParts([...before.map(stopAlone), latest]), unread, warnings };
}

const stopAlone = ({ decision = "none", reason = null }: ResponsePart): ResponsePart =>
  reason === null ? { decision } : { decision, reason };

const isStopping = ({ decision }: ResponsePart): boolean => decision === "block" || decision === "ask";

/** A key of several dialects is read by every row that accepts its value; the strictest meaning is used. */
function valuePart(key: KnownKey, value: JsonSpan, members: JsonObject, reading: Reading): ResponsePart {
  const { row: eventRow, level, nullReplaces } = reading;
  const path = `${level.path}${key.written}`;
  const wrongType = (expected: string, loss: UnreadKey["loss"]): UnreadKey => ({
    fault: { code: "REPLY_WRONG_TYPE", key: path, expected, found: shortValue(value) },
    loss,
  });
  const parts = key.rows.flatMap((keyRow) => keyRow.read(value, eventRow, members, reading.event) ?? []);
  if (parts.length === 0) {
    const expected = key.rows.map((keyRow) => keyRow.expected).join(", or ");
    return { unread: [wrongType(expected, lossOfKey(key.rows, value))] };
  }
  const merged = mergeParts(parts);
  // A new value of null means "unchanged", unless null is a value in the hook's dialect.
  const isUnchanged = merged.change === "null" && !nullReplaces;
  const part = isUnchanged ? { ...merged, change: null, isReplace: false } : merged;
  const expected = part.change == null ? null : expectedTarget(part.change, eventRow);
  // The value that the change should replace stays unchanged.
  if (expected !== null) return { unread: [...(part.unread ?? []), wrongType(expected, "guard")] };
  const misplaced: readonly Warning[] = part.isOutOfPlace
    ? [{ code: "CHANGE_IGNORED", hook: "", key: path, event: reading.event }]
    : [];
  return {
    ...part,
    warnings: [...(part.warnings ?? []), ...misplaced],
    // False if no row could read any part of the value, such as a `state` whose keys are all unknown.
    isRead: parts.some(({ isRead }) => isRead ?? true),
    decides: part.decides ?? key.rows.some((keyRow) => keyRow.isDeciding),
  };
}

function lossOfKey(rows: readonly ResponseKey[], value: JsonSpan): UnreadKey["loss"] {
  const deciding = rows.find((row) => row.isDeciding);
  if (deciding === undefined) return "detail";
  // The key itself is the decision, with any value.
  if (deciding.isTag) return value.raw === "false" ? "decision" : "guard";
  return lossOf(deciding.key, value);
}

/** Lists are appended, the strictest decision wins, and for any other value the last. */
export function mergeParts(parts: readonly ResponsePart[]): ResponsePart {
  const last: Record<string, unknown> = {};
  for (const part of parts) {
    for (const [key, value] of Object.entries(part)) if (value !== undefined) last[key] = value;
  }
  const deciding = parts.flatMap(({ decides }) => decides ?? []);
  const decisions = parts.flatMap(({ decision }) => (decision === undefined || decision === "none" ? [] : decision));
  return {
    ...last,
    decision: decisions.length === 0 ? "none" : strictestDecision(decisions),
    isReplace: parts.some(({ isReplace }) => isReplace),
    context: parts.flatMap(({ context }) => context ?? []),
    followUps: parts.flatMap(({ followUps }) => followUps ?? []),
    pushes: parts.flatMap(({ pushes }) => pushes ?? []),
    warnings: parts.flatMap(({ warnings }) => warnings ?? []),
    unread: parts.flatMap(({ unread }) => unread ?? []),
    isRead: parts.some(({ isRead }) => isRead),
    ...(deciding.length === 0 ? {} : { decides: deciding.includes(true) }),
  };
}

/** Describes the type of the target if the new value does not fit it; else null. */
function expectedTarget(change: string, event: EventRow): string | null {
  if (event.target === null) return null;
  const span = spanOfRaw(change);
  if (typeof event.target === "string") {
    const kind = event.fields[event.target]?.kind ?? "json";
    return fitsField(kind, span.kind) ? null : kind === "text" ? "a string" : `a ${kind}`;
  }
  const names = event.target;
  const expected = `an object of ${names.join(" and ")}`;
  if (span.kind !== "object") return expected;
  const fitting = [...membersOf(span)].every(
    ([key, { kind }]) => names.includes(key) && fitsField(event.fields[key]?.kind ?? "json", kind),
  );
  return fitting ? null : expected;
}

export const shortValue = (value: JsonSpan): string => (value.raw.length <= 40 ? value.raw : value.kind);
