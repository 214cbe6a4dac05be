import type { JsonMember, JsonSpan } from "../protocol/json/read.ts";
import { editDistance, nearest } from "../protocol/nearest.ts";
import type { Warning } from "../protocol/warning.ts";
import { isBlockingSynonym, lossOf } from "./blocking-words.ts";
import type { ResponseKey, UnreadKey } from "./dialect.ts";

/** One object in a response: the keys that mean something there. */
export interface ResponseLevel {
  /** Where the object stands, to be put before its keys. */
  readonly path: string;
  readonly rows: readonly ResponseKey[];
  /** The deciding key that an unknown one may be meant as; null: none. */
  readonly closeTo: (written: string) => string | null;
  /** Other keys stand there too, that decide nothing. */
  readonly isOpen: boolean;
}

export interface KnownKey {
  /** As the hook wrote it. */
  readonly written: string;
  /** More than one: it stands there more than once. */
  readonly values: readonly JsonSpan[];
  readonly rows: readonly ResponseKey[];
}

interface SortedKeys {
  readonly keys: readonly KnownKey[];
  /** Unknown keys that may be meant as a deciding one. */
  readonly unread: readonly UnreadKey[];
  readonly warnings: readonly Warning[];
}

/** A response of a megabyte may hold a hundred thousand unknown keys; the first few tell the story. */
export const MAX_KEY_WARNINGS = 10;

/** Sorts the keys of one object: known, known in odd case, unknown, and so close to a deciding one that it may be a block. */
export function sortKeys(members: readonly JsonMember[], level: ResponseLevel): SortedKeys {
  const known = new Map<string, { written: string; values: JsonSpan[] }>();
  const warnings: Warning[] = [];
  const unread: UnreadKey[] = [];
  const warn = (warning: Warning): void => {
    if (warnings.length < MAX_KEY_WARNINGS) warnings.push(warning);
  };
  for (const [written, value] of members) {
    const name = knownSpelling(written, level.rows);
    if (name === null) {
      const close = level.closeTo(written);
      const key = `${level.path}${written}`;
      if (close !== null && unread.length < MAX_KEY_WARNINGS) unread.push(misspeltKey(key, value, close));
      if ((close === null && level.isOpen) || warnings.length >= MAX_KEY_WARNINGS) continue;
      warn({ code: "UNKNOWN_KEY", hook: "", key, nearest: close ?? nearest(written, keyNames(level.rows)) });
      continue;
    }
    const before = known.get(name);
    if (before === undefined) known.set(name, { written, values: [value] });
    else before.values.push(value);
    if (before?.values.length === 2) warn({ code: "KEY_TWICE", hook: "", key: `${level.path}${written}` });
    if (name !== written && !level.isOpen) warn({ code: "ODD_CASE", hook: "", key: written, known: name });
  }
  const keys = [...known].map(([name, key]) => ({ ...key, rows: level.rows.filter((row) => row.key === name) }));
  return { keys, unread, warnings };
}

function misspeltKey(key: string, value: JsonSpan, close: string): UnreadKey {
  const word = lettersOnly(key.slice(key.lastIndexOf(".") + 1));
  const meant = isBlockingSynonym(word) ? word : close.slice(close.lastIndexOf(".") + 1);
  return { fault: { code: "REPLY_MISSPELT_KEY", key, nearest: close }, loss: lossOf(meant, value) };
}

function knownSpelling(written: string, rows: readonly ResponseKey[]): string | null {
  const names = keyNames(rows);
  if (names.includes(written)) return written;
  const word = written.slice(0, 64).toLowerCase();
  return names.find((name) => name.toLowerCase() === word) ?? null;
}

/** The deciding key among these that an unknown one may be meant as. */
export function closeDecidingKey(written: string, rows: readonly ResponseKey[]): string | null {
  const word = lettersOnly(written);
  if (isBlockingSynonym(word)) return "blocked";
  const deciding = rows.filter((row) => row.isDeciding).map((row) => row.key);
  return deciding.find((key) => isClose(word, lettersOnly(key))) ?? null;
}

function isClose(word: string, key: string): boolean {
  if (word.length >= 4 && key.startsWith(word)) return true;
  if (Math.abs(word.length - key.length) > 2) return false;
  return editDistance(word, key) <= (key.length >= 7 ? 2 : 1);
}

const keyNames = (rows: readonly ResponseKey[]): readonly string[] => rows.map((row) => row.key);
const lettersOnly = (key: string): string =>
  key
    .slice(0, 64)
    .toLowerCase()
    .replace(/[^a-z]/g, "");
