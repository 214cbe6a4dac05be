import type { LongWord } from "../redact/long-words.ts";

const LEAST_BASE64 = 24;
/** The characters of long words but `.`, `:`, `=` and `~`. */
const BASE64 = /[\w+/-]*/y;

/** The longest parts of words that may be base64, with up to two `=` at their ends. */
export function base64Parts(text: string, words: readonly LongWord[]): readonly LongWord[] {
  const parts: LongWord[] = [];
  for (const { start, end } of words) {
    for (let from = start, at = start; end - from >= LEAST_BASE64; from = Math.max(at, from + 1)) {
      BASE64.lastIndex = from;
      BASE64.test(text);
      at = BASE64.lastIndex;
      const isLong = at - from >= LEAST_BASE64;
      for (let count = 0; count < 2 && at < end && text[at] === "="; count++) at++;
      if (isLong) parts.push({ start: from, end: at });
    }
  }
  return parts;
}

const OFFSETS = [0, 1, 2, 3];

/** Where a text in base64 may begin. Letters before it, such as those of a colour code, may belong to the word. */
export const textOffsets = (text: string, part: LongWord): readonly number[] =>
  OFFSETS.filter((offset) => mayBeText(text, part, offset));

const SAMPLED_GROUPS = 5;

/** Most words are no base64 of a text: there the first of each four letters has a highest bit of zero, so it is one of `A-Za-f`. */
function mayBeText(text: string, { start, end }: LongWord, offset: number): boolean {
  const first = start + offset + 4 * Math.floor((end - start - offset - 4 * SAMPLED_GROUPS) / 8);
  for (let at = first; at < first + 4 * SAMPLED_GROUPS; at += 4) {
    const code = text.charCodeAt(at);
    if (!((code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x66))) return false;
  }
  return true;
}
