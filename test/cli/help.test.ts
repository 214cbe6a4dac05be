import { expect, test } from "vitest";
import { COMMAND_NAMES } from "../../src/cli/command-table.ts";
import { helpText } from "../../src/cli/help.ts";

test.each([null, ...COMMAND_NAMES])("the help of %s fits a terminal of 80 columns, but for lines to copy", (topic) => {
  const wide = helpText(topic)
    .split("\n")
    .filter((line) => line.length > 80 && !line.includes("hookctl "));
  expect(wide).toEqual([]);
});

test("a long term has its text below it, in the column of the others", () => {
  expect(helpText(null)).toContain(
    "  payload [options] <event> [values...]\n                                 print a sample payload",
  );
});
