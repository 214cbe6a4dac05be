import type { JsonKind } from "../payload/field.ts";
import { fail, ok, type Result } from "../result.ts";
import {
  type AcceptsKey,
  codeAt,
  decodeJsonString,
  type JsonSource,
  type ScanFault,
  type ScanOptions,
  skipSpace,
  textBetween,
  valueEnd,
} from "./scan.ts";

export type { JsonKind };

/** One JSON value exactly as it was written: `raw` is never re-serialised, so `1.10` and `1e400` survive. */
export interface JsonSpan {
  readonly kind: JsonKind;
  readonly raw: string;
  /** The bytes, the members or the items of which `raw` is made when it is read; missing for a text. */
  readonly from?: Buffer | JsonObject | readonly JsonSpan[];
  /** The members of an object with `from`. */
  readonly members?: JsonObject;
}

/** The members of one object in their written order, values as raw text. */
export type JsonObject = ReadonlyMap<string, JsonSpan>;

export interface JsonFault extends Omit<ScanFault, "at"> {
  /** 1-based, as in editors. */
  readonly line: number;
}

/** The maximum depth of any reader. It bounds memory; the scanner is not recursive, so no depth can overflow the stack. */
export const JSON_DEPTH = 100_000;

/** Reads exactly one value: RFC 8259, no duplicate keys at any level, no deeper than `maxDepth`. Never throws. */
export const readJson = (source: JsonSource, maxDepth: number): Result<JsonSpan, JsonFault> =>
  readWhole(source, { maxDepth, openObject: rejectDuplicateKeys });

/** The same with the default rule for duplicate keys: the last value wins. */
export function readJsonLenient(text: string): Result<JsonSpan, JsonFault> {
  const strict = readJson(text, JSON_DEPTH);
  if (strict.ok || strict.error.kind !== "duplicate-key") return strict;
  const cuts: Cut[] = [];
  const read = readWhole(text, { maxDepth: JSON_DEPTH, openObject: () => cutEarlierDuplicates(cuts) });
  return read.ok ? readJson(withoutCuts(text, cuts), JSON_DEPTH) : read;
}

function readWhole(source: JsonSource, options: ScanOptions): Result<JsonSpan, JsonFault> {
  const start = skipSpace(source, 0);
  const members = new Map<string, JsonSpan>();
  const onPart: OnPart = (from, to, key) => members.set(key, spanOf(source, from, to));
  const end = valueEnd(source, start, { ...options, onPart });
  if (typeof end !== "number") return fail(withLine(source, end));
  const rest = skipSpace(source, end);
  return rest === source.length
    ? ok(spanOf(source, start, end, members))
    : fail(withLine(source, { kind: "syntax", detail: "text after the JSON value", at: rest }));
}

/** The readable part of an object. */
interface PartialObject {
  /** The members in written order, including duplicates. */
  readonly members: readonly JsonMember[];
  /** The first fault, or null if the whole object could be read. */
  readonly fault: ScanFault | null;
  /** The end of the object, or the position of the fault. */
  readonly end: number;
}
export type JsonMember = readonly [key: string, value: JsonSpan];

/** Reads the members of the object that begins at `start`, up to the first fault. Never throws. */
export function readObjectAt(text: string, start: number): PartialObject {
  const members: JsonMember[] = [];
  const onPart: OnPart = (from, to, key) => members.push([key, spanOf(text, from, to)]);
  const end = valueEnd(text, start, { maxDepth: MAX_LEVELS, onPart });
  return typeof end === "number" ? { members, fault: null, end } : { members, fault: end, end: end.at };
}

type OnPart = NonNullable<ScanOptions["onPart"]>;

/** Higher than `JSON_DEPTH`, because a level costs only eight bytes when keys are not compared. */
const MAX_LEVELS = 1_000_000;

/** The members of an object span, also those whose key occurs twice. */
export const allMembersOf = (span: JsonSpan): readonly JsonMember[] => readObjectAt(span.raw, 0).members;

/** The members of an object span that `readJson` accepted. */
export function membersOf(span: JsonSpan): JsonObject {
  if (span.kind !== "object") return NO_MEMBERS;
  if (span.members !== undefined) return span.members;
  const members = new Map<string, JsonSpan>();
  eachPart(span, (start, end, key, source) => members.set(key, spanOf(source, start, end)));
  if (span instanceof LazySpan) span.members = members;
  return members;
}

/** A value whose text is made when it is needed: a large value mostly goes to hooks as the bytes that were read. */
class LazySpan implements JsonSpan {
  readonly kind: JsonKind;
  readonly from: NonNullable<JsonSpan["from"]>;
  members?: JsonObject;
  #raw: string | null = null;

  constructor(kind: JsonKind, from: NonNullable<JsonSpan["from"]>, members?: JsonObject) {
    this.kind = kind;
    this.from = from;
    if (members !== undefined) this.members = members;
  }

  get raw(): string {
    this.#raw ??= piecesOf(this).join("");
    return this.#raw;
  }
}

/** A part of a shorter value is not worth a write of its own. */
const LARGE_BYTES = 16 * 1024;

/** The text of a value in pieces to be written one after the other. Large ones are bytes that were read, without a copy. */
export function piecesOf(span: JsonSpan): readonly (string | Buffer)[] {
  const pieces: (string | Buffer)[] = [];
  let text = "";
  const add = (span: JsonSpan): void => {
    const { from } = span;
    if (from === undefined) text += span.raw;
    else if (!Buffer.isBuffer(from)) addParts(from);
    else if (from.length < LARGE_BYTES) text += from.toString();
    else {
      pieces.push(text, from);
      text = "";
    }
  };
  const addParts = (parts: JsonObject | readonly JsonSpan[]): void => {
    const [open, close] = Array.isArray(parts) ? "[]" : "{}";
    let before = open;
    for (const [key, value] of parts.entries()) {
      text += typeof key === "string" ? `${before}${JSON.stringify(key)}:` : before;
      add(value);
      before = ",";
    }
    text += before === open ? `${open}${close}` : close;
  };
  add(span);
  return [...pieces, text];
}

/** The first characters of the text of a value. A character has up to four bytes. */
export const startOfRaw = (span: JsonSpan, length: number): string =>
  piecesOf(span)
    .map((piece) => (typeof piece === "string" ? piece : piece.toString("utf8", 0, 4 * length)))
    .join("")
    .slice(0, length);

/** True if two values are written alike. */
export const isSame = (one: JsonSpan | undefined, other: JsonSpan | undefined): boolean =>
  one === other || one?.raw === other?.raw;

/** The members of a value; empty if it is missing or no object. */
export const membersOrNone = (span: JsonSpan | undefined): JsonObject =>
  span?.kind === "object" ? membersOf(span) : NO_MEMBERS;

const NO_MEMBERS: JsonObject = new Map();

/** The text of a member; empty if it is missing or no string. */
export function textMember(members: JsonObject, key: string): string {
  const span = members.get(key);
  return span?.kind === "string" ? stringOf(span) : "";
}

/** Builds an object span from members; each value stays as it was written. */
export function objectOf(entries: Iterable<readonly [string, JsonSpan]>): JsonSpan {
  const members = new Map(entries);
  return new LazySpan("object", members, members);
}

/** Builds an array span from items; each stays as it was written. */
export const arrayOf = (items: readonly JsonSpan[]): JsonSpan => new LazySpan("array", items);

/** The items of an array span that `readJson` accepted. */
export function itemsOf(span: JsonSpan): readonly JsonSpan[] {
  const items: JsonSpan[] = [];
  if (span.kind === "array") eachPart(span, (start, end, _, source) => items.push(spanOf(source, start, end)));
  return items;
}

/** Wraps text that is known to be one JSON value. */
export const spanOfRaw = (raw: string): JsonSpan => ({ kind: kindAt(raw.charCodeAt(0)), raw });

export const NULL: JsonSpan = { kind: "null", raw: "null" };
export const EMPTY_TEXT: JsonSpan = { kind: "string", raw: '""' };
export const EMPTY_OBJECT: JsonSpan = { kind: "object", raw: "{}" };

/** Builds a string span. */
export const textSpan = (text: string): JsonSpan => ({ kind: "string", raw: JSON.stringify(text) });

/** Decodes a string span. */
export const stringOf = (span: JsonSpan): string => decodeJsonString(span.raw);

/** Describes the fault. */
export function faultText({ kind, detail }: JsonFault): string {
  return kind === "duplicate-key" ? `the key ${JSON.stringify(detail.slice(0, 60))} occurs twice` : detail;
}

function eachPart(span: JsonSpan, onPart: (...part: [...Parameters<OnPart>, source: JsonSource]) => void): void {
  const source = Buffer.isBuffer(span.from) ? span.from : span.raw;
  const maxDepth = Number.POSITIVE_INFINITY;
  valueEnd(source, 0, { maxDepth, onPart: (start, end, key) => onPart(start, end, key, source) });
}

/**
 * Keys are compared after decoding ("a" and "\u0061" are the same key), because programs disagree on which of two
 * values wins.
 */
function rejectDuplicateKeys(): AcceptsKey {
  const keys = new Set<string>();
  return (key) => {
    const isNew = !keys.has(key);
    keys.add(key);
    return isNew;
  };
}

/** A part of the text to leave out. */
type Cut = readonly [start: number, end: number];

/** Collects cuts for all but the last member of each key; a cut ends where the next member begins. */
function cutEarlierDuplicates(cuts: Cut[]): AcceptsKey {
  const last = new Map<string, number>();
  const starts: number[] = [];
  return (key, at) => {
    const before = last.get(key);
    last.set(key, starts.length);
    starts.push(at);
    if (before !== undefined) cuts.push([starts[before] ?? at, starts[before + 1] ?? at]);
    return true;
  };
}

/** Two cuts are nested or disjoint, never overlapping. */
function withoutCuts(text: string, cuts: readonly Cut[]): string {
  const kept: string[] = [];
  let from = 0;
  for (const [start, end] of [...cuts].sort(([a], [b]) => a - b)) {
    if (start < from) continue;
    kept.push(text.slice(from, start));
    from = end;
  }
  return kept.join("") + text.slice(from);
}

function spanOf(source: JsonSource, start: number, end: number, members?: JsonObject): JsonSpan {
  const kind = kindAt(codeAt(source, start));
  if (typeof source === "string") return { kind, raw: source.slice(start, end) };
  return new LazySpan(kind, source.subarray(start, end), members);
}

function kindAt(code: number): JsonKind {
  if (code === 0x7b) return "object";
  if (code === 0x5b) return "array";
  if (code === 0x22) return "string";
  if (code === 0x6e) return "null";
  return code === 0x74 || code === 0x66 ? "boolean" : "number";
}

function withLine(text: JsonSource, fault: ScanFault): JsonFault {
  return { kind: fault.kind, detail: fault.detail, line: textBetween(text, 0, fault.at).split("\n").length };
}

/** An object from a file that hookctl did not write: its members are unchecked. */
export type UncheckedObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is UncheckedObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const objectOr = (value: unknown): UncheckedObject => (isObject(value) ? value : {});
export const arrayOr = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const stringOr = (value: unknown): string => (typeof value === "string" ? value : "");

/** The value of a JSON text; undefined if the text is no JSON. */
export function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
