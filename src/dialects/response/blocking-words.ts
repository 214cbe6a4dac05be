import type { JsonSpan } from "../../protocol/json/read.ts";
import type { Loss } from "../dialect.ts";

/** Words that people use instead of `blocked`. */
const BLOCKING_KEY = /block|den(y|ied)|reject|forbid|veto/;
const ALLOWING_KEY = /^(allow(ed)?|approved?|continue)$/;

/** True if an unknown key sounds like a decision. `word` is in lower case. */
export const isBlockingSynonym = (word: string): boolean =>
  BLOCKING_KEY.test(word) || /^(allow(ed)?|approved?)$/.test(word);

const NEGATIVE_VALUE = /^(?:false|null|-?0(?:\.0*)?|""|\[\]|\{\}|"\s*(?:false|no|off|0|none|null|never)\s*")$/i;
/** Words in a value that mean block or ask. */
const STOPPING_WORDS =
  /block|den(?:y|ie)|reject|forbid|veto|refus|disallow|prohibit|prevent|abort|halt|stop|cancel|confirm|\b(?:ask|no|not|false)\b/i;
/** A decision is at the beginning of a value, so only that part is searched. */
const MAX_SEARCHED = 2000;

/** What is lost with the unreadable value of a deciding key. */
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
