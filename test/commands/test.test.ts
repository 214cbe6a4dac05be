import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { sampledRows } from "../support/property-runs.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

interface Report {
  readonly hooks: readonly { name: string; passed: boolean; checks: readonly { name: string; passed: boolean }[] }[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const reportOf = (stdout: string): Report => JSON.parse(stdout);
const failedChecks = (report: Report, hook: string): readonly string[] =>
  report.hooks
    .filter(({ name }) => name === hook)
    .flatMap(({ checks }) => checks.filter(({ passed }) => !passed).map(({ name }) => name));

describe("what a hook does wrong is one failed check with its name", () => {
  const faults: { title: string; body: string; mode?: number; says?: string; check: string }[] = [
    {
      title: "prints a log line before its JSON",
      body: `echo checking; ${printResponse({})}`,
      check: "prints one JSON object or nothing",
    },
    {
      title: "blocks without a reason",
      body: printResponse({ blocked: true }),
      check: "gives a reason when it blocks",
    },
    { title: "mentions no event", body: ":", says: "nothing_at_all", check: "declares its event" },
    { title: "has no interpreter", body: "#!/no/such/interpreter\n", check: "its interpreter exists" },
    {
      title: "ends its first line with a carriage return",
      body: "#!/bin/sh\r\n",
      check: "has no CRLF and no byte order mark",
    },
    { title: "may be written by all", body: ":", mode: 0o777, check: "only its owner can change it" },
    { title: "may not be executed", body: ":", mode: 0o644, check: "may be executed" },
    { title: "leaves a process behind", body: "sleep 20 >/dev/null 2>&1 &", check: "leaves no process behind" },
    { title: "fails on every payload", body: "exit 3", check: "handles a sample payload" },
  ];
  test.each(sampledRows(faults))("$title", async ({ body, mode = 0o755, says = "before_tool_call", check }) => {
    await using place = await workspace();
    await place.hook("odd", body, { mode, says });
    const result = await runInProcess(place, "test --json");
    expect(result).toMatchObject({ stderr: "", code: 1 });
    expect(failedChecks(reportOf(result.stdout), "odd")).toContain(check);
    const text = await runInProcess(place, "test -v");
    expect(text).toMatchObject({ code: 1, stdout: expect.stringContaining(`✖ ${check}`) });
  });

  test("a hook that hangs is not asked again and again", async () => {
    await using place = await workspace();
    await place.hook("hangs", "sleep 30");
    const result = await runInProcess(place, "test --json --timeout 200ms");
    expect(result.code).toBe(1);
    expect(failedChecks(reportOf(result.stdout), "hangs")).toContain("handles a sample payload");
  });
});

test("a good hook passes every check, as text and as JSON", async () => {
  await using place = await workspace();
  await place.hook("good", printResponse({ blocked: true, reason: "no" }));
  const result = await runInProcess(place, "test good --json");
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(reportOf(result.stdout)).toMatchObject({ hooks: [{ name: "good", passed: true }], failed: 0 });
  expect(await runInProcess(place, "test")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("16 passed, 1 hook"),
  });
});

describe("which hooks are meant", () => {
  const setUp = async (place: Workspace): Promise<void> => {
    await place.hook("mine", ":");
    await place.hook("theirs", ":", { scope: "project" });
  };
  const rows: { title: string; words: string; code: number; names?: readonly string[]; says?: string }[] = [
    { title: "a name approves nothing", words: "test theirs --json", code: 77, names: [] },
    { title: "a path does", words: "test ./.kodelet/hooks/theirs --json", code: 0, names: ["theirs"] },
    { title: "so does a folder", words: "test ./.kodelet/hooks --json", code: 0, names: ["theirs"] },
    { title: "and the project", words: "test . --json", code: 0, names: ["theirs"] },
    { title: "without a word all that may run", words: "test --json", code: 0, names: ["mine"] },
    { title: "--trust takes the project's along", words: "test --trust --json", code: 0, names: ["theirs", "mine"] },
    { title: "--skip leaves one out", words: "test --skip mine --json", code: 77, names: [] },
    { title: "--no-hooks leaves all out", words: "test --no-hooks", code: 64, says: "NOTHING_TO_TEST" },
    { title: "an unknown name is named", words: "test mone", code: 64, says: "Did you mean mine?" },
    { title: "an unknown path is named", words: "test ./nowhere", code: 64, says: "./nowhere" },
  ];
  test.each(sampledRows(rows))("$title", async ({ words, code, names, says }) => {
    await using place = await workspace();
    await setUp(place);
    const result = await runInProcess(place, words);
    expect(result.code).toBe(code);
    if (names !== undefined) expect(reportOf(result.stdout).hooks.map(({ name }) => name)).toEqual(names);
    if (says !== undefined) expect(result.stderr).toContain(says);
  });

  test("nothing at all is told in words", async () => {
    await using place = await workspace();
    expect(await runInProcess(place, "test")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("NOTHING_TO_TEST"),
    });
    await mkdir(join(place.dir, "project", "empty"));
    expect(await runInProcess(place, "test ./empty")).toMatchObject({ code: 64 });
  });
});
