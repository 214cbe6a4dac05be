import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { workspace } from "../../../../test/support/workspace.ts";
import { failures, runCases } from "./case-run.ts";

const read = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");
const [, section = ""] = read("docs/testing.md").split("## Write test cases");
const example = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(section)?.[1] ?? "";

describe("the examples of docs/testing.md", () => {
  test.each([
    ["yaml", ["blocks rm -rf", "allows ls", "allows git status"]],
    ["json", ["allows build"]],
  ])("%s: every case passes", async (language, names) => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks/deny-dangerous", read("hooks-examples/starter/deny-dangerous"), 0o755);
    const result = await runCases(place, example(language), { file: `home/.kodelet/tests/a.${language}` });
    expect(failures(result)).toEqual({});
    expect(result.cases.map(({ name }) => name)).toEqual(names);
    expect(result).toMatchObject({ stderr: "", faults: [] });
  });
});

test("a secret in a change is in no report", async () => {
  await using place = await workspace();
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  await place.hook("guard", `printf '{"input":{"token":"${secret}"}}'`);
  const cases = "hook: guard\ncases: [{ name: a, expect: { change: null } }, { name: b }]\n";
  const result = await runCases(place, cases, { call: "test --json --update" });
  expect(failures(result)).toEqual({ a: expect.stringContaining("[redacted") });
  expect(JSON.stringify(result)).not.toContain(secret);
  expect(readFileSync(`${place.home}/.kodelet/tests/snapshots/cases.yaml.json`, "utf8")).not.toContain(secret);
});
