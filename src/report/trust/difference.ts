import { structuredPatch } from "diff";

/** The differences between two texts: changed lines with their context, or a note that there are too many. */
export type LineDiff =
  | { readonly kind: "hunks"; readonly hunks: readonly Hunk[] }
  | { readonly kind: "too-many"; readonly linesBefore: number; readonly linesNow: number };

export interface Hunk {
  /** The number of its first line in the new text. */
  readonly line: number;
  /** Each with its sign: `+`, `-` or a space. */
  readonly lines: readonly string[];
}

const CONTEXT_LINES = 3;
/** The search takes this many edits times the number of lines at most, so large texts are searched less far. */
const MOST_STEPS = 5_000_000;
const MOST_EDITS = 2000;
const FEWEST_EDITS = 50;

/** Compares two texts line by line, in a time that grows with their length alone. */
export function diffLinesOf(before: string, now: string): LineDiff {
  const [linesBefore, linesNow] = [lineCount(before), lineCount(now)];
  const affordable = Math.floor(MOST_STEPS / (linesBefore + linesNow + 1));
  const maxEditLength = Math.min(MOST_EDITS, Math.max(FEWEST_EDITS, affordable));
  const patch = structuredPatch("", "", before, now, "", "", { context: CONTEXT_LINES, maxEditLength });
  if (patch === undefined) return { kind: "too-many", linesBefore, linesNow };
  return { kind: "hunks", hunks: patch.hunks.map(({ newStart, lines }) => ({ line: newStart, lines })) };
}

/** A line break at the end ends the last line and begins none. */
export function lineCount(text: string): number {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
