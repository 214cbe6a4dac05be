/** Pseudorandom choices that are the same for the same seed. */
export interface Random {
  readonly pick: <T>(choices: readonly [T, ...T[]]) => T;
  /** A whole number from 0 to below `limit`. */
  readonly below: (limit: number) => number;
}

/** Xorshift with 32 bits, seeded with a text. */
export function seededRandom(seed: string): Random {
  // Xorshift would stay at 0.
  let state = fnv1a(seed) || 1;
  const below = (limit: number): number => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return { below, pick: (choices) => choices[below(choices.length)] ?? choices[0] };
}

/** FNV-1a, 32 bit, with a final mix because a remainder uses only the low bits. Not for values that somebody may forge. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
