import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { outcomes } from "../support/json-output.ts";
import { runProgram, workspace } from "../support/workspace.ts";
import { bash, type Call, examples, installed, NAMES, PATH, run } from "./basecoat-set.ts";

test("every example of the set has a payload, and may be executed", () => {
  const files = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name).sort()).toEqual(NAMES);
  expect(readdirSync(join(examples, "payloads")).sort()).toEqual(NAMES.map((name) => `${name}.json`));
  for (const name of NAMES) expect(statSync(join(examples, name)).mode & 0o100, name).toBe(0o100);
});

test.each(NAMES)("%s is on the page, with whether it advises, observes or decides", (name) => {
  const page = readFileSync(join(examples, "..", "README.md"), "utf8");
  const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\` |`));
  expect(row).toMatch(/\| (advises|observes|decides)[^|]* \|$/);
});

test.each(NAMES)("%s says that it does not know another verb", async (name) => {
  const result = await runProgram([join(examples, name), "dance"], { env: { PATH } });
  expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("hook|run") });
  expect(result.code).toBeGreaterThan(0);
});

test.each(NAMES)("%s answers its payload without a failure", async (name) => {
  await using place = await workspace();
  await installed(place, name);
  const payload = JSON.parse(readFileSync(join(examples, "payloads", `${name}.json`), "utf8")) as Call;
  const result = await run(place, payload);
  expect(result.hooks.map((hook) => [hook.name, hook.failure])).toContainEqual([name, undefined]);
  expect(result.hooks.flatMap(({ failure }) => failure ?? [])).toEqual([]);
});

describe("as one set", () => {
  const ORDER = ["permission-validator", "budget-guard", "known-fix", "error-knowledge", "telemetry"];
  const pack: Call = { hook: "PreToolUse", tool: bash("npm pack"), budget: { usedTokens: 73, effectiveLimit: 100 } };

  test("hard rules come first, then the budget, then advice, then telemetry", { tags: "slow" }, async () => {
    await using place = await workspace();
    await installed(place, ...NAMES);
    const result = await run(place, pack);
    expect(outcomes(result)).toEqual(ORDER.map((name) => [name, name === "telemetry" ? "observed" : "continue"]));
    expect(result.result).toEqual({
      ...{ blocked: false, warnings: ["budget-guard: 73% of the token budget is used"] },
      additional_context: ["Known fix: a stale archive in dist/ makes packing fail. Remove it first."],
      metadata: { "budget-guard": { hookId: "budget-guard", usedPercent: 73 } },
    });
  });

  test("a rule that blocks leaves out the advice, and telemetry still sees the call", { tags: "slow" }, async () => {
    await using place = await workspace();
    await installed(place, ...NAMES);
    await place.write("home/.kodelet/tool-policy.json", '{"deny":["ba*"]}');
    const result = await run(place, pack);
    expect(outcomes(result).map(([, outcome]) => outcome)).toEqual([
      "block",
      "skipped",
      "skipped",
      "skipped",
      "observed",
    ]);
    expect(await place.read("project/.kodelet/telemetry.jsonl")).toContain('"tool":"bash"');
  });
});
