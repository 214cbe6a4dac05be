import { describe, expect, test } from "vitest";
import { workspace } from "../../../../test/support/workspace.ts";
import type { HookReply } from "../../index.ts";
import { hooksIn, outcomes } from "./place.ts";

const NAMES = [
  ...["SessionStart", "SessionEnd", "PreToolUse", "PostToolUse"],
  ...["PreCompact", "PostCompact", "OnError", "OnBudgetExceeded"],
] as const;

/** An envelope as a Base Coat runtime would send it. */
const envelope = (hook: string): string =>
  JSON.stringify({ hook, sessionId: "s1", agent: "backend-dev", tool: { name: "bash", success: true, durationMs: 4 } });

test("a function registered for SessionStart loads memory by repository and branch and injects it", async () => {
  await using place = await workspace();
  await place.write("project/.git/HEAD", "ref: refs/heads/main\n");
  await place.write("project/.git/config", '[remote "origin"]\n  url = git@git.example:acme/shop.git\n');
  await using hooks = hooksIn(place);
  const memory = async (repository?: string, branch?: string) => [`${repository} on ${branch}: run the tests`];
  hooks.register("SessionStart", async (event) => ({
    action: "injectContext",
    additionalContext: await memory(event.repository, event.branch),
  }));
  const run = await hooks.run("SessionStart", { source: "startup" });
  expect(run.result).toMatchObject({ additional_context: ["acme/shop on main: run the tests"] });
});

test.each(NAMES)("%s gives a function the whole envelope", async (name) => {
  await using place = await workspace();
  await using hooks = hooksIn(place);
  const seen: unknown[] = [];
  hooks.register(name, (event) => void seen.push(event));
  await hooks.run(name, envelope(name));
  expect(seen).toEqual([
    expect.objectContaining({
      ...{ hook: name, sessionId: "s1", agent: "backend-dev", tool: { name: "bash", success: true, durationMs: 4 } },
      timestamp: expect.stringMatching(/^\d{4}-/),
    }),
  ]);
});

describe("a function answers in Base Coat's words", () => {
  const rows: readonly { said: HookReply; decision: string; result: object }[] = [
    { said: { action: "passThrough" }, decision: "continue", result: { blocked: false } },
    {
      said: { action: "injectContext", additionalContext: ["fix"] },
      decision: "continue",
      result: { additional_context: ["fix"] },
    },
    { said: { action: "block", reason: "no" }, decision: "block", result: { blocked: true, reason: "no" } },
    { said: { action: "modify", modifiedInput: { n: 1 } }, decision: "continue", result: { input: { n: 1 } } },
  ];
  test.each(rows)("$said.action", async ({ said, decision, result }) => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    hooks.register("PreToolUse", () => said, { name: "f" });
    expect(await hooks.run("PreToolUse", { tool_name: "bash", tool_input: {} })).toMatchObject({ decision, result });
  });
});

test("functions, files and declared commands stand in one order", async () => {
  await using place = await workspace();
  await place.hook("file", ":", { says: '{"event":"PreToolUse","priority":20}' });
  const declared = [{ name: "declared", command: "true", priority: 50 }];
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ version: 1, hooks: { PreToolUse: declared } }));
  await using hooks = hooksIn(place);
  hooks.register("PreToolUse", () => undefined, { name: "late", priority: 90 });
  hooks.register("PreToolUse", () => undefined, { name: "early", priority: 10 });
  const run = await hooks.run("PreToolUse", { tool_name: "bash", tool_input: {} });
  expect(outcomes(run)).toEqual(["early continue", "file continue", "declared continue", "late continue"]);
});

test("secrets in what a function says are taken out of its result", async () => {
  await using place = await workspace();
  await using hooks = hooksIn(place);
  const token = `ghp_${"a1B2".repeat(9)}`;
  hooks.register("SessionStart", () => ({ action: "injectContext", additionalContext: [token], metadata: { token } }));
  const text = await hooks.runText("SessionStart", {});
  expect(text).not.toContain(token);
  expect(text).toContain('"additional_context":["[redacted]"]');
});
