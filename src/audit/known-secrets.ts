import { HASHES, hashAt, type LongWord } from "../redact/long-words.ts";

/** An index of secrets, with which a text is searched for all of them in one pass (the method of Wu and Manber). */
export interface SecretIndex {
  /** The length of the shortest secret, at most 255: the part of each secret that is indexed. */
  readonly shortest: number;
  /** By the hash of two characters, how far the search may go on without missing a secret. */
  readonly shifts: Uint8Array;
  /** The secrets by the hash of their characters `shortest - 2` and `shortest - 1`. */
  readonly candidates: ReadonlyMap<number, readonly string[]>;
}

const LONGEST_SHIFT = 255;

/** Returns null without secrets. Each secret has at least two characters. */
export function indexSecrets(secrets: readonly string[]): SecretIndex | null {
  if (secrets.length === 0) return null;
  const shortest = Math.min(LONGEST_SHIFT, ...secrets.map(({ length }) => length));
  const shifts = new Uint8Array(HASHES).fill(shortest - 1);
  const candidates = new Map<number, string[]>();
  for (const secret of secrets) {
    for (let at = 0; at + 2 <= shortest; at++) {
      const hash = hashAt(secret, at);
      shifts[hash] = Math.min(shifts[hash] ?? 0, shortest - 2 - at);
    }
    const hash = hashAt(secret, shortest - 2);
    candidates.set(hash, [...(candidates.get(hash) ?? []), secret]);
  }
  return { shortest, shifts, candidates };
}

/** Replaces the secrets. Those that overlap or touch become one mark. */
function replaceSecrets(text: string, { shortest, shifts, candidates }: SecretIndex, mark: string): string {
  const parts: string[] = [];
  // The secrets found last cover `from` to `to`, 0: none yet. The text before `done` is in `parts`.
  let [from, to] = [0, 0];
  let done = 0;
  for (let at = shortest - 2; at + 2 <= text.length; ) {
    const shift = shifts[hashAt(text, at)] ?? 0;
    if (shift > 0) {
      at += shift;
      continue;
    }
    const start = at - (shortest - 2);
    for (const secret of candidates.get(hashAt(text, at)) ?? []) {
      if (start + secret.length <= to || !text.startsWith(secret, start)) continue;
      if (start > to || to === 0) {
        if (to > 0) parts.push(text.slice(done, from), mark);
        done = to;
        from = start;
      }
      to = start + secret.length;
    }
    at += 1;
  }
  return to === 0 ? text : parts.join("") + text.slice(done, from) + mark + text.slice(to);
}

/**
 * Replaces the secrets also where `base64`, `xxd -p` or `fold` broke them into lines of one length. A block of such lines that
 * contains a secret becomes one line.
 */
export function replaceWrapped(text: string, index: SecretIndex, mark: string): string {
  const plain = replaceSecrets(text, index, mark);
  const parts: string[] = [];
  let done = 0;
  for (const { start, end } of wrappedBlocks(plain)) {
    const joined = plain.slice(start, end).replace(/\r?\n|\r$/g, "");
    const redacted = replaceSecrets(joined, index, mark);
    if (redacted === joined) continue;
    parts.push(plain.slice(done, start), redacted);
    done = end;
  }
  return parts.length === 0 ? plain : parts.join("") + plain.slice(done);
}

/** Blocks of lines without spaces that follow one of the same length; the last one of a block may be shorter. */
function wrappedBlocks(text: string): readonly LongWord[] {
  const blocks: { start: number; end: number }[] = [];
  const next = (char: string, from: number): number => {
    const at = text.indexOf(char, from);
    return at === -1 ? text.length : at;
  };
  let [start, width, space] = [0, 0, -1];
  for (let from = 0, end = 0; from <= text.length; from = end + 1) {
    end = next("\n", from);
    if (space < from) space = next(" ", from);
    const length = end - from;
    const isWord = length > 0 && space >= end;
    const fits = isWord && length <= width;
    const last = blocks.at(-1);
    if (!fits) start = from;
    else if (last?.start === start) last.end = end;
    else blocks.push({ start, end });
    if (!fits) width = isWord && length >= LEAST_WIDTH ? length : 0;
    else if (length < width) width = 0;
  }
  return blocks;
}

const LEAST_WIDTH = 4;
