import fc from "fast-check";
import { expect, test } from "vitest";
import { CREDENTIAL_KINDS } from "../../../src/guards/rules/secrets/credential-files.ts";

/** fast-check draws no texts for what looks around; without it, a pattern matches more. */
const withoutLookaround = ({ source }: RegExp): RegExp => new RegExp(source.replace(/\(\?<?[!=][^()]*\)/g, ""));

test.each(CREDENTIAL_KINDS.map(([, what, clues, path]) => [what, clues, path] as const))(
  "%s: each path has one of %j",
  (_, clues, path) => {
    const texts = fc.stringMatching(withoutLookaround(path), { maxLength: 60 });
    let paths = 0;
    fc.assert(
      fc.property(texts, (text) => {
        const lower = text.toLowerCase();
        if (!path.test(lower)) return;
        paths++;
        expect(clues.split("|").filter((clue) => lower.includes(clue))).not.toEqual([]);
      }),
      { numRuns: 2_000 },
    );
    expect(paths).toBeGreaterThan(20);
  },
);

test("clues are in lower case, as the paths are", () => {
  for (const [, , clues] of CREDENTIAL_KINDS) expect(clues).toBe(clues.toLowerCase());
  for (const [, , clues] of CREDENTIAL_KINDS) expect(clues.split("|")).not.toContain("");
});
