/**
 * FNV-1a, 32 bit, with a final mix because a remainder uses only the low bits. Not for values that somebody may forge.
 */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
