import * as z from "zod";
import { shellParser } from "../../../src/shell/load-parser.ts";
import { nodesIn } from "../mutate/parse-command.ts";

/** The lines of a program that could run, and those of them that did; from 1. */
export interface LineCoverage {
  readonly all: ReadonlySet<number>;
  readonly reached: ReadonlySet<number>;
}

/** Joins the coverage of several processes for the same program. */
export const mergeCoverage = (parts: readonly LineCoverage[]): LineCoverage => ({
  all: new Set(parts.flatMap(({ all }) => [...all])),
  reached: new Set(parts.flatMap(({ reached }) => [...reached])),
});

/** `12`, `14-16`: executable lines that did not run. A gap without code does not end a range. */
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

/** Nested commands have a longer prefix: bash repeats its first character. */
const PLACE = /^\++hookctl (.*?) (\d+) /gm;

/** Null if bash accepts the script but this parser does not. */
export function bashCoverage(source: string, trace: string, file: string): LineCoverage | null {
  const all = commandLines(source);
  if (all === null) return null;
  const places = [...trace.matchAll(PLACE)].filter(([, where]) => where === file);
  return { all, reached: new Set(places.map(([, , line]) => Number(line)).filter((line) => all.has(line))) };
}

/** The lines on which a command begins, including those of branches. */
function commandLines(source: string): ReadonlySet<number> | null {
  const script = shellParser().parse(source);
  if ((script.errors ?? []).length > 0) return null;
  const commands = nodesIn(script).all.filter(({ type }) => type === "Command");
  return new Set(commands.map(({ pos }) => lineAt(source, pos)));
}

const lineAt = (source: string, pos: number): number => source.slice(0, pos).split("\n").length;

const range = z.object({ startOffset: z.number(), endOffset: z.number(), count: z.number() });
const report = z.object({
  result: z.array(z.object({ url: z.string(), functions: z.array(z.object({ ranges: z.array(range) })) })),
});

/** The coverage that V8 wrote for one process (`NODE_V8_COVERAGE`); null if it did not load the program. */
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

const written = z.object({ all: z.array(z.number()), reached: z.array(z.number()) });

/** The coverage of one process. A line that only defines (`def`, `class`, a docstring) is reached with its module. */
export function pythonCoverage(line: string): LineCoverage {
  const { all, reached } = written.parse(JSON.parse(line));
  return { all: new Set(all), reached: new Set(reached) };
}
