import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { call, type Workspace, workspace } from "../support/workspace.ts";

const script = fileURLToPath(new URL("../../tools/coverage/check.mjs", import.meta.url));

type Row = Readonly<Record<string, unknown>>;
type Ended = readonly [fullName: string, status: "passed" | "failed" | "skipped"];

const row = (over: Row = {}): Row => ({
  ...{ kind: "rule", what: "a block ends the chain", where: "Rules", test: "the chain a block ends it" },
  ...over,
});

const PASSED: Ended = ["the chain a block ends it", "passed"];

async function placed(place: Workspace, ended: readonly Ended[], files: Readonly<Record<string, unknown>>) {
  const assertionResults = ended.map(([fullName, status]) => ({ fullName, status }));
  await place.write("report.json", JSON.stringify({ testResults: [{ assertionResults }] }));
  const whole = { kodelet: [row()], basecoat: [row()], reyn: [row()], agenthook: [row()], ...files };
  for (const [name, rows] of Object.entries(whole)) await place.write(`rows/${name}.json`, JSON.stringify(rows));
}

const checked = (place: Workspace) =>
  call([process.execPath, script, join(place.dir, "report.json"), join(place.dir, "rows")], { cwd: place.dir });

const FOUR = ["kodelet", "basecoat", "reyn", "agenthook"];
const allShown = FOUR.map((name) => `${name}: 1 of 1 rows are shown by tests that passed\n`).join("");

describe("the coverage check", () => {
  test("is silent on stderr when the test of every row passed", async () => {
    await using place = await workspace();
    await placed(place, [PASSED], {});
    expect(await checked(place)).toMatchObject({ stdout: allShown, stderr: "", code: 0 });
  });

  test("takes a title with or without the quotes that the report puts around table values", async () => {
    await using place = await workspace();
    const quoted: Ended = ["the chain 'a hook''s `block` ends it'", "passed"];
    await placed(place, [PASSED, quoted], { reyn: [row({ test: "the chain a hook's block ends it" })] });
    expect(await checked(place)).toMatchObject({ stdout: allShown, stderr: "", code: 0 });
  });

  test("counts a test that this machine cannot make and says so in its title", async () => {
    await using place = await workspace();
    const title = "worktrees (needs git) are approved";
    await placed(place, [PASSED, [title, "skipped"]], { kodelet: [row({ test: title })] });
    const told = await checked(place);
    expect(told).toMatchObject({ stderr: "", code: 0 });
    expect(told.stdout).toContain("kodelet: 0 of 1 rows are shown by tests that passed, 1 wait for tests that this");
  });

  const faults: { title: string; ended?: readonly Ended[]; rows?: unknown; says: string }[] = [
    {
      title: "a title that is nowhere, with the nearest one",
      rows: [row({ test: "the chain one block ends" })],
      says: `✖ reyn.json rule “a block ends the chain”: there is no such test
    the chain one block ends
    nearest: the chain a block ends it
`,
    },
    {
      title: "a test that failed",
      ended: [["it fails", "failed"]],
      rows: [row({ test: "it fails" })],
      says: "its test failed\n    it fails\n",
    },
    {
      title: "a test that failed in one file and passed in another",
      ended: [
        ["it fails", "failed"],
        ["it fails", "passed"],
      ],
      rows: [row({ test: "it fails" })],
      says: "its test failed\n    it fails\n",
    },
    {
      title: "a test that was skipped without a reason",
      ended: [["it is skipped", "skipped"]],
      rows: [row({ test: "it is skipped" })],
      says: "its test was skipped, and its title does not say why\n    it is skipped\n",
    },
    { title: "a file without rows", rows: [], says: "✖ reyn.json is no list of rows, or has none\n" },
    { title: "a row that lacks a part", rows: [row(), row({ where: " " })], says: '✖ reyn.json row 2: no "where"\n' },
    { title: "a row that is no object", rows: [row(), null], says: '✖ reyn.json row 2: no "kind"\n' },
    {
      title: "a kind that there is not",
      rows: [row({ kind: "toString" })],
      says: '✖ reyn.json row 1: "toString" is no kind: capability, event, field, default, rule\n',
    },
    {
      title: "two rows that say the same",
      rows: [row(), row()],
      says: "✖ reyn.json: two rows say rule “a block ends the chain” (Rules)\n",
    },
  ];
  test.each(faults)("fails on $title", async ({ ended = [], rows, says }) => {
    await using place = await workspace();
    await placed(place, [PASSED, ...ended], { reyn: rows });
    const told = await checked(place);
    expect(told.code).toBe(1);
    expect(told.stderr).toContain(says);
    expect(told.stderr.endsWith("faults in the coverage table: 1\n")).toBe(true);
  });

  test("fails without a report, and says how to get one", async () => {
    await using place = await workspace();
    const told = await checked(place);
    expect(told).toMatchObject({ stdout: "", code: 1, stderr: expect.stringContaining("npm run coverage") });
  });
});
