import fc from "fast-check";
import { expect, test } from "vitest";
import table from "../../../../src/redact/credential-files.json" with { type: "json" };
import { propertyRuns } from "../../../../test/support/property-runs.ts";

/** fast-check draws no texts for what looks around; without it, a pattern matches more. */
const withoutLookaround = (source: string): RegExp => new RegExp(source.replace(/\(\?<?[!=][^()]*\)/g, ""));

test.each(table.kinds.map(({ what, clues, path }) => [what, clues, path] as const))(
  "%s: each path has one of %j",
  (_, clues, path) => {
    const texts = fc.stringMatching(withoutLookaround(path), { maxLength: 60 });
    const expected = new RegExp(path);
    let paths = 0;
    fc.assert(
      fc.property(texts, (text) => {
        const lower = text.toLowerCase();
        if (!expected.test(lower)) return;
        paths++;
        expect(clues.split("|").filter((clue) => lower.includes(clue))).not.toEqual([]);
      }),
      propertyRuns(2_000),
    );
    expect(paths).toBeGreaterThan(20);
  },
);

test("clues are in lower case, as the paths are", () => {
  for (const { clues } of table.kinds) expect(clues).toBe(clues.toLowerCase());
  for (const { clues } of table.kinds) expect(clues.split("|")).not.toContain("");
});
