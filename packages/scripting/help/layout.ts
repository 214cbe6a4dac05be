/** A sentence; or below a heading terms, each with its text. */
export type Part = { readonly text: string } | { readonly heading: string; readonly rows: readonly Row[] };
export type Row = readonly [term: string, about?: string | undefined];

/** The parts, with an empty line between two. No line is cut within a word. */
export const partsText = (parts: readonly Part[], width: number): string =>
  parts.map((part) => partText(part, width)).join("\n");

/** A term and its text begin on one line if the text then has at least so many columns, and as many as its longest word. */
const LEAST_TEXT = 30;
const longestWord = (text: string): number => Math.max(...text.split(" ").map((word) => word.length));

function partText(part: Part, width: number): string {
  if ("text" in part) return `${wrapped(part.text, "", width)}\n`;
  const terms = Math.max(...part.rows.map(([term]) => term.length)) + 4;
  const rows = part.rows.map(([term, about]) => {
    if (about === undefined) return wrapped(term, "  ", width, "      ");
    if (width - terms < Math.max(LEAST_TEXT, longestWord(about)))
      return `${wrapped(term, "  ", width)}\n${wrapped(about, "      ", width)}`;
    return wrapped(about, `  ${term.padEnd(terms - 2)}`, width, " ".repeat(terms));
  });
  return `${part.heading}:\n${rows.join("\n")}\n`;
}

/** Lines that are cut between words only. `first` stands before the first one, `next` before all others. */
function wrapped(text: string, first: string, width: number, next = " ".repeat(first.length)): string {
  const lines: string[] = [];
  for (const given of text.split("\n")) {
    let line = lines.length === 0 ? first : next;
    let isEmpty = true;
    for (const word of given.split(" ")) {
      const longer = isEmpty ? line + word : `${line} ${word}`;
      if (longer.length <= width || isEmpty) {
        line = longer;
        isEmpty = false;
        continue;
      }
      lines.push(line);
      line = next + word;
    }
    lines.push(line);
  }
  return lines.join("\n");
}
