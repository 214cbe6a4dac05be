import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { type CommandResult, runProgram, type Workspace, workspace } from "../support/workspace.ts";

const examples = fileURLToPath(new URL("../../hooks-examples", import.meta.url));
const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;

interface Case {
  readonly name: string;
  readonly event: string;
  readonly result: unknown;
  readonly story: RegExp;
  readonly code: number;
}

const CASES: readonly Case[] = [
  { name: "audit-logger", event: "after_tool_call", result: {}, story: /audit-logger .*observed/, code: 0 },
  {
    name: "security-guardrail",
    event: "before_tool_call",
    result: { blocked: true, reason: "Example policy: rm -rf is not allowed" },
    story: /Blocked by security-guardrail/,
    code: 2,
  },
  {
    name: "argument-rewriter",
    event: "before_tool_call",
    result: { blocked: false, input: { command: "npm install --ignore-scripts left-pad", timeout: 120 } },
    story: /changed by argument-rewriter/,
    code: 0,
  },
  {
    name: "secret-redactor",
    event: "after_tool_call",
    result: { output: { success: true, result: "REGION=eu-west-1\nKEY_ID=[redacted]" } },
    story: /changed by secret-redactor/,
    code: 0,
  },
  {
    name: "follow-up",
    event: "agent_stop",
    result: { follow_up_messages: ["foo.txt is still missing. Please create it before you stop."] },
    story: /follow-up .*\n.*Allowed/,
    code: 0,
  },
  { name: "chat-notifier", event: "agent_stop", result: {}, story: /chat-notifier .*observed/, code: 0 },
  { name: "audit-trail", event: "pre_turn", result: { blocked: false }, story: /audit-trail .*observed/, code: 0 },
  {
    name: "content-guardrail",
    event: "pre_turn",
    result: { blocked: true, reason: "Message blocked by content policy" },
    story: /Blocked by content-guardrail/,
    code: 2,
  },
  { name: "cost-tracker", event: "post_llm_call", result: {}, story: /cost-tracker .*\n.*Allowed/, code: 0 },
  {
    name: "human-approval",
    event: "pre_tool_call",
    result: { blocked: true, decision: "ask", reason: "a person has to approve bash: git push origin main" },
    story: /human-approval/,
    code: 2,
  },
  {
    name: "provider-fallback",
    event: "on_llm_error",
    result: { output: { retry: true, after_ms: 0, provider: "backup" } },
    story: /changed by provider-fallback/,
    code: 0,
  },
];

/** What lies beside the hooks and is none. */
const OTHERS = ["README.md", "AGENTS.snippet.md"];

const payloadOf = (name: string): string => readFileSync(join(examples, "payloads", `${name}.json`), "utf8");

/** The example as a hook of the user. */
const installed = (place: Workspace, name: string): Promise<string> =>
  place.hook(name, readFileSync(join(examples, name), "utf8"));

const run = (
  place: Workspace,
  event: string,
  stdin: string,
  env: Record<string, string> = {},
): Promise<CommandResult> => runMain(place, ["run", event], { stdin, env: { PATH, ...env } });

const command = (text: string): string => JSON.stringify({ tool_name: "bash", tool_input: { command: text } });

test("every example has a payload and a case, and may be executed", () => {
  const hooks = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isFile());
  const names = hooks.map(({ name }) => name).filter((name) => !OTHERS.includes(name));
  expect(names.sort()).toEqual(CASES.map(({ name }) => name).sort());
  expect(readdirSync(join(examples, "payloads")).sort()).toEqual(names.sort().map((name) => `${name}.json`));
  for (const name of names) expect(statSync(join(examples, name)).mode & 0o111, name).toBe(0o111);
});

/** The hooks of the folder and of its sets. */
const EXAMPLES = ["", "basecoat", "rotation"].flatMap((folder) =>
  readdirSync(join(examples, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.md$/.test(entry.name))
    .map(({ name }) => join(folder, name)),
);

test.each(EXAMPLES)("%s keeps the contract that hookctl test checks", async (path) => {
  await using place = await workspace();
  await place.hook(basename(path), readFileSync(join(examples, path), "utf8"));
  const result = await runMain(place, ["test", "--json"], { env: { PATH } });
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(result.stdout)).toMatchObject({ failed: 0, skipped: 0, skipped_hooks: [] });
});

describe.each(CASES)("$name", ({ name, event, result, story, code }) => {
  test("does its work on its payload", async () => {
    await using place = await workspace();
    await installed(place, name);
    const finished = await run(place, event, payloadOf(name));
    expect(finished).toMatchObject({ code, stderr: expect.stringMatching(story) });
    expect(JSON.parse(finished.stdout)).toEqual(result);
  });

  test("says that it does not know another verb", async () => {
    const finished = await runProgram([join(examples, name), "dance"], { env: { PATH } });
    expect(finished).toMatchObject({ stdout: "", stderr: expect.stringContaining("hook|run") });
    expect(finished.code).toBeGreaterThan(0);
  });
});

describe("audit-logger", () => {
  test("appends one line a call to .kodelet/audit.log in the payload's cwd", async () => {
    await using place = await workspace();
    await installed(place, "audit-logger");
    for (const _ of [1, 2]) await run(place, "after_tool_call", payloadOf("audit-logger"));
    const lines = ((await place.read("project/.kodelet/audit.log")) ?? "").trim().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT\S+Z \{.*"npm test".*\}$/);
  });

  test("appends to the file that KODELET_AUDIT_LOG names", async () => {
    await using place = await workspace();
    await installed(place, "audit-logger");
    const log = join(place.dir, "logs", "calls.log");
    await run(place, "after_tool_call", payloadOf("audit-logger"), { KODELET_AUDIT_LOG: log });
    expect(await place.read(log)).toContain("npm test");
    expect(await place.read("project/.kodelet/audit.log")).toBeNull();
  });
});

describe("security-guardrail", () => {
  // The last of each is what it gets wrong, as it says.
  const blocked = ["rm -rf /", "ls; rm -rf ~", "sudo ls", "git commit -m 'no rm -rf'"];
  const allowed = ["ls -la", "rm -f a.txt", "man sudo", "rm -r -f x"];

  test.each([...blocked.map((text) => ({ text, code: 2 })), ...allowed.map((text) => ({ text, code: 0 }))])(
    "$text: exit $code",
    async ({ text, code }) => {
      await using place = await workspace();
      await installed(place, "security-guardrail");
      const result = await run(place, "before_tool_call", command(text));
      expect(result.code).toBe(code);
      expect(JSON.parse(result.stdout)).toMatchObject({ blocked: code === 2 });
      expect(result.stderr).toContain("security-guardrail");
    },
  );

  test("blocks when it cannot decide", async () => {
    await using place = await workspace();
    await installed(place, "security-guardrail");
    // No interpreter answers that fast.
    const result = await runMain(place, ["run", "before_tool_call", "--timeout", "1ms"], {
      stdin: command("ls"),
      env: { PATH },
    });
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("could not decide") });
    expect(JSON.parse(result.stdout)).toMatchObject({ blocked: true });
  });
});

describe("argument-rewriter", () => {
  const cases = [
    { before: "npm ci && npm test", after: "npm ci --ignore-scripts && npm test" },
    { before: "npm i a; npm add b", after: "npm i --ignore-scripts a; npm add --ignore-scripts b" },
  ];

  test.each(cases)("$before -> $after", async ({ before, after }) => {
    await using place = await workspace();
    await installed(place, "argument-rewriter");
    const result = await run(place, "before_tool_call", command(before));
    expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining("changed input") });
    expect(JSON.parse(result.stdout)).toEqual({ blocked: false, input: { command: after } });
  });

  test.each(["npm install --ignore-scripts a", "npm test", "ls"])("leaves alone: %s", async (text) => {
    await using place = await workspace();
    await installed(place, "argument-rewriter");
    const result = await run(place, "before_tool_call", command(text));
    expect(result).toMatchObject({ code: 0, stdout: '{"blocked":false}\n' });
    expect(result.stderr).not.toContain("changed");
  });
});

test("follow-up is silent once foo.txt is there", async () => {
  await using place = await workspace();
  await installed(place, "follow-up");
  await place.write("project/foo.txt", "");
  const result = await run(place, "agent_stop", payloadOf("follow-up"));
  expect(result).toMatchObject({ code: 0, stdout: "{}\n", stderr: expect.stringContaining("Allowed") });
});

test("secret-redactor is silent about an output without secrets", async () => {
  await using place = await workspace();
  await installed(place, "secret-redactor");
  const result = await run(place, "after_tool_call", payloadOf("audit-logger"));
  expect(result).toMatchObject({ code: 0, stdout: "{}\n" });
});
