import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { outcomes, parseRunJson } from "../support/json-output.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const examples = fileURLToPath(new URL("../../hooks-examples", import.meta.url));
const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
const SET = readdirSync(join(examples, "basecoat"), { withFileTypes: true }).filter((entry) => entry.isFile());
const FILES = [...SET.map(({ name }) => `basecoat/${name}`), "rotation/rotate-session"];

const raise = async (place: Workspace, hook: string, more: object) => {
  const stdin = JSON.stringify({ hook, sessionId: "s1", repository: "acme/shop", branch: "feat/145", ...more });
  const result = await runInProcess(place, `run ${hook} --json -q`, { stdin, env: { PATH } });
  expect(result.stderr).toBe("");
  const run = parseRunJson(result);
  expect(run.hooks.filter(({ outcome }) => outcome === "failed")).toEqual([]);
  return run;
};
const remember = async (place: Workspace, key: string, value: unknown): Promise<void> => {
  expect(await runInProcess(place, `state set ${key} ${JSON.stringify(value)} --session s1`)).toMatchObject({
    code: 0,
  });
};
const calling = { tool: { name: "bash", input: { command: "npm pack" } } };
const failed = { tool: { ...calling.tool, success: false, durationMs: 12, output: "EEXIST shop.tgz" } };

test("the control loop, with the whole set: start, tools, failure, budget, compaction, end", async () => {
  await using place = await workspace();
  for (const file of FILES) await place.hook(file.replace(/.*\//, ""), readFileSync(join(examples, file), "utf8"));
  const rule = printResponse({ action: "injectContext", additionalContext: ["Run the tests before a merge."] });
  await place.hook("conventions", rule, { says: "SessionStart" });

  const started = await raise(place, "SessionStart", { source: "startup" });
  expect(started.result).toEqual({ blocked: false, additional_context: ["Run the tests before a merge."] });
  await remember(place, "issue", "#145");
  await remember(place, "facts", ["pack-needs-a-clean-dist"]);

  const first = await raise(place, "PreToolUse", calling);
  expect(first.result.additional_context).toEqual([expect.stringContaining("stale archive in dist/")]);
  expect((await raise(place, "PostToolUse", failed)).decision).toBe("continue");
  await raise(place, "PostToolUse", failed);
  const warned = await raise(place, "PreToolUse", calling);
  expect(warned.result.additional_context).toContainEqual(expect.stringContaining("has failed 2 times before: EEXIST"));
  const looped = await raise(place, "PostToolUse", failed);
  expect(looped).toMatchObject({ decision: "halt", decided_by: "anti-loop" });

  const budget = { usedTokens: 131_200, effectiveLimit: 160_000 };
  expect((await raise(place, "OnBudgetExceeded", { budget })).decision).toBe("block");
  expect((await raise(place, "PreToolUse", { ...calling, budget })).decided_by).toBe("budget-guard");
  expect((await raise(place, "PreCompact", {})).result.metadata).toEqual({ "rotate-session": { anchors: 2 } });
  const compacted = await raise(place, "PostCompact", { summary: "We pack the shop on feat/145.", removed_count: 40 });
  expect(compacted.result.additional_context).toEqual(["issue: #145"]);

  const result = await raise(place, "SessionEnd", { reason: "rotate" });
  expect(outcomes(result).map(([name]) => name)).toEqual(["rotate-session", "session-memory", "telemetry"]);
  expect(result.result.metadata).toEqual({ "session-memory": { persistedFacts: 1 } });
  const lines = ((await place.read("project/.kodelet/telemetry.jsonl")) ?? "").trimEnd().split("\n");
  // Each of the three failed calls raised OnError as well.
  expect(lines).toHaveLength(14);
});

test("a retry policy at OnError reads the error and tells the agent what to do", async () => {
  await using place = await workspace();
  const wait = printResponse({
    action: "injectContext",
    additionalContext: ["Rate limit: wait a minute, then try once."],
  });
  await place.hook("retry", `grep -q '"code": *429' && ${wait} || :`, { says: "OnError" });
  const result = async (code: number) => (await raise(place, "OnError", { error: { code } })).result;
  expect(await result(429)).toEqual({ additional_context: ["Rate limit: wait a minute, then try once."] });
  expect(await result(404)).toEqual({});
});
