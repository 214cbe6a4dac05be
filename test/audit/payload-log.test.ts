import { mkdir, readdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { appendLine } from "../../src/audit/append.ts";
import { payloadLogOf, readPayloads } from "../../src/audit/payload-log.ts";
import { runMain } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type CallOptions, type Workspace, workspace } from "../support/workspace.ts";

const AUDIT = "home/.local/state/hookctl/audit.jsonl";
const PAYLOADS = "home/.local/state/hookctl/payloads.jsonl";
const SECRET = `ghp_${"aB3dE6gH9".repeat(4)}`;

const recording = (place: Workspace, settings: object = { record: "payloads" }) =>
  place.write("home/.kodelet/hooks.json", JSON.stringify({ settings }));
const run = (place: Workspace, options: CallOptions = {}) =>
  runMain(place, ["run", "before_tool_call", "--json"], { stdin: toolCall("ls"), ...options });
const recorded = (place: Workspace) => [...readPayloads(join(place.dir, AUDIT))];

describe("record: payloads", () => {
  test("keeps the payload, the change and what the agent sent, in the mode of the audit log", async () => {
    await using place = await workspace();
    await recording(place);
    await place.hook("change", printResponse({ input: { command: "ls -a" } }));
    const native = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" }, more: "\ud83d" };
    const stdin = `${JSON.stringify(native).slice(0, -1)},"n":12345678901234567890.10}`;
    expect(await runMain(place, ["bridge", "claude"], { stdin })).toMatchObject({ code: 0, signal: null });
    const [only, ...others] = recorded(place);
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      ...{ event: "before_tool_call", agent: "claude", project: place.project, cwd: place.project },
      ...{ decision: "continue", reason: null, change: { raw: '{"command":"ls -a"}' } },
      native: { event: "PreToolUse", payload: { raw: stdin.replace("\\ud83d", "\\ufffd") } },
    });
    expect(only?.payload?.raw).toContain('"tool_input":{"command":"ls"}');
    expect((await stat(join(place.dir, PAYLOADS))).mode & 0o777).toBe(0o600);
    expect(await place.read(AUDIT)).toContain(only?.runId);
  });

  test("is redacted before it touches the disk: texts, keys, and nested JSON", async () => {
    await using place = await workspace();
    await recording(place);
    await place.hook("guard", printResponse({ blocked: true, reason: SECRET }));
    const input = {
      ...{ command: `curl -H 'X: ${SECRET}'`, [SECRET]: 1, [`${SECRET}2`]: 2, password: "hunter2!" },
      ...{ nested: JSON.stringify({ api_token: "zzz111yyy" }), env: [{ name: "DB_PASSWORD", value: "horsestaple" }] },
      ...{ args: ["--password", "batterycorrect"], mine: "correct horse" },
    };
    const stdin = JSON.stringify({ tool_name: "x", conv_id: SECRET, tool_input: input });
    expect(await run(place, { stdin, env: { MY_TOKEN: "correct horse" } })).toMatchObject({ code: 2, signal: null });
    const text = `${await place.read(PAYLOADS)}${await place.read(AUDIT)}`;
    for (const secret of ["aB3dE6", "hunter2", "zzz111", "horsestaple", "batterycorrect", "correct horse"])
      expect(text).not.toContain(secret);
    expect(recorded(place)).toMatchObject([{ decision: "block", decidedBy: "guard", reason: "[redacted]" }]);
  });

  test.each([["names"], ["off"]])("%s keeps no payload", async (record) => {
    await using place = await workspace();
    await recording(place, { record });
    await place.hook("guard", printResponse({ blocked: true }));
    await run(place);
    expect(await place.read(PAYLOADS)).toBeNull();
  });

  test("a project cannot ask for it", async () => {
    await using place = await workspace();
    await place.write("project/.kodelet/hooks.json", '{"settings":{"record":"payloads"}}');
    await place.hook("guard", printResponse({ blocked: true }));
    await run(place, {});
    expect(await place.read(PAYLOADS)).toBeNull();
  });

  test("a payload that is too large for a line is left out, and the run is there", async () => {
    await using place = await workspace();
    await recording(place);
    await place.hook("guard", printResponse({ blocked: true }));
    await run(place, { stdin: toolCall("x".repeat(5 * 1024 * 1024)) });
    expect(recorded(place)).toMatchObject([{ decision: "block", payload: null }]);
  });

  test("that cannot be written is told and changes nothing", async () => {
    await using place = await workspace();
    await recording(place);
    await place.hook("guard", printResponse({ blocked: true, reason: "no" }));
    await mkdir(join(place.dir, PAYLOADS, ".."), { recursive: true });
    await symlink("/dev/null", join(place.dir, PAYLOADS));
    const result = await run(place);
    expect(result).toMatchObject({ code: 2, signal: null, stderr: expect.stringContaining("ELOOP") });
    expect(JSON.parse(result.stdout)).toMatchObject({ decision: "block", reason: "no" });
  });
});

test("both logs stay within their size while fifty processes write, and no line is torn", {
  tags: "slow",
}, async () => {
  await using place = await workspace();
  const limits = { sizeBytes: 65_536, days: null };
  const file = join(place.dir, "state", "audit.jsonl");
  const writer = `import { appendLine } from ${JSON.stringify(new URL("../../dist/src/audit/append.js", import.meta.url).href)};
for (let at = 0; at < 40; at++) {
  const cause = appendLine(${JSON.stringify(file)}, JSON.stringify({ by: process.pid, at, text: "x".repeat(200) }), ${JSON.stringify(limits)});
  if (cause !== null) { console.error(cause); process.exitCode = 1; }
}`;
  const script = await place.write("writer.mjs", writer);
  const { spawn } = await import("node:child_process");
  const ends = Array.from(
    { length: 50 },
    () =>
      new Promise<number | null>((resolve) => {
        spawn(process.execPath, [script], { stdio: "inherit" }).once("exit", (code) => resolve(code));
      }),
  );
  expect(new Set(await Promise.all(ends))).toEqual(new Set([0]));
  // A last line enforces the limit: the others may have rotated at the same moment.
  appendLine(file, "x".repeat(1_000), limits);
  const names = await readdir(join(place.dir, "state"));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(place.dir, "state", name))).size));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(limits.sizeBytes);
  expect(names.length).toBeGreaterThan(2);
  for (const name of names) {
    // A writer that sees half of another's line starts with a line break, so an empty line may be between them.
    const lines = ((await place.read(`state/${name}`)) ?? "").split("\n").filter((line) => line !== "");
    for (const line of lines) expect(line).toMatch(/^(?:\{"by":\d+,"at":\d+,"text":"x{200}"\}|x{1000})$/);
  }
});

test("the payload log lies beside the audit log", () => {
  expect(payloadLogOf("/s/hookctl/audit.jsonl")).toBe("/s/hookctl/payloads.jsonl");
});
