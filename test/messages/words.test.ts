import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sourceFiles, stringsIn } from "./strings.ts";

/** Words that no text for people may have, each with what to write instead. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:anew|likewise|thus|heed|farewell|polite)\b/i, "again, also, so"],
  [/\bmend(?:s|ed|ing)?\b/i, "repair, restore or reinstall"],
  [/\bpass(?:ed|es)? over\b/i, "skipped"],
  [/\bleft out\b/i, "skipped or omitted"],
  [/\b(?:goes|going|go) on\b/i, "allow or continue"],
  [/\bverbs?\b/i, "command"],
  [/\bflags?\b/i, "option"],
  [/\b(?:its|time) limit\b/i, "timeout"],
  [/\basks? hookctl\b/i, "calls hookctl; hookctl is installed in"],
  [/\b(?:was|were|is|are) (?:not )?asked for (?:its|their)\b/i, "declares its event"],
  [/\b(?:says|said|say) (?:its|which) event\b/i, "declares its event"],
  [/\bwhat it says\b/i, "its output"],
  [/\bin silence\b/i, "silently"],
  [/\b(?:took|take|taken) over\b(?! \$)/i, "migrate or replace"],
  [/\bvalve\b/i, "turn limit"],
  [/\bsets? aside\b/i, "move"],
  [/\bstands? (?:in|beside|behind|there|still)\b/i, "is in, exists"],
  [/\bdoes not run any ?more\b/i, "no longer runs"],
];

/** Texts of the program that keep such a word, each with the reason. */
const EXCEPTIONS: readonly (readonly [text: string, reason: string])[] = [
  ["Asks hookctl's hooks.", "part of a registration: a change would make every installed one count as modified"],
  ["another process took its lock over", "a lock is taken over in the sense of the word"],
  ["another process took over", "a lock is taken over in the sense of the word"],
  ["sys.flags.isolated", "Python's own name in a program of Python"],
];

/** A noun in the plural after a count, and a noun that is chosen by hand: "1 lines". A constant in capitals is never 1. */
const COUNTED: readonly RegExp[] = [
  /\$\{(?!pluralize|count\} child)[^{}]*(?:\.length|\.size|[cC]ount|[tT]otal)\} (?:[\w-]+ )?[a-z]+s\b/,
  /=== 1 \? "(\w*)" : "\1e?s"/,
];

describe("the words of the program", () => {
  const texts = sourceFiles().flatMap((file) => stringsIn(file).map((found) => ({ file, ...found })));

  test("there are texts to check", () => {
    expect(texts.some(({ text }) => text.includes("is not approved, so it was not started"))).toBe(true);
  });

  test("no text uses a word that has a plainer one", () => {
    const isException = (text: string): boolean => EXCEPTIONS.some(([exception]) => text.includes(exception));
    const found = texts
      .filter(({ text }) => !isException(text))
      .flatMap(({ file, line, text }) =>
        WORDS.filter(([word]) => word.test(text)).map(([, instead]) => `${file}:${line}: "${text}": write ${instead}`),
      );
    expect(found).toEqual([]);
  });

  test("a count takes its noun from pluralize", () => {
    // The templates' errors are worded as Python words them.
    const files = sourceFiles().filter((file) => !file.startsWith("src/templates/"));
    const found = files.flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .flatMap((line, at) => (COUNTED.some((form) => form.test(line)) ? [`${file}:${at + 1}: ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });
});
