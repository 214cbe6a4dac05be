/** Byte order of UTF-8, which for code points is numeric order; a locale would sort `a` before `B`. */
export function compareBytes(a: string, b: string): number {
  // At each code unit, not each character: the second half of a pair is reached only where the first is the same.
  for (let at = 0; at < a.length && at < b.length; at++) {
    const difference = (a.codePointAt(at) ?? 0) - (b.codePointAt(at) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
