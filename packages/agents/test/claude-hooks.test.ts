import { describe, expect, test } from "vitest";
import { runInProcess } from "../../../test/support/in-process.ts";
import { printResponse } from "../../../test/support/shell.ts";
import { workspace } from "../../../test/support/workspace.ts";
import { NATIVE } from "./payloads.ts";

/** Hooks as they were written for Claude Code: what they print, and what that means at an event. */
const cases = [
  {
    title: "exit 2 blocks with what stands on stderr",
    says: "claude:PreToolUse",
    body: "echo 'no rm here' >&2; exit 2",
    payload: { tool_name: "bash", tool_input: {} },
    result: { blocked: true, reason: "no rm here" },
    code: 2,
  },
  {
    title: "permissionDecision deny blocks",
    says: "claude:PreToolUse",
    body: printResponse({ hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "no" } }),
    payload: { tool_name: "bash", tool_input: {} },
    result: { blocked: true, reason: "no" },
    code: 2,
  },
  {
    title: "permissionDecision deny blocks, though a key beside it is unknown",
    says: "claude:PreToolUse",
    body: printResponse({
      hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "no", deniedBy: "policy 7" },
    }),
    payload: { tool_name: "bash", tool_input: {} },
    result: {
      ...{ blocked: true, reason: "no" },
      warnings: [expect.stringContaining('the unknown key "hookSpecificOutput.deniedBy"')],
    },
    code: 2,
  },
  {
    title: "updatedInput rewrites",
    says: "claude:PreToolUse",
    body: printResponse({ hookSpecificOutput: { updatedInput: { command: "ls -l" } } }),
    payload: { tool_name: "bash", tool_input: {} },
    result: { blocked: false, input: { command: "ls -l" } },
    code: 0,
  },
  {
    title: "exit 1 is an error that lets go on",
    says: "claude:PreToolUse",
    body: "exit 1",
    payload: { tool_name: "bash", tool_input: {} },
    result: { blocked: false, warnings: [expect.stringContaining("exit")] },
    code: 0,
  },
  {
    title: "JSON decides at any exit code",
    says: "claude:PreToolUse",
    body: `${printResponse({ decision: "block", reason: "no" })}; exit 1`,
    payload: { tool_name: "bash", tool_input: {} },
    result: { blocked: true, reason: "no" },
    code: 2,
  },
  {
    title: "plain stdout before a tool call means nothing",
    says: "claude:PreToolUse",
    body: "echo checked",
    payload: { tool_name: "bash", tool_input: {} },
    result: { blocked: false },
    code: 0,
  },
  {
    title: "plain stdout at a session's start is context",
    says: "claude:SessionStart",
    body: "echo 'Use pnpm here.'",
    payload: {},
    result: { blocked: false, additional_context: ["Use pnpm here."] },
    code: 0,
  },
  {
    title: "plain stdout with a prompt is context",
    says: "claude:UserPromptSubmit",
    body: "echo 'It is Friday.'",
    payload: { message: "Hi" },
    result: { blocked: false, additional_context: ["It is Friday."] },
    code: 0,
  },
  {
    title: "a block of the end is the next instruction",
    says: "claude:Stop",
    body: printResponse({ decision: "block", reason: "run the tests" }),
    payload: { messages: [] },
    result: { follow_up_messages: ["run the tests"] },
    code: 0,
  },
  {
    title: "exit 2 at the end is the next instruction too",
    says: "claude:Stop",
    body: "echo 'run the tests' >&2; exit 2",
    payload: { messages: [] },
    result: { follow_up_messages: ["run the tests"] },
    code: 0,
  },
  {
    title: "a block after a tool call is a word to the model",
    says: "claude:PostToolUse",
    body: printResponse({ decision: "block", reason: "format it" }),
    payload: { tool_name: "bash", tool_input: {}, tool_output: {} },
    result: { additional_context: ["format it"] },
    code: 0,
  },
  {
    title: "continue false after a tool call stops the agent",
    says: "claude:PostToolUse",
    body: printResponse({ continue: false, stopReason: "enough" }),
    payload: { tool_name: "bash", tool_input: {}, tool_output: {} },
    result: { blocked: true, reason: "enough" },
    code: 2,
  },
];

test.each(cases)("a hook of Claude Code: $title", async ({ says, body, payload, result, code }) => {
  await using place = await workspace();
  await place.hook("theirs", `cat >/dev/null; ${body}`, { says });
  const output = await runInProcess(place, `run ${says} -q`, { stdin: JSON.stringify(payload) });
  expect({ ...output, stdout: JSON.parse(output.stdout) }).toEqual({ stdout: result, stderr: "", code });
});

describe("what it prints is never taken for no answer where it may be one", () => {
  const DENY = { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "no" } };
  const result = async (body: string, failOpen: boolean, says = "claude:PreToolUse") => {
    await using place = await workspace();
    await place.hook("theirs", `cat >/dev/null; ${body}`, {
      says: JSON.stringify({ event: says, fail_open: failOpen }),
    });
    const stdin = JSON.stringify({ tool_name: "bash", tool_input: {}, message: "Hi" });
    const { stdout, code } = await runInProcess(place, `run ${says} -q`, { stdin });
    return { ...JSON.parse(stdout), code };
  };

  test.each([
    ["bytes that are not UTF-8", String.raw`printf '{"decision":"block","reason":"caf\351"}'`],
    ["a log line before it", `echo checking; ${printResponse(DENY)}`],
    ["a log line behind it", `${printResponse(DENY)}; echo done`],
    ["a log line before it and exit 1", `echo checking; ${printResponse(DENY)}; exit 1`],
    ["a key of the wrong type beside it", `printf '{"continue":"yes","decision":"block","suppressOutput":5}'`],
  ])("a block with %s blocks", async (_title, body) => {
    for (const failOpen of [true, false])
      expect(await result(body, failOpen)).toMatchObject({ blocked: true, code: 2 });
  });

  test.each([
    ["text that is not UTF-8", String.raw`printf 'caf\351'`],
    ["a log line before an allow", `echo checking; ${printResponse({ decision: "approve" })}`],
    ["a block that is no JSON", `echo "{'decision': 'block'}"`],
  ])("%s fails the hook", async (_title, body) => {
    expect(await result(body, false)).toMatchObject({ blocked: true, code: 2 });
    const open = await result(body, true);
    expect(open).toMatchObject({ blocked: false, code: 0 });
    expect(open.warnings.length).toBeGreaterThan(0);
  });

  test("plain text stays context with a prompt, and no answer elsewhere", async () => {
    const text = `echo 'A block looks so: ["blocked", true]'`;
    expect(await result(text, false)).toEqual({ blocked: false, code: 0 });
    expect(await result(text, false, "claude:UserPromptSubmit")).toMatchObject({
      additional_context: [expect.any(String)],
    });
  });
});

describe("what such a hook gets", () => {
  test("is Claude Code's own payload, whichever agent asks", async () => {
    await using place = await workspace();
    await place.hook("theirs", `cat > ${place.dir}/seen.json`, { says: "claude:PreToolUse" });
    await runInProcess(place, "bridge gemini --event BeforeTool", { stdin: JSON.stringify(NATIVE.gemini.BeforeTool) });
    expect(JSON.parse((await place.read("seen.json")) ?? "{}")).toMatchObject({
      hook_event_name: "PreToolUse",
      session_id: NATIVE.gemini.BeforeTool?.session_id,
      transcript_path: NATIVE.gemini.BeforeTool?.transcript_path,
      permission_mode: "default",
      tool_name: "Bash",
      tool_input: { command: "npm test" },
      native: { agent: "gemini", payload: { tool_name: "run_shell_command" } },
    });
  });

  test("keeps Claude Code's names when Claude Code asks", async () => {
    await using place = await workspace();
    await place.hook("theirs", `cat > ${place.dir}/seen.json`, { says: "claude:PostToolUse" });
    const stdin = JSON.stringify({ ...NATIVE.claude.PostToolUse, tool_name: "BashOutput" });
    await runInProcess(place, "bridge claude --event PostToolUse", { stdin });
    expect(JSON.parse((await place.read("seen.json")) ?? "{}")).toMatchObject({
      hook_event_name: "PostToolUse",
      tool_name: "BashOutput",
      tool_use_id: NATIVE.claude.PostToolUse?.tool_use_id,
      tool_response: NATIVE.claude.PostToolUse?.tool_response,
    });
  });
});

test("a hook that redacts a result with updatedToolOutput does so through the bridge", async () => {
  await using place = await workspace();
  const body = printResponse({ hookSpecificOutput: { updatedToolOutput: { stdout: "[gone]" } } });
  await place.hook("theirs", `cat >/dev/null; ${body}`, { says: "claude:PostToolUse" });
  const tool_response = { stdout: "a\n", stderr: "", interrupted: false };
  const stdin = JSON.stringify({ ...NATIVE.claude.PostToolUse, tool_response });
  const { stdout } = await runInProcess(place, "bridge claude --event PostToolUse", { stdin });
  expect(JSON.parse(stdout)).toEqual({
    hookSpecificOutput: {
      hookEventName: "PostToolUse",
      updatedToolOutput: { stdout: "[gone]", stderr: "", interrupted: false },
    },
  });
});
