import type { LongWord } from "../redact/long-words.ts";

const LEAST_BASE64 = 24;
/** The longest parts of a word that may be base64, with up to two `=` at their ends. */
export function base64Parts(text: string, { start, end }: LongWord): readonly LongWord[] {
  const parts: LongWord[] = [];
  for (let from = start, at = start; end - from >= LEAST_BASE64; from = Math.max(at, from + 1)) {
    while (at < end && !isBesideBase64(text.charCodeAt(at))) at++;
    const isLong = at - from >= LEAST_BASE64;
    for (let count = 0; count < 2 && at < end && text[at] === "="; count++) at++;
    if (isLong) parts.push({ start: from, end: at });
    at = Math.max(at, from + 1);
  }
  return parts;
}

/** The characters of long words that base64 has not: `.`, `:`, `=` and `~`. */
const isBesideBase64 = (code: number): boolean => code === 0x2e || code === 0x3a || code === 0x3d || code === 0x7e;

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
