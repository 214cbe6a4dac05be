import { readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runMain } from "../../../../test/support/in-process.ts";
import { parseRunJson } from "../../../../test/support/json-output.ts";
import { toolCall } from "../../../../test/support/payloads.ts";
import { runProgram, type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { testHook } from "../../testing.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

const GUARD = `#!${process.execPath}
import { defineHook } from "hookctl/hook";
export default defineHook({
  event: "PreToolUse",
  priority: 7,
  failOpen: false,
  timeout: "10s",
  match: { tool_name: "b*" },
  async run(payload) {
    console.log("seen", payload.tool.name);
    setInterval(() => undefined, 1000);
    const { command } = payload.tool_input;
    if (command === "throw") throw new Error("no such command");
    if (command === "dry") return { reason: process.env.HOOKCTL_DRY_RUN };
    if (command === "rm") return { action: "block", reason: "no rm" };
  },
});
`;

/** A hook file in the user's folder, where `hookctl` is installed beside it. */
async function guardIn(place: Workspace, text = GUARD): Promise<string> {
  await place.write("home/.kodelet/node_modules/.keep", "");
  await symlink(root, join(place.home, ".kodelet", "node_modules", "hookctl"));
  return place.hook("guard.mjs", text);
}

describe("a file that calls defineHook", () => {
  test("says what it is when it is asked hook", async () => {
    await using place = await workspace();
    const result = await runProgram([await guardIn(place), "hook"], { env: place.env });
    expect(result).toMatchObject({ stderr: "", code: 0 });
    expect(JSON.parse(result.stdout)).toEqual({
      ...{ event: "PreToolUse", priority: 7, fail_open: false, timeout: "10s", match: { tool_name: "b*" } },
    });
  });

  test("is no hook when an option of it is mistyped", async () => {
    await using place = await workspace();
    const file = await guardIn(place, GUARD.replace("failOpen", "failopen"));
    await expect(testHook(file, { env: place.env }).identity()).rejects.toMatchObject({
      ...{
        code: "HOOK_BAD_ANSWER",
        message: expect.stringContaining('unknown key "failopen". Did you mean "fail_open"?'),
      },
    });
  });

  test("says also which files it needs, and that it leaves something behind", { tags: "slow" }, async () => {
    await using place = await workspace();
    const file = await guardIn(place, GUARD.replace("failOpen: false", 'files: ["rules.json"], background: true'));
    const result = await runProgram([file, "hook"], { env: place.env });
    expect(JSON.parse(result.stdout)).toMatchObject({ files: ["rules.json"], background: true });
  });

  test("is a hook for hookctl run, and ends although it left a timer", async () => {
    await using place = await workspace();
    await guardIn(place);
    const result = await runMain(place, ["run", "before_tool_call", "--json"], { stdin: toolCall("rm") });
    expect(result.code).toBe(2);
    expect(parseRunJson(result)).toMatchObject({
      reason: "no rm",
      hooks: [{ outcome: "block", stderr: "seen bash\n" }],
    });
  });

  test("fails with its message on stderr and exit 1 when it throws", { tags: "slow" }, async () => {
    await using place = await workspace();
    const result = await runProgram([await guardIn(place), "run"], {
      env: place.env,
      stdin: `{"tool":{"name":"b"},${toolCall("throw").slice(1)}`,
    });
    expect(result).toMatchObject({ stdout: "", code: 1, stderr: expect.stringContaining("no such command") });
  });

  test("says how it is called when it is called otherwise", { tags: "slow" }, async () => {
    await using place = await workspace();
    const result = await runProgram([await guardIn(place)], { env: place.env });
    expect(result).toMatchObject({ stdout: "", code: 64, stderr: expect.stringContaining("hook|run < payload.json") });
  });

  test("does nothing when it is imported by a program whose own word is run", { tags: "slow" }, async () => {
    await using place = await workspace();
    const file = JSON.stringify(await guardIn(place));
    const main = await place.write(
      "main.mjs",
      `const { default: hook } = await import(${file}); console.log(hook.event);`,
    );
    const result = await runProgram([process.execPath, main, "run"], { env: place.env });
    expect(result).toEqual({ stdout: "PreToolUse\n", stderr: "", code: 0, signal: null });
  });

  test.each([
    ["{ Reject: undefined }", 2],
    ["{ blocked: undefined }", 2],
    ['new Error("no")', 2],
    ['new Map([["blocked", true]])', 2],
    ["{ Transform: NaN }", 2],
    ["{ blocked: () => true }", 2],
    ["{ hookSpecificOutput: { permissionDecision: undefined } }", 2],
    ['{ reason: undefined, metadata: { at: NaN }, input: { command: "ls", x: undefined } }', 0],
    ["undefined", 0],
  ])("returns %s: exit %i", { tags: "slow" }, async (value, code) => {
    await using place = await workspace();
    const match = '  match: { tool_name: "b*" },\n';
    await guardIn(place, GUARD.replace(match, "").replace("console.log(", `return ${value};\n    console.log(`));
    const result = await runMain(place, ["run", "before_tool_call", "--json"], { stdin: toolCall("ls") });
    expect(result.code).toBe(code);
    const [hook] = parseRunJson(result).hooks as readonly { outcome: string; stderr: string }[];
    if (code === 2) expect(hook?.stderr).toContain("the return value cannot be converted to JSON: ");
    else expect(hook?.outcome).toMatch(/^(continue|modify)$/);
  });

  test("is a hook through a link, too", { tags: "slow" }, async () => {
    await using place = await workspace();
    const link = join(place.dir, "link.mjs");
    await symlink(await guardIn(place), link);
    expect((await runProgram([link, "hook"], { env: place.env })).stdout).toContain("PreToolUse");
  });

  test("loads a few small files of hookctl, no dialect and no library", () => {
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const imports = readFileSync(file, "utf8").matchAll(/\bfrom ?"([^"]+)"/g);
      for (const [, to = ""] of imports) {
        if (to.startsWith(".")) visit(resolve(dirname(file), to));
        else expect(to).toMatch(/^node:/);
      }
    };
    visit(join(root, "dist", "hook.js"));
    const names = [...seen].map((file) => relative(root, file).replace(/-[\w-]{8}\.js$/, ".js"));
    expect(names.sort()).toEqual([
      "dist/hook.js",
      "dist/lib/define-hook.js",
      "dist/lib/hook.js",
      "dist/lib/member-names.js",
    ]);
  });
});

describe("testHook", () => {
  test("gives what a hook says of itself", async () => {
    await using place = await workspace();
    const hook = testHook(await guardIn(place), { env: place.env });
    expect(await hook.identity()).toEqual({
      ...{ events: ["before_tool_call"], dialect: "basecoat", priority: 7, fail_open: false, observe: null },
      ...{ timeout_ms: 10_000, match: { tool_name: "b*" } },
    });
  });

  const rows = [
    { payload: { tool_input: { command: "rm" } }, told: { decision: "block", reason: "no rm" } },
    { payload: {}, told: { decision: "continue", hooks: [{ outcome: "continue" }] } },
    { payload: { tool_name: "web" }, told: { hooks: [{ outcome: "skipped" }] } },
    {
      payload: { tool_input: { command: "throw" } },
      told: { decision: "block", hooks: [{ failure: { code: "HOOK_EXITED" } }] },
    },
    { payload: { tool_input: { command: "dry" } }, told: { decision: "continue" } },
  ];
  test.each(rows)("runs it on a sample under these values: $payload", { tags: "slow" }, async ({ payload, told }) => {
    await using place = await workspace();
    const hook = testHook(await guardIn(place), { env: place.env, cwd: place.project });
    expect(await hook.run("before_tool_call", payload)).toMatchObject(told);
    expect(await place.read("home/.local/state/hookctl/audit.jsonl")).toBeNull();
  });

  test("a project's file needs no approval: naming it is one", async () => {
    await using place = await workspace();
    const path = await place.hook("p", `printf '{"additional_context":["%s"]}' "$HOOKCTL_DRY_RUN"`, {
      scope: "project",
    });
    const run = await testHook(path, { env: place.env }).run("PreToolUse");
    expect(run.result.additional_context).toEqual(["1"]);
  });

  test("its limit is the given one", async () => {
    await using place = await workspace();
    const path = await place.hook("slow", "sleep 30");
    const run = await testHook(path, { env: place.env, timeout: "100ms" }).run("before_tool_call");
    expect(run.hooks).toMatchObject([{ failure: { code: "HOOK_TIMED_OUT" } }]);
  });

  test("what cannot be tested rejects with its code", async () => {
    await using place = await workspace();
    const odd = testHook(await place.hook("odd", "", { mode: 0o755 }), { env: place.env });
    await expect(odd.identity()).rejects.toMatchObject({ code: "HOOK_BAD_FORMAT" });
    const strange = testHook(await place.hook("strange", "cat", { says: "before_tool" }), { env: place.env });
    await expect(strange.identity()).rejects.toMatchObject({ code: "HOOK_UNKNOWN_TYPE" });
    const good = testHook(await place.hook("good", "cat"), { env: place.env });
    await expect(good.run("agent_stop")).rejects.toMatchObject({ code: "USAGE_BAD_OPTION" });
    await expect(good.run("agent_stopp" as "agent_stop")).rejects.toMatchObject({ code: "USAGE_UNKNOWN_EVENT" });
    await expect(testHook("/no/such").identity()).rejects.toMatchObject({ code: "USAGE_BAD_OPTION" });
  });
});
