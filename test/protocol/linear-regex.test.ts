import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileLinearRegex } from "../../src/protocol/text/linear-regex.ts";
import { propertyRuns } from "../support/property-runs.ts";

const matches = (source: string, text: string, ignoreCase = false): boolean => {
  const compiled = compileLinearRegex(source, ignoreCase);
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.value(text);
};

/** Expressions of all that is supported, small enough that JavaScript's own engine ends. */
const { pattern } = fc.letrec<{ readonly pattern: string; readonly atom: string }>((tie) => ({
  atom: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(
      "a",
      "b",
      "é",
      "😀",
      ".",
      "\\d",
      "\\W",
      "\\s",
      "\\.",
      "\\x61",
      "\\u{1f600}",
      "[ab]",
      "[^a-c]",
      "[\\d-]",
      "[^\\W_]",
      "[r-t]",
      "k",
      "\\w",
      "[]",
    ),
    fc.constantFrom("^", "$", "\\b", "\\B"),
    tie("pattern").map((inner) => `(${inner})`),
    tie("pattern").map((inner) => `(?:${inner})`),
  ),
  pattern: fc
    .array(fc.tuple(tie("atom"), fc.constantFrom("", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?")), {
      maxLength: 4,
    })
    .map((parts) => parts.map(([atom, count]) => (/^(\^|\$|\\b|\\B)$/.test(atom) ? atom : atom + count)).join(""))
    .chain((one) => fc.constantFrom(one, `${one}|b`, `a|${one}`)),
}));

test("it matches what JavaScript's engine matches", () => {
  const text = fc.array(fc.constantFrom("a", "b", "A", "k", "\u212a", "ſ", "é", "É", "😀", "1", "-", " ", "\n", "."), {
    maxLength: 7,
  });
  fc.assert(
    fc.property(pattern, text, fc.boolean(), (source, chars, ignoreCase) => {
      // V8 also searches between the halves of a surrogate pair, where \B matches; the specification has no such place.
      fc.pre(!(source.includes("\\B") && chars.includes("😀")));
      const expected = new RegExp(source, ignoreCase ? "ui" : "u").test(chars.join(""));
      expect(matches(source, chars.join(""), ignoreCase)).toBe(expected);
    }),
    propertyRuns(5000),
  );
});

test.each([
  ["git push.*--force", "git push origin --force", true],
  ["^rm -rf", "sudo rm -rf /", false],
  ["\\brm\\b", "sudo rm -rf /", true],
  ["(?<cmd>rm|sudo) ", "sudo x", true],
  ["a{2,3}$", "a", false],
  ["[a-f\\d]{4}", "9f2c", true],
  ["\\$\\(", "echo $(id)", true],
])("/%s/ in %j: %s", (source, text, expected) => expect(matches(source, text)).toBe(expected));

test.each([
  "(",
  ")",
  "a)",
  "[a",
  "*",
  "a**",
  "a{2",
  "{1}",
  "^*",
  "\\",
  "(?=a)",
  "(?<!a)b",
  "(a)\\1",
  "\\p{L}",
  "\\u{110000}",
  "[b-a]",
  "a{3,2}",
  "(a{0,1000}){0,1000}",
  "((a{0}){1000}){1000}",
  "(((){1000}){1000}){1000}",
  "(".repeat(5000),
  "(?<n",
])("/%s/ is refused, with a reason", (source) => {
  const compiled = compileLinearRegex(source, false);
  expect(compiled).toEqual({ ok: false, error: expect.stringMatching(/\S/) });
});

test("too many nested groups are refused", () => {
  expect(compileLinearRegex("(".repeat(5000), false)).toMatchObject({ ok: false });
});

describe("an expression that makes others hang", () => {
  test.each(["(a+)+$", "(a|a)*b", "(.*)*x", "((a?){30})+b", "(a*)*(a*)*(a*)*b"])("/%s/ ends", (source) => {
    expect(matches(source, `${"a".repeat(20_000)}!`)).toBe(false);
  });
});

test("no expression makes the compiler throw", { tags: "slow" }, () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), (source, text) => {
      const compiled = compileLinearRegex(source, false);
      if (compiled.ok) compiled.value(text);
    }),
  );
});
