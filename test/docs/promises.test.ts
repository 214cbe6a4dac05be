import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const CONTRACTS = ["kodelet", "basecoat", "reyn", "agenthook"];

/** The text of "## Promises", without the sections behind it; empty when the page has none. */
function promisesOf(contract: string): string {
  const page = readFileSync(new URL(`../../docs/contract-${contract}.md`, import.meta.url), "utf8");
  return /^## Promises\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(page)?.[1] ?? "";
}

/** Each table as its lines, each line as its cells. A `\|` belongs to its cell. */
function tablesIn(section: string): readonly (readonly (readonly string[])[])[] {
  const tables = [...section.matchAll(/(?:^\|.*\|\n)+/gm)].map(([text]) => text.trimEnd().split("\n"));
  return tables.map((lines) =>
    lines.map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    ),
  );
}

const faultOf = ([promise = "", here = "", why = "", ...more]: readonly string[]): string | null => {
  if (more.length > 0) return "it has more than three cells";
  if (promise === "") return "it names no promise";
  if (!/^(kept|changed|left out)(: .+)?$/.test(here)) return `"${here}" is neither kept, changed nor left out`;
  return here.startsWith("kept") || why !== "" ? null : `it is ${here} without a reason`;
};

describe("each row says whether the promise is kept, changed or left out, and why", () => {
  test.each(CONTRACTS)("contract-%s.md", (contract) => {
    const tables = tablesIn(promisesOf(contract));
    expect(tables.length).toBeGreaterThan(0);
    expect(new Set(tables.map(([head = []]) => head.join(" | ")))).toEqual(new Set(["promise | here | why"]));
    const rows = tables.flatMap(([, , ...lines]) => lines);
    expect(rows.length).toBeGreaterThan(20);
    const faults = rows.map((row) => [row[0], faultOf(row)]).filter(([, fault]) => fault !== null);
    expect(faults).toEqual([]);
  });

  const examples: readonly (readonly [row: readonly string[], fault: string | null])[] = [
    [["a block ends the chain", "kept", ""], null],
    [["a block ends the chain", "changed: it is ignored", "nothing can be undone"], null],
    [["a block ends the chain", "left out", "nobody uses it"], null],
    [["a block ends the chain", "left out", ""], "it is left out without a reason"],
    [["a block ends the chain", "changed: it is ignored", ""], "it is changed: it is ignored without a reason"],
    [["a block ends the chain", "planned", "soon"], '"planned" is neither kept, changed nor left out'],
    [["", "kept", ""], "it names no promise"],
    [["a", "kept", "", "b"], "it has more than three cells"],
  ];
  test.each(examples)("%j", (row, fault) => expect(faultOf(row)).toBe(fault));
});
