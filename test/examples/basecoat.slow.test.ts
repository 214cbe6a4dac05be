import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { type Workspace, workspace } from "../support/workspace.ts";
import { bash, type Call, failing, installed, NAMES, run } from "./basecoat-set.ts";

describe("permission-validator", () => {
  const rows = [
    { title: "without a policy every tool passes", policy: null, code: 0 },
    { title: "a denied tool is blocked", policy: '{"deny":["mcp_*"]}', code: 2 },
    { title: "with a list everything else is blocked", policy: '{"allow":["bash"]}', code: 2 },
    { title: "a listed tool passes", policy: '{"allow":["mcp_b*"]}', code: 0 },
    { title: "a policy that cannot be read allows nothing", policy: "{", code: 2 },
  ];
  test.each(rows)("$title", async ({ policy, code }) => {
    await using place = await workspace();
    await installed(place, "permission-validator");
    if (policy !== null) await place.write("home/.kodelet/tool-policy.json", policy);
    expect((await run(place, { hook: "PreToolUse", tool: { name: "mcp_browser" } })).code).toBe(code);
  });
});

describe("budget-guard", () => {
  const rows = [
    { used: 69, decision: "continue", warnings: 0 },
    { used: 70, decision: "continue", warnings: 1 },
    { used: 79, decision: "continue", warnings: 1 },
    { used: 80, decision: "block", warnings: 0 },
    { used: 130, decision: "block", warnings: 0 },
  ];
  test.each(rows)("at $used% of the limit: $decision with $warnings warnings", async ({ used, decision, warnings }) => {
    await using place = await workspace();
    await installed(place, "budget-guard");
    const payload = { tool: bash("ls"), budget: { usedTokens: used * 1600, effectiveLimit: 160_000 } };
    const result = await run(place, { hook: "PreToolUse", ...payload });
    expect(result.decision).toBe(decision);
    expect(result.warnings).toHaveLength(warnings);
  });

  test("both numbers can be set in the environment, and for one session in its state", async () => {
    await using place = await workspace();
    await installed(place, "budget-guard");
    const env = { KODELET_BUDGET_WARN_PERCENT: "40", KODELET_BUDGET_ROTATE_PERCENT: "50" };
    const at = async (usedTokens: number, own = env) => {
      const result = await run(place, { hook: "OnBudgetExceeded", budget: { usedTokens, effectiveLimit: 100 } }, own);
      return [result.decision, result.warnings.length];
    };
    expect(await at(45)).toEqual(["continue", 1]);
    expect(await at(55)).toEqual(["block", 0]);
    await runInProcess(place, "state set budget_rotate_percent 95 --session s1");
    expect(await at(55)).toEqual(["continue", 1]);
    expect(await at(55, { ...env, KODELET_BUDGET_WARN_PERCENT: "nonsense" })).toEqual(["continue", 0]);
  });

  test("a call that tells no budget passes without a word", async () => {
    await using place = await workspace();
    await installed(place, "budget-guard");
    expect((await run(place, { hook: "PreToolUse", tool: bash("ls") })).result).toEqual({ blocked: false });
  });
});

describe("known-fix", () => {
  test("a project adds its own hints; a command without one passes without a word", async () => {
    await using place = await workspace();
    await installed(place, "known-fix");
    await place.write("project/.kodelet/known-fixes.json", '{"make*":"Known fix: run ./configure first."}');
    const hint = async (command: string) => (await run(place, { hook: "PreToolUse", tool: bash(command) })).result;
    expect(await hint("make all")).toEqual({
      ...{ blocked: false, additional_context: ["Known fix: run ./configure first."] },
    });
    expect(await hint("aws s3 ls")).toMatchObject({ additional_context: [expect.stringContaining("aws sso login")] });
    expect(await hint("ls")).toEqual({ blocked: false });
  });
});

describe("telemetry", () => {
  const EVENTS = [
    ...["SessionStart", "SessionEnd", "PreToolUse", "PostToolUse"],
    ...["PreCompact", "PostCompact", "OnError", "OnBudgetExceeded"],
  ];
  test("writes a line of names and numbers at all eight events, and nothing that was said", async () => {
    await using place = await workspace();
    await installed(place, "telemetry");
    const private_ = "the private text";
    for (const hook of EVENTS) {
      const tool = bash(private_, { success: false, durationMs: 12, output: private_ });
      const said = { messages: [{ role: "user", content: private_ }], summary: private_, removed_count: 4 };
      const error = { code: "E1", message: private_ };
      await run(place, { hook, tool, ...said, error, budget: { usedTokens: 50, effectiveLimit: 100 } });
    }
    const text = (await place.read("project/.kodelet/telemetry.jsonl")) ?? "";
    expect(text).not.toContain(private_);
    // The call that failed raises OnError by itself.
    const raised = EVENTS.flatMap((hook) => (hook === "PostToolUse" ? [hook, "OnError"] : [hook]));
    expect(
      text
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as Call).hook),
    ).toEqual(raised);
  });

  /** The lines of a session in which the whole set is installed. */
  async function lines(place: Workspace): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const text = (await place.read("project/.kodelet/telemetry.jsonl")) ?? "";
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  test("each suggested measurement comes out of a session with the whole set", async () => {
    await using place = await workspace();
    await installed(place, ...NAMES);
    await place.write("home/.kodelet/tool-policy.json", '{"deny":["mcp_*"]}');
    const scope = { repository: "acme/shop", branch: "feat/x" };
    const at = (hook: string, more: object = {}, minute = 0) =>
      run(place, { hook, timestamp: `2026-01-05T09:${30 + minute}:00Z`, ...scope, ...more });
    for (const [key, value] of [
      ["facts", '["a","b"]'],
      ["blockers", '["c"]'],
      ["handoff", '["step-3"]'],
    ]) {
      await runInProcess(place, `state set ${key} ${value} --session s1`);
    }
    await runInProcess(place, `state set rotation_anchors {"issue":"#1","next":"deploy"} --session s1`);
    await at("SessionEnd");
    await at("SessionStart", { sessionId: "s2" });
    await at("PreToolUse", { tool: bash("npm pack") });
    await at("PostToolUse", { tool: bash("ls", { success: true, durationMs: 5 }) });
    const failing = { tool: bash("make", { success: false, durationMs: 7, output: { error: "permission denied" } }) };
    await at("PostToolUse", failing, 1);
    await at("PostToolUse", failing, 2);
    await at("PreCompact", { budget: { usedTokens: 80_000, effectiveLimit: 100_000 } });
    await at("PostCompact", { budget: { usedTokens: 20_000, effectiveLimit: 100_000 }, summary: "we deploy" });
    await at("OnBudgetExceeded", { budget: { usedTokens: 85_000, effectiveLimit: 100_000 } });
    await at("OnBudgetExceeded", { sessionId: "s3", budget: { usedTokens: 85_000, effectiveLimit: 100_000 } });
    expect(await lines(place)).toMatchObject([
      { hook: "SessionEnd", persistedFacts: 4, handoffBytes: 10 },
      { hook: "SessionStart", memoryHits: 4, bootstrapMs: expect.any(Number) },
      { hook: "PreToolUse", toolCategory: "shell", policyChecks: 1, warningsInjected: 1 },
      { hook: "PostToolUse", durationMs: 5, successRate: 1, retries: 0, loopScore: 0 },
      { hook: "PostToolUse", durationMs: 7, successRate: 0.5, retries: 0, loopScore: 1 },
      { hook: "OnError", errorClass: "permission", recurrences: 0 },
      { hook: "PostToolUse", durationMs: 7, successRate: 0.33, retries: 1, loopScore: 2 },
      { hook: "OnError", errorClass: "permission", recurrences: 1 },
      { hook: "PreCompact", usedTokens: 80_000, handoffBytes: 10 },
      { hook: "PostCompact", anchors: 2, retainedAnchors: 1, compressionRatio: 0.25 },
      { hook: "OnBudgetExceeded", thresholdPercent: 80, usedPercent: 85, rotationsPerDay: 1 },
      { hook: "OnBudgetExceeded", rotationsPerDay: 2 },
    ]);
  });

  test("what is not known is left out, not made up", async () => {
    await using place = await workspace();
    await installed(place, "telemetry");
    await run(place, { hook: "PostToolUse", tool: { name: "bash" } });
    await run(place, { hook: "PostCompact" });
    const [call, compaction] = await lines(place);
    expect(Object.keys(call ?? {})).toEqual(["time", "hook", "session", "agent", "tool"]);
    expect(compaction).not.toHaveProperty("compressionRatio");
  });
});

describe("anti-loop", () => {
  const minute = (n: number) => `2026-01-05T09:${30 + n}:00Z`;

  test("the same command that fails three times with the same error within six minutes halts the agent", async () => {
    await using place = await workspace();
    await installed(place, "anti-loop");
    const result = [];
    for (const n of [0, 1, 2, 3]) result.push(await run(place, failing("npm test", "no module", minute(n))));
    expect(result.map(({ code }) => code)).toEqual([0, 0, 2, 0]);
    expect(result[2]).toMatchObject({
      decision: "halt",
      reason: expect.stringContaining("failed 3 times in 6 minutes"),
    });
  });

  test("calls whose envelope tells no arguments are none that can be known again", async () => {
    await using place = await workspace();
    await installed(place, "anti-loop", "error-knowledge");
    const envelope: Call = { hook: "PostToolUse", tool: { name: "bash", success: false, durationMs: 3 } };
    for (const _ of [1, 2, 3, 4]) expect((await run(place, envelope)).code).toBe(0);
    const next = await run(place, { hook: "PreToolUse", tool: { name: "bash" } });
    expect(next.result).toEqual({ blocked: false });
  });

  test("another error, another command, a longer time or another session is no loop", async () => {
    await using place = await workspace();
    await installed(place, "anti-loop");
    const calls = [
      ...[failing("npm test", "a", minute(0)), failing("npm test", "b", minute(1))],
      ...[failing("npm run", "a", minute(2)), failing("npm test", "a", minute(3))],
      ...[failing("npm test", "a", minute(9)), { ...failing("npm test", "a", minute(9)), sessionId: "s2" }],
    ];
    for (const one of calls) expect((await run(place, one)).code).toBe(0);
  });

  test("two tools that take turns without anything new halt it too, but not while their output changes", async () => {
    await using place = await workspace();
    await installed(place, "anti-loop");
    const turn = (n: number, output: string): Call => ({
      hook: "PostToolUse",
      tool: { name: n % 2 === 0 ? "read" : "search", success: true, input: {}, output },
    });
    const codes = [];
    for (const n of [0, 1, 2, 3, 4, 5]) codes.push((await run(place, turn(n, `part ${n}`))).code);
    for (const n of [0, 1, 2, 3, 4, 5]) codes.push((await run(place, turn(n, "same"))).code);
    expect(codes).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
  });

  test("compactions that free nothing are warned about", async () => {
    await using place = await workspace();
    await installed(place, "anti-loop");
    const warnings = [];
    for (const usedTokens of [90, 90, 91, 40]) {
      const result = await run(place, { hook: "PostCompact", budget: { usedTokens, effectiveLimit: 100 } });
      warnings.push(result.warnings.length);
    }
    expect(warnings).toEqual([0, 0, 1, 0]);
  });

  test("only hashes are kept in the session", async () => {
    await using place = await workspace();
    await installed(place, "anti-loop");
    await run(place, failing("deploy --key hunter2", "no access for hunter2"));
    const result = await runInProcess(place, "state get --session s1");
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining("loop_calls") });
    expect(result.stdout).not.toContain("hunter2");
  });
});

describe("session-memory", () => {
  const scope = { repository: "acme/shop", branch: "feat/x" };
  const start = async (place: Workspace, more: object) =>
    (await run(place, { hook: "SessionStart", sessionId: "s2", ...more })).result.additional_context;

  test("what one session has learned the next one on the same repository and branch is told", async () => {
    await using place = await workspace();
    await installed(place, "session-memory");
    for (const [key, text] of [
      ["facts", "needs-redis"],
      ["blockers", "feed-login"],
      ["handoff", "start-at-step-3"],
    ]) {
      expect(await runInProcess(place, `state set ${key} ["${text}"] --session s1`)).toMatchObject({ code: 0 });
    }
    expect(await start(place, scope)).toBeUndefined();
    const result = await run(place, { hook: "SessionEnd", ...scope });
    expect(result.result).toMatchObject({ metadata: { "session-memory": { persistedFacts: 3 } } });
    const lines = ["Fact: needs-redis", "Open blocker: feed-login", "Handoff note: start-at-step-3"];
    expect(await start(place, scope)).toEqual(lines);
    expect(await start(place, { ...scope, branch: "main" })).toBeUndefined();
    expect(await start(place, { ...scope, repository: "acme/other" })).toBeUndefined();
  });

  test("a session that has learned nothing keeps what was known", async () => {
    await using place = await workspace();
    await installed(place, "session-memory");
    await runInProcess(place, 'state set facts ["needs-redis"] --session s1');
    await run(place, { hook: "SessionEnd", ...scope });
    await run(place, { hook: "SessionEnd", sessionId: "s3", ...scope });
    expect(await start(place, scope)).toEqual(["Fact: needs-redis"]);
  });
});

describe("error-knowledge", () => {
  const ask = async (place: Workspace, command: string) =>
    (await run(place, { hook: "PreToolUse", tool: bash(command) })).result.additional_context;

  test("after a failure it warns before the next try, and forgets once the call succeeds", async () => {
    await using place = await workspace();
    await installed(place, "error-knowledge");
    expect(await ask(place, "make")).toBeUndefined();
    await run(place, failing("make", "line 41: no rule for target\nand more"));
    await run(place, failing("make", "line 42: no rule for target"));
    expect(await ask(place, "make")).toEqual(["This call has failed 2 times before: line N: no rule for target"]);
    expect(await ask(place, "make all")).toBeUndefined();
    await run(place, { hook: "PostToolUse", tool: bash("make", { success: true, output: "ok" }) });
    expect(await ask(place, "make")).toBeUndefined();
  });

  test("it stores signatures: neither commands nor what looks like a secret", async () => {
    await using place = await workspace();
    await installed(place, "error-knowledge");
    await run(place, failing("deploy hunter2", `no access with ${"a1B2".repeat(9)}\nhunter2`));
    const kept = await place.read("project/.kodelet/state/error-knowledge.json");
    expect(kept).toContain("no access with …");
    expect(kept).not.toMatch(/hunter2|a1B2/);
  });

  test("at OnError a new failure is told once; the same one is silent for ten minutes", async () => {
    await using place = await workspace();
    await installed(place, "error-knowledge");
    const tell = async (message: string, minutes: number) => {
      const timestamp = `2026-01-05T09:${30 + minutes}:00Z`;
      const result = await run(place, { hook: "OnError", timestamp, tool: { name: "bash" }, error: { message } });
      return [result.warnings.length, result.result.metadata];
    };
    const counted = (count: number) => ({ "error-knowledge": { ...found, count } });
    const found = { hookId: "error-knowledge", signature: "exit N" };
    expect(await tell("exit 1", 0)).toEqual([1, counted(1)]);
    expect(await tell("exit 2", 1)).toEqual([0, counted(2)]);
    expect((await tell("refused", 2))[0]).toBe(1);
    expect((await tell("exit 1", 20))[0]).toBe(1);
  });

  test("it is told of hooks that fail, too", async () => {
    await using place = await workspace();
    await installed(place, "error-knowledge");
    await place.hook("broken", "exit 1", { says: "PreToolUse" });
    const result = await run(place, { hook: "PreToolUse", tool: bash("ls") });
    expect(result.warnings).toEqual(["broken failed: exit 1", "error-knowledge: new failure: broken failed: exit N"]);
  });
});
