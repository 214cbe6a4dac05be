import { expect, test } from "vitest";
import { sourceFiles, sourceText } from "../support/sources.ts";

/** A noun in the plural after a count, and a noun that is chosen by hand: "1 lines". A constant in capitals is never 1. */
const COUNTED: readonly RegExp[] = [
  /\$\{(?!pluralize|count\} child)[^{}]*(?:\.length|\.size|[cC]ount|[tT]otal)\} (?:[\w-]+ )?[a-z]+s\b/,
  /=== 1 \? "(\w*)" : "\1e?s"/,
];

test("a count takes its noun from pluralize", () => {
  // The errors of templates are worded as Python words them.
  const files = sourceFiles().filter((file) => !file.startsWith("packages/jinja/"));
  const found = files.flatMap((file) =>
    sourceText(file)
      .split("\n")
      .flatMap((line, at) => (COUNTED.some((form) => form.test(line)) ? [`${file}:${at + 1}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});
