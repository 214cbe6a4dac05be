import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { quoteHookName, quoteHookNames, shellQuote } from "../../src/protocol/text/shell-quote.ts";
import { runMain } from "../support/in-process.ts";
import { workspace } from "../support/workspace.ts";

/** What bash makes of words that were typed. */
const typed = (words: string): string =>
  spawnSync("bash", ["-c", `printf '<%s>' ${words}`], { encoding: "utf8", env: { LC_ALL: "C.UTF-8" } }).stdout;

test.each([
  ["guard", "guard"],
  ["a b", "'a b'"],
  ["it's", "'it'\\''s'"],
  ["a\nb", "$'a\\x0ab'"],
  ["it's \u001b[2J\\u001b", "$'it\\'s \\x1b[2J\\\\u001b'"],
  ["\u202egnp", "$'\\u202egnp'"],
])("%j is typed as %s", (text, word) => {
  expect(shellQuote(text)).toBe(word);
  expect(typed(word)).toBe(`<${text}>`);
});

test("any text is one word, without a character that steers a terminal", () => {
  const steering = fc.constantFrom("\u001b", "\u202e", "\n", "\u009b", "\\", "'", "u001b", "$", "x", "é");
  const text = fc.array(steering, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(text, { minLength: 20, maxLength: 20 }), (texts) => {
      const words = texts.map(shellQuote);
      expect(words.join(" ")).not.toMatch(/[\p{Cc}\u202e]/u);
      expect(typed(words.join(" "))).toBe(texts.map((one) => `<${one}>`).join(""));
    }),
    { numRuns: 20 },
  );
});

test("a name like a flag is typed as a name", () => {
  expect(quoteHookName("-rf")).toBe("-- -rf");
  expect(quoteHookNames(["a b", "-rf"])).toBe("-- 'a b' -rf");
});

test.each(["-rf", "a\nb", "\u001b[31mred"])("what list tells to type approves the hook %j", async (name) => {
  await using place = await workspace();
  await place.hook(name, "exit 0", { scope: "project" });
  const listed = await runMain(place, ["list"]);
  const line = /then: hookctl (trust .*)/.exec(listed.stdout)?.[1] ?? "";
  const script = `for word in ${line}; do printf '%s\\0' "$word"; done`;
  const words = spawnSync("bash", ["-c", script], { encoding: "utf8" }).stdout.split("\0").slice(0, -1);
  expect(await runMain(place, words)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^✔ Approved /) });
});
