/** A sentence; or below a heading terms, each with its text. */
export type Part = { readonly text: string } | { readonly heading: string; readonly rows: readonly Row[] };
export type Row = readonly [term: string, about?: string | undefined];

/** The parts, with an empty line between two. Lines are as long as they are. */
export const partsText = (parts: readonly Part[]): string =>
  parts.map((part) => `${"text" in part ? part.text : `${part.heading}:\n${rowLines(part.rows)}`}\n`).join("\n");

function rowLines(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([term]) => term.length));
  return rows.map(([term, about]) => `  ${about === undefined ? term : `${term.padEnd(width)}  ${about}`}`).join("\n");
}
