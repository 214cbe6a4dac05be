/** A JSON text, or its UTF-8 bytes: then each position is that of a byte. */
export type JsonSource = string | Buffer;

/** NaN past the end. */
export const codeAt = (source: JsonSource, at: number): number =>
  typeof source === "string" ? source.charCodeAt(at) : (source[at] ?? Number.NaN);

const isAt = (source: JsonSource, at: number, word: string): boolean =>
  codeAt(source, at) === word.charCodeAt(0) &&
  (word.length === 1 || textBetween(source, at, at + word.length) === word);

export const textBetween = (source: JsonSource, start: number, end: number): string =>
  typeof source === "string" ? source.slice(start, end) : source.toString("utf8", start, end);

/** A syntax fault and its position. */
export interface ScanFault {
  readonly kind: "syntax" | "duplicate-key" | "too-deep";
  /** A description, or the duplicate key itself. */
  readonly detail: string;
  readonly at: number;
}

/** The position after a part of the text, or the fault in it. */
export type End = number | ScanFault;

/** Called with each key of an object and its position. Returns false if the object may not have the key. */
export type AcceptsKey = (key: string, at: number) => boolean;

export interface ScanOptions {
  readonly maxDepth: number;
  /** Starts the comparison of the keys of one object; missing if keys are not compared. */
  readonly openObject?: () => AcceptsKey;
  /** Called with each member or item of the value. */
  readonly onPart?: (start: number, end: number, key: string) => void;
}

/** An open object or array. */
interface Level {
  readonly isObject: boolean;
  /** Null if no key is read. */
  readonly acceptsKey: AcceptsKey | null;
  key: string;
}

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ACCEPT_ANY: AcceptsKey = () => true;

/** Scans the value that begins at `start`. It has its own stack, so no depth can overflow the call stack. */
export function valueEnd(text: JsonSource, start: number, { maxDepth, openObject, onPart }: ScanOptions): End {
  const open: Level[] = [];
  let partStart = start;
  for (let at = start; ; ) {
    if (open.length === 1) partStart = at;
    const code = codeAt(text, at);
    const isObject = code === OPEN_OBJECT;
    const isContainer = isObject || code === OPEN_ARRAY;
    if (isContainer && open.length >= maxDepth)
      return { kind: "too-deep", detail: `nested deeper than ${maxDepth} levels`, at };
    const first = isContainer ? skipSpace(text, at + 1) : at;
    const isEmpty = isContainer && codeAt(text, first) === (isObject ? CLOSE_OBJECT : CLOSE_ARRAY);
    let next: End;
    if (isContainer && !isEmpty) {
      const anyKey = open.length === 0 && onPart !== undefined ? ACCEPT_ANY : null;
      const level = { isObject, acceptsKey: openObject?.() ?? anyKey, key: "" };
      open.push(level);
      next = partValue(text, first, level);
    } else {
      const end = isEmpty ? first + 1 : scalarEnd(text, at);
      next = typeof end === "number" ? nextValue(end) : end;
    }
    if (typeof next !== "number" || open.length === 0) return next;
    at = next;
  }

  /** Closes the containers that end before the next value, and returns where it begins. */
  function nextValue(previousEnd: number): End {
    for (let end = previousEnd; ; ) {
      const level = open.at(-1);
      if (level === undefined) return end;
      if (open.length === 1) onPart?.(partStart, end, level.key);
      const at = skipSpace(text, end);
      const code = codeAt(text, at);
      if (code === COMMA) return partValue(text, skipSpace(text, at + 1), level);
      if (code !== (level.isObject ? CLOSE_OBJECT : CLOSE_ARRAY))
        return unexpected(text, at, level.isObject ? "a comma or }" : "a comma or ]");
      open.pop();
      end = at + 1;
    }
  }
}

/** Returns where the value of a member or item begins: after the key and the colon. */
function partValue(text: JsonSource, at: number, level: Level): End {
  if (!level.isObject) return at;
  const keyEnd = codeAt(text, at) === QUOTE ? stringEnd(text, at) : unexpected(text, at, "a key in double quotes");
  if (typeof keyEnd !== "number") return keyEnd;
  if (level.acceptsKey !== null) {
    level.key = decodeJsonString(textBetween(text, at, keyEnd));
    if (!level.acceptsKey(level.key, at)) return { kind: "duplicate-key", detail: level.key, at };
  }
  const colon = skipSpace(text, keyEnd);
  return isAt(text, colon, ":") ? skipSpace(text, colon + 1) : unexpected(text, colon, "a colon");
}

const LITERALS = ["true", "false", "null"];

function scalarEnd(text: JsonSource, at: number): End {
  if (codeAt(text, at) === QUOTE) return stringEnd(text, at);
  const literal = LITERALS.find((word) => isAt(text, at, word));
  if (literal !== undefined) return at + literal.length;
  return numberEnd(text, at) ?? unexpected(text, at, "a value");
}

/** Written without a regular expression: nearly every payload has a number, and compiling the expression takes 0.2 ms. */
function numberEnd(text: JsonSource, start: number): number | null {
  const first = isAt(text, start, "-") ? start + 1 : start;
  const whole = isAt(text, first, "0") ? first + 1 : digitsEnd(text, first);
  if (whole === first) return null;
  const part = isAt(text, whole, ".") ? digitsEnd(text, whole + 1) : whole;
  const mantissa = part > whole + 1 ? part : whole;
  if (!isAt(text, mantissa, "e") && !isAt(text, mantissa, "E")) return mantissa;
  const isSigned = isAt(text, mantissa + 1, "+") || isAt(text, mantissa + 1, "-");
  const exponent = isSigned ? mantissa + 2 : mantissa + 1;
  const end = digitsEnd(text, exponent);
  return end === exponent ? mantissa : end;
}

function digitsEnd(text: JsonSource, start: number): number {
  for (let at = start; ; at++) {
    const code = codeAt(text, at);
    // Past the end of the text it is NaN, which is not a digit either.
    if (!(code >= 0x30 && code <= 0x39)) return at;
  }
}

function stringEnd(text: JsonSource, start: number): End {
  for (let at = start + 1; ; ) {
    at = typeof text === "string" ? plainEnd(text, at) : plainBytesEnd(text, at);
    const code = codeAt(text, at);
    if (code === QUOTE) return at + 1;
    if (code < 0x20) return { kind: "syntax", detail: "a control character inside a string", at };
    if (code !== BACKSLASH) return { kind: "syntax", detail: "an unterminated string", at: start };
    const end = escapeEnd(text, at + 1);
    if (end === null) return { kind: "syntax", detail: "an invalid escape sequence", at };
    at = end;
  }
}

const HEX = "0123456789abcdefABCDEF";

function escapeEnd(text: JsonSource, at: number): number | null {
  const isOf = (chars: string, index: number) => chars.includes(String.fromCharCode(codeAt(text, index)));
  if (!isAt(text, at, "u")) return isOf('"\\/bfnrt', at) ? at + 1 : null;
  return [1, 2, 3, 4].every((index) => isOf(HEX, at + index)) ? at + 5 : null;
}

const SHORT = 1000;
let plain: RegExp | null = null;

/** Returns the position of the next quote, backslash or control character. */
function plainEnd(text: string, start: number): number {
  for (let at = start; at < start + SHORT; at++) {
    const code = text.charCodeAt(at);
    if (!(code >= 0x20) || code === QUOTE || code === BACKSLASH) return at;
  }
  // It takes 0.2 ms to compile, but scans a long text much faster.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these end the run of plain characters.
  plain ??= /[^"\\\u0000-\u001f]*/y;
  plain.lastIndex = start + SHORT;
  plain.test(text);
  return plain.lastIndex;
}

function plainBytesEnd(bytes: Buffer, start: number): number {
  for (let at = start; ; at++) {
    const code = bytes[at];
    if (code === undefined || code < 0x20 || code === QUOTE || code === BACKSLASH) return at;
  }
}

export function skipSpace(text: JsonSource, at: number): number {
  for (let next = at; ; next++) {
    const code = codeAt(text, next);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return next;
  }
}

function unexpected(text: JsonSource, at: number, expected: string): ScanFault {
  // Only one character: a longer excerpt could be part of a secret that redaction does not recognise.
  const [char = ""] = textBetween(text, at, at + 4);
  const found = char === "" ? "the end" : JSON.stringify(char);
  return { kind: "syntax", detail: `expected ${expected}, found ${found}`, at };
}

/** Decodes a JSON string with its quotes. */
export const decodeJsonString = (raw: string): string =>
  raw.includes("\\") ? String(JSON.parse(raw)) : raw.slice(1, -1);
