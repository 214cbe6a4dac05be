/** The known name that was probably intended, or null if none is similar. */
export function nearest(word: string, known: Iterable<string>): string | null {
  const limit = mostEdits(lettersAndDigits(word).length);
  let best: string | null = null;
  let bestDistance = limit + 1;
  for (const candidate of known) {
    const distance = wordDistance(word, candidate, limit);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** Two edits make almost any word of three letters from another. */
const mostEdits = (length: number): number => (length < 4 ? 1 : Math.max(2, Math.floor(length / 3)));

function wordDistance(word: string, candidate: string, limit: number): number {
  const [a, b] = [lettersAndDigits(word), lettersAndDigits(candidate)];
  if (word === candidate || (a === b && a !== "")) return 0;
  // Many names begin with the same few letters, so a short prefix is no good guess.
  if (Math.min(a.length, b.length) >= 4 && (b.startsWith(a) || a.startsWith(b))) return 1;
  // The difference in length is a lower bound of the distance, and cheap to check.
  if (Math.abs(a.length - b.length) > limit) return Number.POSITIVE_INFINITY;
  const edits = editDistance(a, b);
  const distance = edits === 2 && sortedLetters(a) === sortedLetters(b) ? SWAPPED_LETTERS : edits;
  return distance < Math.max(a.length, b.length) ? distance : Number.POSITIVE_INFINITY;
}

/** `rnu` for `run` is one mistake of the typist. */
const SWAPPED_LETTERS = 1;
const sortedLetters = (word: string): string => [...word].sort().join("");

const lettersAndDigits = (word: string): string =>
  word
    .slice(0, 64)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");

/** The Levenshtein distance of two texts. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const exchanged = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(exchanged, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The problem for a name that no hook has, with the most similar name. */
export const unknownHook = (name: string, known: readonly string[]) =>
  ({ code: "USAGE_UNKNOWN_HOOK", name, nearest: nearest(name, known) }) as const;

/** A suggestion at the end of a message; empty if nothing is near. */
export const didYouMean = (word: string | null): string => (word === null ? "" : `. Did you mean ${word}?`);
