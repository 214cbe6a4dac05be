import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runProgram } from "../support/workspace.ts";

const starter = fileURLToPath(new URL("../../hooks-examples/starter/deny-dangerous", import.meta.url));

interface Case {
  readonly payload: object;
  readonly expect: { readonly decision: string };
}

/** Its cases, which `hookctl test` runs too: what it blocks, and what it gets wrong. */
const { cases }: { readonly cases: readonly Case[] } = JSON.parse(readFileSync(`${starter}.json`, "utf8"));

test.each<Case>(cases)("$name", async ({ payload, expect: { decision } }) => {
  const stdout = decision === "block" ? '{"blocked":true,"reason":"rm -rf is not allowed: delete single files"}\n' : "";
  const result = await runProgram([starter, "run"], { stdin: JSON.stringify(payload), env: { PATH: "/usr/bin:/bin" } });
  expect(result).toEqual({ stdout, stderr: "", code: 0, signal: null });
});

test("the hook to read first has 12 lines, and points to the built-in guard", () => {
  const text = readFileSync(starter, "utf8");
  expect(text.trimEnd().split("\n")).toHaveLength(12);
  expect(text).toContain("hookctl on filesystem");
});

const canCheck = spawnSync("shellcheck", ["--version"]).status === 0;

test.skipIf(!canCheck)("shellcheck finds nothing in it (needs shellcheck)", () => {
  expect(spawnSync("shellcheck", [starter], { encoding: "utf8" })).toMatchObject({ stdout: "", status: 0 });
});
