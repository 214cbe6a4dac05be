import type { LongWord } from "./long-words.ts";
import { TOKEN_MARKS } from "./token-kinds.ts";

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

const HASHES = 4096;
const hashAt = (text: string, at: number): number =>
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
