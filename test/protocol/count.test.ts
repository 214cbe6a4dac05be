import { expect, test } from "vitest";
import { groupDigits, pluralize } from "../../src/protocol/text/count.ts";

test.each([
  [groupDigits(0), "0"],
  [groupDigits(999), "999"],
  [groupDigits(1000), "1,000"],
  [groupDigits(1_234_567), "1,234,567"],
  [pluralize(0, "hook"), "0 hooks"],
  [pluralize(1, "hook"), "1 hook"],
  [pluralize(1200, "hook"), "1,200 hooks"],
  [pluralize(1, "process", "processes"), "1 process"],
  [pluralize(2, "process", "processes"), "2 processes"],
])("%s", (text, expected) => {
  expect(text).toBe(expected);
});
