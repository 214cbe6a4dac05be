import { fnv1a } from "../mutate/random.ts";

/** A part of the work for one of several machines: `2/5` is the second of five. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Reads `I/N`; null if it is something else. */
export function parseShard(text: string): Shard | null {
  const [, index = 0, count = 0] = (/^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? []).map(Number);
  return index > 0 && index <= count ? { index, count } : null;
}

/**
 * True if the shard has the check or case with this key. It depends only on the key, so a hook that one machine lacks
 * does not move others, and together the shards are complete.
 */
export const isInShard = (key: readonly string[], { index, count }: Shard): boolean =>
  fnv1a(key.join("\0")) % count === index - 1;
