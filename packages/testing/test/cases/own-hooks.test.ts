import { describe, expect, test } from "vitest";
import { printResponse, touch } from "../../../../test/support/shell.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { failures, runCases } from "./case-run.ts";

const file = "project/.kodelet/tests/cases.yaml";
const brings = (subject: string): string => `
${subject}
event: before_tool_call
cases:
  - name: a
    files: { run-me: "x" }
    expect: { decision: allow }
`;

describe("the cases of a project start no hook of the user's: nobody approved them, and they bring files", () => {
  test.each(["hook: guard", "chain: true"])("%s", async (subject) => {
    await using place = await workspace();
    // As `git status` would run what a repository's settings name.
    await place.hook("guard", `[ -e run-me ] && ${touch(`${place.dir}/canary`)}; ${printResponse({})}`);
    const { cases } = await runCases(place, brings(subject), { file });
    expect(cases).toMatchObject([{ message: expect.stringContaining("your own") }]);
    expect(await place.read("canary")).toBeNull();
  });

  test("the user's own cases may bring files", async () => {
    await using place = await workspace();
    await place.hook("guard", `[ -e run-me ] && ${touch(`${place.dir}/canary`)}; ${printResponse({})}`);
    expect(failures(await runCases(place, brings("hook: guard")))).toEqual({});
    expect(await place.read("canary")).not.toBeNull();
  });

  test("in a chain the hooks of the project run, and the user's are named", async () => {
    await using place = await workspace();
    await place.hook("own", `${touch(`${place.dir}/canary`)}; ${printResponse({})}`);
    await place.hook("guard", printResponse({ blocked: true, reason: "no" }), { scope: "project" });
    const blocks = brings("chain: true").replace("allow", "block");
    const { cases } = await runCases(place, blocks, { file, call: "test --trust --json" });
    expect(cases).toMatchObject([{ passed: true, message: expect.stringContaining("own, but the case is not: own") }]);
  });
});
