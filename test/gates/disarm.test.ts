import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ATTEMPTS, FAMILIES } from "../../gates/disarm/attempts.mjs";
import { GAPS } from "../../gates/disarm/gaps.mjs";
import { applyPatch } from "../../gates/disarm/patch.mjs";

describe("the attempts of the gate `disarm`", () => {
  test("are at least 500, each with a name of its own", () => {
    expect(ATTEMPTS.length).toBeGreaterThanOrEqual(500);
    expect(new Set(ATTEMPTS.map(({ id }) => id)).size).toBe(ATTEMPTS.length);
  });

  test("stand in families, each of which can be seen to take effect", () => {
    for (const [family, { drafts, sabotage }] of Object.entries(FAMILIES)) {
      expect({ family, count: drafts.length, sabotage }).toEqual({
        family,
        count: expect.toSatisfy((count: number) => count >= 20),
        sabotage: expect.stringMatching(/./),
      });
    }
  });

  test.each(Object.values(GAPS))("a gap is named in the docs: $sentence", ({ page, sentence }) => {
    const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
    expect(text.replace(/\s+/g, " ")).toContain(sentence);
  });
});

describe("a patch is read as leniently as agents read it", () => {
  test.each([
    { title: "plain", text: "*** Begin Patch\n*** Delete File: a\n*** End Patch", left: {} },
    { title: "padded", text: " *** Begin Patch\n\u00a0*** Delete File: a \n*** End Patch", left: {} },
    { title: "an update", text: "*** Update File: a\n@@\n-one\n+1\n two", left: { a: "1\ntwo" } },
    { title: "a move", text: "*** Update File: a\n*** Move to: b", left: { b: "one\ntwo" } },
    { title: "an added file", text: "*** Add File: a\n+x\n\t*** Add File: b\n+y", left: { a: "x", b: "y" } },
  ])("$title", ({ text, left }) => {
    const files = new Map([["a", "one\ntwo"]]);
    const isApplied = applyPatch(text, {
      read: (path) => files.get(path) ?? "",
      write: (path, written) => void files.set(path, written),
      remove: (path) => void files.delete(path),
    });
    expect({ isApplied, left: Object.fromEntries(files) }).toEqual({ isApplied: true, left });
  });
});
