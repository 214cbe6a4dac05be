import { TOKEN_MARKS } from "./token-kinds.ts";

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

/** The length of the shortest token without a mark, of Discord. */
const LEAST_UNMARKED = 58;

/** A shorter text is searched for one mark at a time, which takes no table. */
const LONG_TEXT = 4096;

/** The words of a text that may contain a token: others need no search by `anyToken`, which takes milliseconds to compile. */
export function wordsForTokens(text: string, words: readonly LongWord[]): readonly LongWord[] {
  if (words.length === 0) return words;
  if (text.length > LONG_TEXT) {
    index ??= indexMarks();
    const known = index;
    return words.filter((word) => mayBeUnmarked(text, word) || hasMark(text, word, known));
  }
  const mayBe = TOKEN_MARKS.some((mark) => text.includes(mark)) || words.some((word) => mayBeUnmarked(text, word));
  return mayBe ? words : [];
}

/** True if one word may contain a token. */
export const mayBeToken = (text: string, word: LongWord): boolean =>
  mayBeUnmarked(text, word) || TOKEN_MARKS.some((mark) => text.slice(word.start, word.end).includes(mark));

/** A token without a mark has a dot. */
const mayBeUnmarked = (text: string, { start, end }: LongWord): boolean =>
  end - start >= LEAST_UNMARKED && text.slice(start, end).includes(".");

/** Marks by a hash of two of their characters, so that a word is searched for all of them in one pass. */
interface MarkIndex {
  /** 1 for each hash that a mark has. */
  readonly isUsed: Uint8Array;
  readonly marks: ReadonlyMap<number, readonly IndexedMark[]>;
}

interface IndexedMark {
  readonly mark: string;
  /** The position of the two characters. */
  readonly offset: number;
}

let index: MarkIndex | null = null;

/** Below this number are the hashes of two characters. */
export const HASHES = 4096;
export const hashAt = (text: string, at: number): number =>
  ((text.charCodeAt(at) << 5) ^ text.charCodeAt(at + 1)) & (HASHES - 1);

function indexMarks(): MarkIndex {
  const isUsed = new Uint8Array(HASHES);
  const marks = new Map<number, readonly IndexedMark[]>();
  for (const mark of TOKEN_MARKS) {
    // With a sign, because two letters of a mark are in many words.
    const offset = Math.max(0, mark.search(/[^A-Za-z0-9]/) - 1);
    const hash = hashAt(mark, offset);
    isUsed[hash] = 1;
    marks.set(hash, [...(marks.get(hash) ?? []), { mark, offset }]);
  }
  return { isUsed, marks };
}

function hasMark(text: string, { start, end }: LongWord, { isUsed, marks }: MarkIndex): boolean {
  for (let at = start; at < end; at++) {
    const hash = hashAt(text, at);
    if (isUsed[hash] === 0) continue;
    for (const { mark, offset } of marks.get(hash) ?? []) if (text.startsWith(mark, at - offset)) return true;
  }
  return false;
}
