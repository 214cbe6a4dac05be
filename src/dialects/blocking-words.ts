import type { JsonSpan } from "../protocol/json/read.ts";
import type { Loss } from "./dialect.ts";

/** Words by which people say `blocked` when they do not know the key. */
const BLOCKING_KEY = /block|den(y|ied)|reject|forbid|veto/;
const ALLOWING_KEY = /^(allow(ed)?|approved?|continue)$/;

/** Does a key sound as if it decided, in words that no dialect has? `word` in small letters. */
export const isBlockingSynonym = (word: string): boolean =>
  BLOCKING_KEY.test(word) || /^(allow(ed)?|approved?)$/.test(word);

const NEGATIVE_VALUE = /^(?:false|null|-?0(?:\.0*)?|""|\[\]|\{\}|"\s*(?:false|no|off|0|none|null|never)\s*")$/i;
/** Words by which people say that something must not go on, or not without being asked about. */
const STOPPING_WORDS =
  /block|den(?:y|ie)|reject|forbid|veto|refus|disallow|prohibit|prevent|abort|halt|stop|cancel|confirm|\b(?:ask|no|not|false)\b/i;
/** A word stands at the beginning; what is behind it in a long value is no decision. */
const MAX_SEARCHED = 2000;

/** What is lost with the value of a key that decides, or may be meant as one that does, when it cannot be read. */
export function lossOf(key: string, value: JsonSpan): Loss {
  const word = key.toLowerCase();
  const raw = value.raw.slice(0, MAX_SEARCHED);
  const isNo = NEGATIVE_VALUE.test(raw);
  if (BLOCKING_KEY.test(word)) return isNo ? "decision" : "guard";
  if (ALLOWING_KEY.test(word)) return isNo || STOPPING_WORDS.test(raw) ? "guard" : "decision";
  const isChange = word === "transform" || word === "replace";
  return value.kind !== "null" && (isChange || STOPPING_WORDS.test(raw)) ? "guard" : "decision";
}

/** A block in the words of any dialect, also in a text that is no JSON. */
const BLOCK_WORDS =
  /["']blocked["']\s*:\s*true|["'](?:action|decision|permissionDecision|behavior)["']\s*:\s*["'](?:block|deny|reject)["']|["']Reject["']\s*:/i;
export const looksLikeBlock = (text: string): boolean => BLOCK_WORDS.test(text);
