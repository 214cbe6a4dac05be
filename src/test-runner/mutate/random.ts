/** Choices that look random and are the same for the same seed. */
export interface Random {
  readonly pick: <T>(choices: readonly [T, ...T[]]) => T;
  /** A whole number from 0 to below `limit`. */
  readonly below: (limit: number) => number;
}

/** Xorshift with 32 bits, seeded with a text. */
export function seededRandom(seed: string): Random {
  let state = hashOf(seed);
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

/** FNV-1a; never 0, where xorshift would stay. */
function hashOf(text: string): number {
  let hash = 2166136261;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16777619) >>> 0;
  return hash === 0 ? 1 : hash;
}
