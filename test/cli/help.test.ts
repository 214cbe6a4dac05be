import { expect, test } from "vitest";
import { helpText } from "../../src/cli/help.ts";
import { allCommands } from "../../src/command-groups.ts";

const COMMANDS = await allCommands();

test.each([null, ...Object.keys(COMMANDS)])(
  "the help of %s fits a terminal of 80 columns, but for lines to copy",
  async (topic) => {
    const text = await helpText(topic, COMMANDS);
    expect(text.split("\n").filter((line) => line.length > 80 && !line.includes("hookctl "))).toEqual([]);
  },
);

test("the help of the program lists the commands by groups, in which only options of their own are mentioned", async () => {
  const text = await helpText(null, COMMANDS);
  expect(text).toMatch(/\nRun hooks:\n {2}list \[options\] +list hooks in run order, by event\n/);
  expect(text).toMatch(/\nBuilt-in guards:\n {2}guards \[names\.\.\.\] {2}/);
});
