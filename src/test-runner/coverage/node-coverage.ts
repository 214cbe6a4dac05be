import * as z from "zod";
import type { LineCoverage } from "./line-coverage.ts";

const range = z.object({ startOffset: z.number(), endOffset: z.number(), count: z.number() });
const report = z.object({
  result: z.array(z.object({ url: z.string(), functions: z.array(z.object({ ranges: z.array(range) })) })),
});

/** What V8 wrote for one process (\`NODE_V8_COVERAGE\`); null: the program was not loaded in it. */
export function nodeCoverage(source: string, written: string, file: string): LineCoverage | null {
  const script = report.parse(JSON.parse(written)).result.find(({ url }) => fileOf(url) === file);
  if (script === undefined) return null;
  // An inner range is more exact than the one around it, so it is applied later.
  const ranges = script.functions.flatMap(({ ranges }) => ranges);
  const sorted = ranges.toSorted((a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset));
  const isReached = (offset: number): boolean =>
    (sorted.findLast(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset)?.count ?? 0) > 0;
  const lines = codeLines(source);
  return {
    all: new Set(lines.map(({ line }) => line)),
    reached: new Set(lines.filter(({ offset }) => isReached(offset)).map(({ line }) => line)),
  };
}

/** Lines with more than closing brackets or a comment, and where their code begins. */
function codeLines(source: string): readonly { readonly line: number; readonly offset: number }[] {
  let start = 0;
  return source.split("\n").flatMap((text, index) => {
    const offset = start + (/\S/.exec(text)?.index ?? 0);
    start += text.length + 1;
    return /^\s*(?:[)\]};,]*\s*$|\/\/|\/?\*|#!)/.test(text) ? [] : [{ line: index + 1, offset }];
  });
}

const fileOf = (url: string): string | null =>
  url.startsWith("file://") ? decodeURIComponent(url.slice("file://".length)) : null;
