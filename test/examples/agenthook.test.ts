import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const examples = fileURLToPath(new URL("../../hooks-examples", import.meta.url));
const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
const payloadOf = (name: string): string => readFileSync(join(examples, "payloads", `${name}.json`), "utf8");

async function installed(...names: readonly string[]): Promise<Workspace> {
  const place = await workspace();
  for (const name of names) await place.hook(name, readFileSync(join(examples, name), "utf8"));
  return place;
}

/** As an agent with the AgentHook trait calls: its envelope in, its actions out. */
async function act(place: Workspace, point: string, stdin: string, env: Record<string, string> = {}) {
  const { stdout, code } = await runMain(place, ["run", point, "-q", "--as", "agenthook"], {
    stdin,
    env: { PATH, ...env },
  });
  return { action: JSON.parse(stdout) as unknown, code };
}

const CTX = { session_id: "example", turn_number: 4 };
const call = (command: string): string => JSON.stringify({ tool_name: "bash", args: { command }, ctx: CTX });

test("audit-trail writes a line for each point with its session and turn, and nothing that was said", async () => {
  await using place = await installed("audit-trail");
  await act(place, "pre_turn", payloadOf("audit-trail"));
  await act(place, "post_tool_call", JSON.stringify({ ...JSON.parse(call("ls")), result: "secret" }));
  await act(place, "on_turn_error", "{}");
  const lines = ((await place.read("project/.kodelet/audit-trail.log")) ?? "").trim().split("\n");
  expect(lines).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+Z turn_start session=example turn=3$/),
    expect.stringMatching(/ after_tool_call session=example turn=4$/),
    expect.stringMatching(/ turn_error session=none turn=0$/),
  ]);
});

test("audit-trail sees a turn that a guardrail before it has rejected", async () => {
  await using place = await installed("audit-trail", "content-guardrail");
  expect(await act(place, "pre_turn", payloadOf("content-guardrail"))).toMatchObject({ code: 2 });
  expect(await place.read("project/.kodelet/audit-trail.log")).toContain("turn_start session=example turn=1");
});

describe("content-guardrail", () => {
  const cases: readonly (readonly [string, string, object, unknown])[] = [
    ["lets other input pass", "pre_turn", { input: { message: "Please run the tests" } }, "Continue"],
    ["lets a turn without input pass", "pre_turn", {}, "Continue"],
    ["lets other answers pass", "post_llm_call", { response: { text: "Done." } }, "Continue"],
    [
      "halts after an answer with a private key",
      "post_llm_call",
      { response: { parts: ["-----BEGIN RSA PRIVATE KEY-----"] } },
      { Reject: "Answer blocked by content policy" },
    ],
  ];
  test.each(cases)("%s", async (_title, point, payload, action) => {
    await using place = await installed("content-guardrail");
    const result = await act(place, point, JSON.stringify({ ...payload, ctx: CTX }));
    expect(result).toEqual({ action, code: action === "Continue" ? 0 : 2 });
  });
});

test("cost-tracker adds up over the calls of a session, for each session on its own", { tags: "slow" }, async () => {
  await using place = await installed("cost-tracker");
  const stdin = payloadOf("cost-tracker");
  for (const _ of [1, 2, 3]) expect(await act(place, "post_llm_call", stdin)).toEqual({ action: "Continue", code: 0 });
  await act(place, "post_llm_call", stdin.replace('"example"', '"other"'));
  const total = async (session: string) =>
    Number((await runMain(place, ["state", "get", "total_cost", "--session", session])).stdout);
  expect(await total("example")).toBeCloseTo(3 * (12_000 * 3e-6 + 800 * 15e-6), 10);
  expect(await total("other")).toBeCloseTo(0.048, 10);
});

describe("human-approval", () => {
  const approver = (place: Workspace, says: string) =>
    place.write("approver", `#!/bin/sh\ncat > "$(dirname "$0")/asked"\n${says}\n`, 0o755);
  const cases: readonly (readonly [string, string, unknown, number])[] = [
    ["approved", "echo approved", "Continue", 0],
    ["denied with a reason", "echo 'denied: not on a Friday'", { Reject: "not on a Friday" }, 2],
    ["denied without one", "echo denied", { Reject: "a person denied it" }, 2],
    ["changed", `echo '{"command":"git push --dry-run"}'`, { Transform: { command: "git push --dry-run" } }, 0],
    ["no answer", "exit 1", { Reject: expect.stringContaining("human-approval could not decide") }, 2],
    ["silence", ":", { Reject: expect.stringContaining("human-approval could not decide") }, 2],
    ["another answer", "echo '[1]'", { Reject: expect.stringContaining("human-approval could not decide") }, 2],
  ];
  test.each(cases)("%s", async (_title, says, action, code) => {
    await using place = await installed("human-approval");
    const env = { KODELET_APPROVER: await approver(place, says) };
    expect(await act(place, "pre_tool_call", payloadOf("human-approval"), env)).toEqual({ action, code });
    const args = { command: "git push origin main" };
    expect(JSON.parse((await place.read("asked")) ?? "")).toEqual({ tool_name: "bash", args });
  });

  test("blocks when nobody finishes within its timeout", async () => {
    await using place = await installed("human-approval");
    await place.write(
      "home/.kodelet/hooks.json",
      JSON.stringify({ overrides: { "human-approval": { timeout: "2s" } } }),
    );
    const env = { KODELET_APPROVER: await approver(place, "sleep 30") };
    const result = await act(place, "pre_tool_call", payloadOf("human-approval"), env);
    expect(result).toEqual({ action: { Reject: expect.stringContaining("exceeded its 2 s timeout") }, code: 2 });
  });

  test("asks nobody about other calls", async () => {
    await using place = await installed("human-approval");
    const env = { KODELET_APPROVER: await approver(place, "exit 1") };
    expect(await act(place, "pre_tool_call", call("git status"), env)).toEqual({ action: "Continue", code: 0 });
    expect(await place.read("asked")).toBeNull();
  });
});

describe("provider-fallback", () => {
  const cases: readonly (readonly [number, object])[] = [
    [1, { retry: true, after_ms: 500 }],
    [2, { retry: true, after_ms: 0, provider: "second" }],
    [4, { retry: true, after_ms: 0, provider: "second" }],
    [5, { retry: false }],
  ];
  test.each(cases)("after failure %i", async (attempt, retry) => {
    await using place = await installed("provider-fallback");
    const env = { KODELET_BACKUP_PROVIDER: "second" };
    const stdin = JSON.stringify({ error: "overloaded", attempt, ctx: CTX });
    expect(await act(place, "on_llm_error", stdin, env)).toEqual({ action: { Transform: retry }, code: 0 });
  });

  test("takes no name that would break its JSON", async () => {
    await using place = await installed("provider-fallback");
    const env = { KODELET_BACKUP_PROVIDER: 'x","y":"' };
    expect(await act(place, "on_llm_error", payloadOf("provider-fallback"), env)).toEqual({
      action: "Continue",
      code: 0,
    });
  });
});

test("argument-rewriter, a hook in kodelet's dialect, rewrites the args of an agent with AgentHook", async () => {
  await using place = await installed("argument-rewriter");
  const result = await act(place, "pre_tool_call", call("npm ci"));
  expect(result).toEqual({ action: { Transform: { command: "npm ci --ignore-scripts" } }, code: 0 });
});
