import { fail, ok, type Result } from "./result.ts";

export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** One JSON value exactly as it was written: `raw` is never re-serialised, so `1.10` and `1e400` survive. */
export interface JsonSpan {
  readonly kind: JsonKind;
  readonly raw: string;
}

/** The members of one object in their written order, values as raw text. */
export type JsonObject = ReadonlyMap<string, JsonSpan>;

export interface JsonFault {
  readonly kind: "syntax" | "duplicate-key" | "too-deep";
  /** In words; of a duplicate key the key itself. */
  readonly detail: string;
  /** 1-based, as an editor counts. */
  readonly line: number;
}

type OnPart = (start: number, end: number, key: string) => void;

interface Scan {
  readonly text: string;
  readonly maxDepth: number;
  fault: { kind: JsonFault["kind"]; detail: string; at: number } | null;
}

const FAULT = -1;
const ESCAPE = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;
const LITERALS = ["true", "false", "null"];

/** Reads exactly one value: RFC 8259, no duplicate keys at any level, no deeper than `maxDepth`. Never throws. */
export function readJson(text: string, maxDepth: number): Result<JsonSpan, JsonFault> {
  const scan: Scan = { text, maxDepth, fault: null };
  const start = afterSpace(text, 0);
  const end = valueEnd(scan, start, 0);
  if (end !== FAULT && afterSpace(text, end) !== text.length) {
    faultAt(scan, "syntax", "text after the JSON value", afterSpace(text, end));
  }
  if (scan.fault !== null) return fail(located(text, scan.fault));
  return ok(spanOf(text, start, end));
}

/** The members of an object span that `readJson` accepted. */
export function membersOf(span: JsonSpan): JsonObject {
  const members = new Map<string, JsonSpan>();
  parts(span, (start, end, key) => members.set(key, spanOf(span.raw, start, end)));
  return members;
}

/** Members as an object span: the way back, each value as it was written. */
export function objectOf(members: Iterable<readonly [string, JsonSpan]>): JsonSpan {
  const text = Array.from(members, ([key, span]) => `${JSON.stringify(key)}:${span.raw}`).join(",");
  return { kind: "object", raw: `{${text}}` };
}

/** The items of an array span that `readJson` accepted. */
export function itemsOf(span: JsonSpan): readonly JsonSpan[] {
  const items: JsonSpan[] = [];
  parts(span, (start, end) => items.push(spanOf(span.raw, start, end)));
  return items;
}

/** The text that a string span stands for. */
export function stringOf(span: JsonSpan): string {
  return span.raw.includes("\\") ? String(JSON.parse(span.raw)) : span.raw.slice(1, -1);
}

/** What is wrong, in words for any kind of fault. */
export function faultText({ kind, detail }: JsonFault): string {
  return kind === "duplicate-key" ? `the key ${JSON.stringify(detail.slice(0, 60))} stands twice` : detail;
}

function parts(span: JsonSpan, onPart: OnPart): void {
  const scan: Scan = { text: span.raw, maxDepth: Number.POSITIVE_INFINITY, fault: null };
  if (span.kind === "object") objectEnd(scan, 0, 0, onPart);
  if (span.kind === "array") arrayEnd(scan, 0, 0, onPart);
}

function spanOf(text: string, start: number, end: number): JsonSpan {
  return { kind: kindAt(text.charCodeAt(start)), raw: text.slice(start, end) };
}

function kindAt(code: number): JsonKind {
  if (code === 0x7b) return "object";
  if (code === 0x5b) return "array";
  if (code === 0x22) return "string";
  if (code === 0x6e) return "null";
  return code === 0x74 || code === 0x66 ? "boolean" : "number";
}

function valueEnd(scan: Scan, at: number, depth: number): number {
  const code = scan.text.charCodeAt(at);
  if (code === 0x22) return stringEnd(scan, at);
  if (code === 0x7b || code === 0x5b) {
    if (depth >= scan.maxDepth) return faultAt(scan, "too-deep", `nested deeper than ${scan.maxDepth} levels`, at);
    return code === 0x7b ? objectEnd(scan, at, depth + 1) : arrayEnd(scan, at, depth + 1);
  }
  const literal = LITERALS.find((word) => scan.text.startsWith(word, at));
  if (literal !== undefined) return at + literal.length;
  const end = numberEnd(scan.text, at);
  return end === FAULT ? unexpected(scan, at, "a value") : end;
}

/** By hand: nearly every payload has a number, and to compile a pattern for it would take 0.2 ms of each call. */
function numberEnd(text: string, start: number): number {
  const first = text[start] === "-" ? start + 1 : start;
  const whole = text[first] === "0" ? first + 1 : digitsEnd(text, first);
  if (whole === first) return FAULT;
  const part = text[whole] === "." ? digitsEnd(text, whole + 1) : whole;
  const mantissa = part > whole + 1 ? part : whole;
  if (text[mantissa] !== "e" && text[mantissa] !== "E") return mantissa;
  const sign = text[mantissa + 1];
  const exponent = sign === "+" || sign === "-" ? mantissa + 2 : mantissa + 1;
  const end = digitsEnd(text, exponent);
  return end === exponent ? mantissa : end;
}

function digitsEnd(text: string, start: number): number {
  for (let at = start; ; at++) {
    const code = text.charCodeAt(at);
    // Past the end it is NaN, which is no digit either.
    if (!(code >= 0x30 && code <= 0x39)) return at;
  }
}

function objectEnd(scan: Scan, start: number, depth: number, onPart?: OnPart): number {
  const keys = new Set<string>();
  let at = afterSpace(scan.text, start + 1);
  if (scan.text[at] === "}") return at + 1;
  for (;;) {
    if (scan.text[at] !== '"') return unexpected(scan, at, "a key in double quotes");
    const keyEnd = stringEnd(scan, at);
    if (keyEnd === FAULT) return FAULT;
    const key = stringOf({ kind: "string", raw: scan.text.slice(at, keyEnd) });
    // Compared after decoding: "a" and "\u0061" are one key, and readers disagree on which one counts.
    if (keys.has(key)) return faultAt(scan, "duplicate-key", key, at);
    keys.add(key);
    at = afterSpace(scan.text, keyEnd);
    if (scan.text[at] !== ":") return unexpected(scan, at, "a colon");
    const valueStart = afterSpace(scan.text, at + 1);
    const end = valueEnd(scan, valueStart, depth);
    if (end === FAULT) return FAULT;
    onPart?.(valueStart, end, key);
    at = afterSpace(scan.text, end);
    if (scan.text[at] === "}") return at + 1;
    if (scan.text[at] !== ",") return unexpected(scan, at, "a comma or }");
    at = afterSpace(scan.text, at + 1);
  }
}

function arrayEnd(scan: Scan, start: number, depth: number, onPart?: OnPart): number {
  let at = afterSpace(scan.text, start + 1);
  if (scan.text[at] === "]") return at + 1;
  for (;;) {
    const end = valueEnd(scan, at, depth);
    if (end === FAULT) return FAULT;
    onPart?.(at, end, "");
    at = afterSpace(scan.text, end);
    if (scan.text[at] === "]") return at + 1;
    if (scan.text[at] !== ",") return unexpected(scan, at, "a comma or ]");
    at = afterSpace(scan.text, at + 1);
  }
}

function stringEnd(scan: Scan, start: number): number {
  const { text } = scan;
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return faultAt(scan, "syntax", "a control character inside a string", at);
    if (code !== 0x5c) continue;
    ESCAPE.lastIndex = at + 1;
    if (!ESCAPE.test(text)) return faultAt(scan, "syntax", "an escape that JSON does not have", at);
    at = ESCAPE.lastIndex - 1;
  }
  return faultAt(scan, "syntax", "a string that never ends", start);
}

function afterSpace(text: string, at: number): number {
  for (let next = at; ; next++) {
    const code = text.charCodeAt(next);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return next;
  }
}

function unexpected(scan: Scan, at: number, wanted: string): number {
  // One character: a longer piece could be part of a secret, and half a token has no shape to know it by.
  const found =
    at >= scan.text.length ? "the end" : JSON.stringify(String.fromCodePoint(scan.text.codePointAt(at) ?? 0));
  return faultAt(scan, "syntax", `expected ${wanted}, found ${found}`, at);
}

function faultAt(scan: Scan, kind: JsonFault["kind"], detail: string, at: number): number {
  scan.fault ??= { kind, detail, at };
  return FAULT;
}

function located(text: string, fault: { kind: JsonFault["kind"]; detail: string; at: number }): JsonFault {
  return { kind: fault.kind, detail: fault.detail, line: text.slice(0, fault.at).split("\n").length };
}
