/** The lines of a program that could run, and those of them that did; from 1. */
export interface LineCoverage {
  readonly all: ReadonlySet<number>;
  readonly reached: ReadonlySet<number>;
}

/** What several processes reached of the same program. */
export const mergeCoverage = (parts: readonly LineCoverage[]): LineCoverage => ({
  all: new Set(parts.flatMap(({ all }) => [...all])),
  reached: new Set(parts.flatMap(({ reached }) => [...reached])),
});

/** `12`, `14-16`: lines that could run and did not. A gap without code does not end a range. */
export function missingRanges({ all, reached }: LineCoverage): readonly string[] {
  const ranges: (readonly [first: number, last: number])[] = [];
  let open: readonly [number, number] | null = null;
  for (const line of [...all].toSorted((a, b) => a - b)) {
    if (reached.has(line)) {
      if (open !== null) ranges.push(open);
      open = null;
    } else open = [open?.[0] ?? line, line];
  }
  if (open !== null) ranges.push(open);
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`));
}
