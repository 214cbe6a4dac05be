import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Limits } from "../script/shell-state.ts";

/** The most words that one word expands to; the rest is `UNKNOWN`. */
const MOST_WORDS = 512;
/** The most numbers or letters of a range that are followed individually. */
const MOST_OF_RANGE = 64;
const MOST_CHARACTERS = 2048;

/** The words of `a{b,c}{1..3}` before any other expansion. */
export function expandBraces(text: string, limits: Limits): readonly string[] {
  if (text.length > MOST_CHARACTERS) {
    limits.isReached ||= firstBrace(text) !== null;
    return [UNKNOWN];
  }
  const queue = [text];
  const done: string[] = [];
  while (queue.length > 0 && done.length + queue.length <= MOST_WORDS) {
    const word = queue.shift() ?? "";
    const brace = firstBrace(word);
    if (brace === null) done.push(word);
    else queue.unshift(...brace.items.map((item) => word.slice(0, brace.start) + item + word.slice(brace.end)));
  }
  if (queue.length === 0) return done;
  // Words from ranges alone differ only in numbers or letters, so `UNKNOWN` stands for all of them.
  limits.isReached ||= /,/.test(text);
  return [...done, UNKNOWN];
}

interface Brace {
  readonly start: number;
  readonly end: number;
  readonly items: readonly string[];
}

/** The first `{…}` outside quotes that has a comma or a range. */
function firstBrace(text: string): Brace | null {
  for (let start = nextOpen(text, 0); start !== -1; start = nextOpen(text, start + 1)) {
    const brace = braceAt(text, start);
    if (brace !== null) return brace;
  }
  return null;
}

function nextOpen(text: string, from: number): number {
  for (let at = from; at < text.length; at = afterUnit(text, at)) if (text[at] === "{") return at;
  return -1;
}

function braceAt(text: string, start: number): Brace | null {
  const cuts = [start];
  let depth = 0;
  for (let at = start; at < text.length; at = afterUnit(text, at)) {
    const char = text[at];
    if (char === "{") depth++;
    if (char === "," && depth === 1) cuts.push(at);
    if (char !== "}" || --depth > 0) continue;
    const end = at + 1;
    const items = [...cuts, at].slice(1).map((cut, index) => text.slice((cuts[index] ?? start) + 1, cut));
    if (items.length > 1) return { start, end, items };
    const range = rangeOf(text.slice(start + 1, at));
    return range === null ? null : { start, end, items: range };
  }
  return null;
}

const QUOTED = /\\[\s\S]|'[^']*'?|"(?:[^"\\]|\\[\s\S])*"?|`(?:[^`\\]|\\[\s\S])*`?/y;

/** The index after a quoted part, an escape, a `${…}`, a `$(…)` or one character. */
function afterUnit(text: string, at: number): number {
  if (text[at] === "$" && (text[at + 1] === "{" || text[at + 1] === "(")) return afterGroup(text, at + 1);
  QUOTED.lastIndex = at;
  return at + (QUOTED.exec(text)?.[0].length ?? 1);
}

function afterGroup(text: string, at: number): number {
  const [open, close] = text[at] === "{" ? ["{", "}"] : ["(", ")"];
  let depth = 0;
  for (let next = at; next < text.length; next++) {
    if (text[next] === open) depth++;
    if (text[next] === close && --depth === 0) return next + 1;
  }
  return text.length;
}

/** `{1..5}`, `{a..e}`, `{01..10..2}`. */
function rangeOf(text: string): readonly string[] | null {
  const match = /^(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.(-?\d{1,9}))?$/.exec(text);
  if (match === null) return null;
  const [, first = "", last = "", step = "1"] = match;
  const isNumber = /\d/.test(first);
  if (isNumber !== /\d/.test(last)) return null;
  const [from, to] = isNumber ? [Number(first), Number(last)] : [first.charCodeAt(0), last.charCodeAt(0)];
  const stride = Math.max(1, Math.abs(Number(step))) * (from <= to ? 1 : -1);
  const count = Math.min(MOST_OF_RANGE, Math.floor((to - from) / stride) + 1);
  const width = /^-?0\d/.test(first) || /^-?0\d/.test(last) ? Math.max(first.length, last.length) : 0;
  return Array.from({ length: count }, (_, index) => {
    const value = from + index * stride;
    return isNumber ? padded(value, width) : String.fromCharCode(value);
  });
}

const padded = (value: number, width: number): string =>
  value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0");
