import fc from "fast-check";
import { expect, test } from "vitest";
import { sentenceLines } from "../../src/report/text-style.ts";

test("a sentence is broken between words, and its lines begin under the first", () => {
  const text = "Keeps credentials out of the conversation and on this machine, and redacts them in the output.";
  expect(sentenceLines(text, 22)).toBe(
    "Keeps credentials out of the conversation and on this\n                      machine, and redacts them in the output.",
  );
  expect(sentenceLines("short", 22)).toBe("short");
  expect(sentenceLines("", 22)).toBe("");
});

test("no word is lost or changed, and only a line of one word is wider than 80 columns", () => {
  const word = fc.stringMatching(/^[a-z`,.]{1,100}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 40 }), fc.nat(40), (words, start) => {
      const lines = sentenceLines(words.join(" "), start).split("\n");
      expect(lines.flatMap((line) => line.trimStart().split(" "))).toEqual(words);
      for (const [at, line] of lines.entries()) {
        const text = at === 0 ? " ".repeat(start) + line : line;
        expect(text.startsWith(" ".repeat(start))).toBe(true);
        if (text.trimStart().includes(" ")) expect(text.length).toBeLessThanOrEqual(80);
      }
    }),
  );
});
