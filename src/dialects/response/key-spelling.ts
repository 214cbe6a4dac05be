import type { JsonMember, JsonSpan } from "../../protocol/json/read.ts";
import { editDistance, nearest } from "../../protocol/text/nearest.ts";
import type { Warning } from "../../protocol/warning.ts";
import type { Loss, ResponseKey, UnreadKey } from "../dialect.ts";

/** The known keys of one object of a response. */
export interface ResponseLevel {
  /** The path of the object, as a prefix of its keys. */
  readonly path: string;
  readonly rows: readonly ResponseKey[];
  /** The deciding key that an unknown key may be a misspelling of, or null. */
  readonly closeTo: (written: string) => string | null;
  /** True if unknown keys are expected and not reported. */
  readonly isOpen: boolean;
}

export interface KnownKey {
  /** The key as the hook wrote it. */
  readonly written: string;
  /** Several if the key is duplicate. */
  readonly values: readonly JsonSpan[];
  readonly rows: readonly ResponseKey[];
}

interface SortedKeys {
  readonly keys: readonly KnownKey[];
  /** Unknown keys that may be misspelt deciding keys. */
  readonly unread: readonly UnreadKey[];
  readonly warnings: readonly Warning[];
}

/** A large response may have thousands of unknown keys; only the first are reported. */
export const MAX_KEY_WARNINGS = 10;

/** Sorts the keys of one object: known, known in another case, unknown, and possibly misspelt deciding keys. */
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

/** The deciding key that an unknown key may be a misspelling of, or null. */
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

/** Words that people use instead of `blocked`. */
const BLOCKING_KEY = /block|den(y|ied)|reject|forbid|veto/;
const ALLOWING_KEY = /^(allow(ed)?|approved?|continue)$/;

/** True if an unknown key resembles a decision. `word` is in lower case. */
export const isBlockingSynonym = (word: string): boolean =>
  BLOCKING_KEY.test(word) || /^(allow(ed)?|approved?)$/.test(word);

const NEGATIVE_VALUE = /^(?:false|null|-?0(?:\.0*)?|""|\[\]|\{\}|"\s*(?:false|no|off|0|none|null|never)\s*")$/i;
/** Words in a value that mean block or ask. */
const STOPPING_WORDS =
  /block|den(?:y|ie)|reject|forbid|veto|refus|disallow|prohibit|prevent|abort|halt|stop|cancel|confirm|\b(?:ask|no|not|false)\b/i;
/** A decision is at the beginning of a value, so only that part is searched. */
const MAX_SEARCHED = 2000;

/** The loss caused by an unreadable value of a deciding key. */
export function lossOf(key: string, value: JsonSpan): Loss {
  const word = key.toLowerCase();
  const raw = value.raw.slice(0, MAX_SEARCHED);
  const isNo = NEGATIVE_VALUE.test(raw);
  if (BLOCKING_KEY.test(word)) return isNo ? "decision" : "guard";
  if (ALLOWING_KEY.test(word)) return isNo || STOPPING_WORDS.test(raw) ? "guard" : "decision";
  const isChange = word === "transform" || word === "replace";
  return value.kind !== "null" && (isChange || STOPPING_WORDS.test(raw)) ? "guard" : "decision";
}

/** A block in any dialect, found in text that is not valid JSON. */
const BLOCK_WORDS =
  /["']blocked["']\s*:\s*true|["'](?:action|decision|permissionDecision|behavior)["']\s*:\s*["'](?:block|deny|reject)["']|["']Reject["']\s*:/i;
export const looksLikeBlock = (text: string): boolean => BLOCK_WORDS.test(text);
