import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { timeOfDayText } from "../../src/engine/pauses.ts";
import { approveAll, runToolCall } from "../support/approvals.ts";
import { lines, runInProcess } from "../support/in-process.ts";
import { workspace } from "../support/workspace.ts";

const FILE = "project/.kodelet/hooks.json";
const PATH = `DIR/${FILE}`;
/** In local time, as in a log. */
const SINCE = `since ${timeOfDayText(Date.parse("2100-01-01T00:00:00.000Z"))}`;

const settings = (names: readonly string[]): string =>
  JSON.stringify({
    hooks: { before_tool_call: names.map((name) => ({ name, command: "exit 1", fail_open: false })) },
  });

const cases: { title: string; names: readonly string[]; paths: readonly string[] }[] = [
  { title: "two of one name", names: ["g", "g"], paths: ["#g", "#g%2"] },
  { title: "a slash in the name", names: ["a/b"], paths: ["#a%2Fb"] },
  { title: "a percent sign in the name", names: ["5%", "5%"], paths: ["#5%25", "#5%25%2"] },
  { title: "a number sign in the name", names: ["a#a", "a#a"], paths: ["#a#a", "#a#a%2"] },
  { title: "a name that looks like that of a second one", names: ["g", "g%2"], paths: ["#g", "#g%252"] },
];

test.each(cases)("an approved entry stays approved while its settings file is there: $title", async (row) => {
  await using place = await workspace();
  await place.write(FILE, settings(row.names));
  await approveAll(place);
  // The file itself is approved as well, as one item with its entries.
  const [names, paths] = [
    [".kodelet/hooks.json", ...row.names],
    ["", ...row.paths],
  ];
  const width = Math.max(...names.map(({ length }) => length));
  const rows = (mark: string): string =>
    lines(...names.map((name, at) => `${mark} ${name.padEnd(width)}   ${SINCE}   ${PATH}${paths[at]}`));
  expect(await runInProcess(place, "trust --list")).toEqual({ stdout: rows("✔ approved"), stderr: "", code: 0 });
  const stdout = "Nothing to remove: every approved file exists.\n";
  expect(await runInProcess(place, "trust --prune")).toEqual({ stdout, stderr: "", code: 0 });
  expect(await runToolCall(place)).toMatchObject({ decision: "block", decided_by: row.names[0] });

  await rm(join(place.dir, FILE));
  expect(await runInProcess(place, "trust --list")).toEqual({ stdout: rows("▲ gone    "), stderr: "", code: 0 });
  const forgot = names.map((name, at) => `✔ Removed the approval of ${name}   ${PATH}${paths[at]}`);
  expect(await runInProcess(place, "trust --prune")).toEqual({ stdout: lines(...forgot), stderr: "", code: 0 });
});

test("pruning leaves the second of two namesakes as it is: a closed guard still blocks", async () => {
  await using place = await workspace();
  const [pass, stop] = ["true", "exit 1"].map((command) => ({ name: "g", command, fail_open: false }));
  await place.write(FILE, JSON.stringify({ hooks: { before_tool_call: [pass, stop] } }));
  await approveAll(place);
  expect(await runToolCall(place)).toMatchObject({ decision: "block" });
  await approveAll(place, "trust --prune");
  expect(await runToolCall(place)).toMatchObject({ decision: "block", decided_by: "g" });
});
