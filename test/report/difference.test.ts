import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diffHunks, lineCount } from "../../src/report/trust/review-text.ts";
import { cpuMs } from "../support/cpu-time.ts";
import { sampledRows } from "../support/property-runs.ts";

const numbered = (count: number): string => Array.from({ length: count }, (_one, index) => `line ${index}\n`).join("");

function hunksOf(difference: ReturnType<typeof diffHunks>) {
  if (difference === null) throw new Error("there were too many changes");
  return difference;
}

describe("a difference", () => {
  test("shows a changed line with three lines before and after it, and where it is", () => {
    const before = numbered(20);
    const [hunk, ...others] = hunksOf(diffHunks(before, before.replace("line 10\n", "changed\n")));
    expect(others).toEqual([]);
    expect(hunk).toEqual({
      line: 8,
      lines: [" line 7", " line 8", " line 9", "-line 10", "+changed", " line 11", " line 12", " line 13"],
    });
  });

  test("is empty between two equal texts", () => {
    expect(diffHunks("a\n", "a\n")).toEqual([]);
  });

  test("shows that only the line break at the end was added", () => {
    expect(hunksOf(diffHunks("a", "a\n")).flatMap(({ lines }) => lines)).toContain("+a");
  });

  const line = fc.constantFrom("a", "b", "", "  c", "\r");
  const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.map((one) => `${one}\n`).join(""));
  test("holds every line that is only in one of the texts", () => {
    fc.assert(
      fc.property(text, text, (before, now) => {
        const lines = hunksOf(diffHunks(before, now)).flatMap((hunk) => hunk.lines);
        const count = (sign: string): number => lines.filter((one) => one.startsWith(sign)).length;
        expect(count("+") - count("-")).toBe(lineCount(now) - lineCount(before));
        expect(lines.some((one) => one.startsWith("+") || one.startsWith("-"))).toBe(before !== now);
      }),
    );
  });

  const large: { title: string; before: string; now: string }[] = [
    { title: "100,000 changed lines", before: "a\n".repeat(100_000), now: "b\n".repeat(100_000) },
    {
      title: "lines that alternate with new ones",
      before: "a\n".repeat(100_000),
      now: "a\nb\n".repeat(50_000),
    },
    {
      title: "lines of the same kind in other numbers",
      before: "a\nb\n".repeat(50_000),
      now: "b\na\na\n".repeat(33_000),
    },
  ];
  // Compared with work of the same length in the same process: a quadratic search takes thousands of times as long.
  test.each(sampledRows(large))("of $title takes no longer than a few looks at each line", ({ before, now }) => {
    const look = (): number => [before, now].join("").split("\n").sort().join("\n").length;
    expect(diffHunks(before, now)).toBeNull();
    expect(cpuMs(() => diffHunks(before, now)) / cpuMs(look)).toBeLessThan(100);
  });
});
