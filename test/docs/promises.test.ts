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
  if (!/^(changed: .+|left out)$/.test(here)) return `"${here}" does not say what was changed or left out`;
  return why === "" ? `it is ${here} without a reason` : null;
};

/** What is kept is said in one sentence, which names what the document is about. */
const KEPT = /^Everything else [^|]*\b(?:is|are) kept\b[^|]*What\s+differs:$/m;

describe("each row says what was changed or left out, and why", () => {
  test.each(CONTRACTS)("contract-%s.md", (contract) => {
    const section = promisesOf(contract);
    expect(section).toMatch(KEPT);
    const tables = tablesIn(section);
    expect(tables).toHaveLength(1);
    expect(new Set(tables.map(([head = []]) => head.join(" | ")))).toEqual(new Set(["promise | here | why"]));
    const rows = tables.flatMap(([, , ...lines]) => lines);
    expect(rows.length).toBeGreaterThan(5);
    const faults = rows.map((row) => [row[0], faultOf(row)]).filter(([, fault]) => fault !== null);
    expect(faults).toEqual([]);
  });

  const examples: readonly (readonly [row: readonly string[], fault: string | null])[] = [
    [["a block ends the chain", "changed: it is ignored", "nothing can be undone"], null],
    [
      ["a block ends the chain", "changed", "nothing can be undone"],
      '"changed" does not say what was changed or left out',
    ],
    [["a block ends the chain", "left out", "nobody uses it"], null],
    [["a block ends the chain", "left out", ""], "it is left out without a reason"],
    [["a block ends the chain", "changed: it is ignored", ""], "it is changed: it is ignored without a reason"],
    [["a block ends the chain", "kept", ""], '"kept" does not say what was changed or left out'],
    [["a block ends the chain", "planned", "soon"], '"planned" does not say what was changed or left out'],
    [["", "left out", "nobody uses it"], "it names no promise"],
    [["a", "left out", "nobody uses it", "b"], "it has more than three cells"],
  ];
  test.each(examples)("%j", (row, fault) => expect(faultOf(row)).toBe(fault));
});
