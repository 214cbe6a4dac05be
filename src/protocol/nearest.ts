import type { UsageProblem } from "./problem.ts";

/** The known word that a typist most likely meant, or null when none is close. */
export function nearest(word: string, known: Iterable<string>): string | null {
  const limit = Math.max(2, Math.floor(word.length / 3));
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

function wordDistance(word: string, candidate: string, limit: number): number {
  const [a, b] = [lettersAndDigits(word), lettersAndDigits(candidate)];
  if (word === candidate || (a === b && a !== "")) return 0;
  // A short flag starts many words: `-q` is no good guess for `--quite`.
  if (Math.min(a.length, b.length) >= 4 && (b.startsWith(a) || a.startsWith(b))) return 1;
  // Each letter more is a step: counting them first spares a hundred hooks most of the work.
  if (Math.abs(a.length - b.length) > limit) return Number.POSITIVE_INFINITY;
  const distance = editDistance(a, b);
  return distance < Math.max(a.length, b.length) ? distance : Number.POSITIVE_INFINITY;
}

const lettersAndDigits = (word: string): string =>
  word
    .slice(0, 64)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");

/** Letters to insert, drop or exchange on the way from `a` to `b`. */
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

/** A name that no hook has, with the nearest of those that there are. */
export const unknownHook = (name: string, known: readonly string[]): UsageProblem => ({
  code: "USAGE_UNKNOWN_HOOK",
  name,
  nearest: nearest(name, known),
});
