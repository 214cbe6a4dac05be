import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { parseTestJson } from "../support/json-test-output.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const own = join(root, ".kodelet/hooks");
const examples = join(root, "hooks-examples");

/** Copies a file with the mode that a project needs: those of a checkout may be writable by the group. */
const copy = (place: Workspace, file: string, to: string, mode: number): Promise<string> =>
  place.write(join("project", ".kodelet", to), readFileSync(file, "utf8"), mode);

/** Checks hooks with their test cases in a project of their own. */
async function checked(hooks: string, tests: string) {
  await using place = await workspace();
  for (const file of readdirSync(tests)) {
    const name = file.replace(/\.yaml$/, "");
    await copy(place, join(tests, file), `tests/${file}`, 0o644);
    await copy(place, join(hooks, name), `hooks/${name}`, 0o755);
  }
  const result = await place.run(["check", ".", "--json"]);
  const report = parseTestJson(result);
  const failed = report.hooks.flatMap(({ name, checks }) =>
    checks.flatMap((check) => (check.passed ? [] : [`${name}: ${check.name}: ${check.message}`])),
  );
  const cases = report.hooks.map(({ name, checks }) => [name, checks.filter((check) => "case_file" in check).length]);
  return { code: result.code, failed, cases: Object.fromEntries(cases) };
}

describe("the hooks of this project", () => {
  test("pass their checks and test cases, and have some each", async () => {
    const found = await checked(own, join(root, ".kodelet/tests"));
    expect(found).toEqual({ code: 0, failed: [], cases: { "no-dist-edits": 9, "no-force-push": 11, project: 0 } });
    expect(Object.keys(found.cases)).toEqual([...readdirSync(own), "project"]);
  });

  test("are approved by nobody", async () => {
    await using place = await workspace();
    for (const name of readdirSync(own)) await copy(place, join(own, name), `hooks/${name}`, 0o755);
    const stdin = JSON.stringify({ tool_name: "bash", tool_input: { command: "git push --force" } });
    const result = await runMain(place, ["run", "before_tool_call"], { stdin });
    expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining("no-force-push is not approved") });
    expect(JSON.parse(result.stdout)).toMatchObject({ blocked: false });
  });
});

test("the example hooks pass their checks and test cases", async () => {
  expect(await checked(examples, join(examples, "tests"))).toEqual({
    code: 0,
    failed: [],
    cases: { "argument-rewriter": 2, "human-approval": 4, "secret-redactor": 2, "security-guardrail": 6, project: 0 },
  });
});
