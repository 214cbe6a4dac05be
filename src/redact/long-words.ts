/** The least length of a token: `eyJ` and eight more characters. */
const LEAST_LENGTH = 11;
const [LOWER, UPPER, DIGIT, OTHER] = [1, 2, 4, 8];
const BOTH_CASES = LOWER | UPPER;

const codeOf = (char: string): number => char.charCodeAt(0);

/** By character, 0 if no token has it. */
const KINDS = kindsOfCharacters();

function kindsOfCharacters(): Uint8Array {
  const kinds = new Uint8Array(0x80);
  kinds.fill(LOWER, codeOf("a"), codeOf("z") + 1);
  kinds.fill(UPPER, codeOf("A"), codeOf("Z") + 1);
  kinds.fill(DIGIT, codeOf("0"), codeOf("9") + 1);
  for (const char of "_.~+/=:-") kinds[codeOf(char)] = OTHER;
  return kinds;
}

/** A part of a text that may be a token, from `start` to before `end`. */
export interface LongWord {
  readonly start: number;
  readonly end: number;
}

/** Words that may be a token: long enough, with a digit or letters of both cases. */
export function longWords(text: string): readonly LongWord[] {
  const words: LongWord[] = [];
  let least = 0;
  // A long word has a character at one of these positions, so most characters between them are skipped.
  for (let at = LEAST_LENGTH - 1; at < text.length; at = least + LEAST_LENGTH - 1) {
    let kinds = 0;
    let start = at;
    for (; start >= least; start--) {
      const kind = KINDS[text.charCodeAt(start)] ?? 0;
      if (kind === 0) break;
      kinds |= kind;
    }
    least = start + 1;
    if (at - start < LEAST_LENGTH) continue;
    let end = at + 1;
    for (; end < text.length; end++) {
      const kind = KINDS[text.charCodeAt(end)] ?? 0;
      if (kind === 0) break;
      kinds |= kind;
    }
    if ((kinds & DIGIT) !== 0 || (kinds & BOTH_CASES) === BOTH_CASES) words.push({ start: least, end });
    least = end + 1;
  }
  return words;
}

/** Replaces these parts of a text by a mark. */
export function replaceParts(text: string, parts: readonly LongWord[], mark: string): string {
  if (parts.length === 0) return text;
  const kept = parts.map(({ start }, index) => text.slice(parts[index - 1]?.end ?? 0, start));
  return [...kept, text.slice(parts.at(-1)?.end ?? 0)].join(mark);
}
