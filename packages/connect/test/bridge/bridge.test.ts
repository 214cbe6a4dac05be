import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AGENT_NAMES, type AgentName } from "../../../../src/protocol/agent-names.ts";
import { type InProcessOptions, runInProcess } from "../../../../test/support/in-process.ts";
import { printResponse } from "../../../../test/support/shell.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { NATIVE } from "../../../agents/test/payloads.ts";

const BEFORE_TOOL: Readonly<Record<AgentName, string>> = {
  ...{ claude: "PreToolUse", codex: "PreToolUse", gemini: "BeforeTool", copilot: "preToolUse" },
  ...{ cursor: "preToolUse", qwen: "PreToolUse", droid: "PreToolUse", goose: "PreToolUse" },
  ...{ opencode: "tool.execute.before", pi: "tool_call" },
};

async function asked(
  place: Workspace,
  agent: AgentName,
  event: string,
  change: object = {},
  more: InProcessOptions = {},
) {
  const stdin = JSON.stringify({ ...NATIVE[agent][event], ...change });
  const { stdout, stderr, code } = await runInProcess(place, `bridge ${agent} --event ${event}`, { stdin, ...more });
  return { answer: stdout === "" ? null : JSON.parse(stdout), stdout, stderr, code };
}

const RM = 'case $(cat) in *"rm -rf"*) echo \'{"blocked":true,"reason":"no rm here"}\' ;; esac';

describe.each(AGENT_NAMES)("%s", (agent) => {
  const event = BEFORE_TOOL[agent];
  const sample = NATIVE[agent][event] ?? {};
  const key = ["toolArgs", "input"].find((name) => name in sample) ?? "tool_input";

  test("one guard blocks rm -rf and lets ls pass, always at exit 0 with one line of JSON or none", async () => {
    await using place = await workspace();
    await place.hook("guard", RM);
    const blocked = await asked(place, agent, event, { [key]: { command: "rm -rf build" } });
    expect(blocked.code).toBe(0);
    expect(blocked.stdout.split("\n")).toHaveLength(2);
    expect(blocked.stdout).toMatch(/no rm here \(guard, hookctl why [0-9A-Z]+\)/);
    expect(blocked.stdout).toMatch(/deny|"decision":"block"/);
    expect(await asked(place, agent, event)).toEqual({ answer: null, stdout: "", stderr: "", code: 0 });
  });

  test("a guard is asked about a call without arguments", async () => {
    await using place = await workspace();
    await place.hook("guard", printResponse({ blocked: true, reason: "frozen" }));
    for (const none of [undefined, null]) {
      const result = await asked(place, agent, event, { [key]: none });
      expect(result).toMatchObject({ stdout: expect.stringContaining("frozen (guard, hookctl why "), code: 0 });
      expect(result.stdout).toMatch(/deny|"decision":"block"/);
      expect(result.stderr).toContain("Blocked by guard");
    }
  });

  test("without hooks, and at an event it has no row for, it says nothing", async () => {
    await using place = await workspace();
    const silence = { answer: null, stdout: "", stderr: "", code: 0 };
    expect(await asked(place, agent, event)).toEqual(silence);
    const stdin = JSON.stringify({ ...sample, hook_event_name: "FutureEvent" });
    expect(await runInProcess(place, `bridge ${agent} --event FutureEvent`, { stdin })).toEqual({
      stdout: "",
      stderr: "",
      code: 0,
    });
  });

  test("a payload that is no JSON lets go on with a word, or with --fail-closed denies", async () => {
    await using place = await workspace();
    const open = await runInProcess(place, `bridge ${agent} --event ${event}`, { stdin: "{nonsense" });
    expect(open).toMatchObject({ stderr: expect.stringContaining("(PAYLOAD_NOT_JSON)"), code: 0 });
    expect(open.stdout).not.toMatch(/deny|block/);
    const closed = await runInProcess(place, `bridge ${agent} --event ${event} --fail-closed`, { stdin: "{nonsense" });
    expect(closed).toMatchObject({ stdout: expect.stringMatching(/deny|"decision":"block"/), code: 0 });
  });

  test("a hook that fails closed denies, one that fails open does not", async () => {
    await using place = await workspace();
    await place.hook("broken", "exit 3");
    expect((await asked(place, agent, event)).stdout).not.toMatch(/deny|block/);
    await place.write("home/.kodelet/hooks.json", '{"overrides":{"broken":{"fail_open":false}}}');
    expect((await asked(place, agent, event)).stdout).toMatch(/deny|"decision":"block"/);
  });
});

describe("a payload that lacks what an event needs", () => {
  const frozen = printResponse({ blocked: true, reason: "frozen" });
  const lacking = 'The payload has no "message", which user_message_send needs.';

  test("a prompt that is not there is asked about as an empty one, and the person is told", async () => {
    await using place = await workspace();
    await place.hook("guard", frozen, { says: "user_message_send" });
    const result = await asked(place, "claude", "UserPromptSubmit", { prompt: null });
    expect(result).toMatchObject({ stderr: expect.stringContaining(lacking), code: 0 });
    expect(result.answer).toEqual({
      ...{ decision: "block", reason: expect.stringContaining("frozen (guard") },
      systemMessage: expect.stringContaining(lacking),
    });
  });

  test("a tool without a name is asked about too: a hook gets the rest", async () => {
    await using place = await workspace();
    await place.hook("guard", RM);
    const rm = { tool_name: undefined, tool_input: { command: "rm -rf build" } };
    const result = await asked(place, "codex", "PreToolUse", rm);
    expect(result.answer).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    expect(result).toMatchObject({ stderr: expect.stringContaining('The payload has no "tool_name"'), code: 0 });
  });

  test("a line that is closed denies it, whatever the hooks would say", async () => {
    await using place = await workspace();
    const stdin = JSON.stringify({ ...NATIVE.claude.UserPromptSubmit, prompt: null });
    const result = await runInProcess(place, "bridge claude --event UserPromptSubmit --fail-closed", { stdin });
    expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual({
      stdout: { decision: "block", reason: expect.stringContaining(lacking) },
      stderr: expect.stringContaining(lacking),
      code: 0,
    });
  });

  test("an answer that is not there lets the agent go on with a word, and nobody is asked", async () => {
    await using place = await workspace();
    await place.hook("last", `touch ${place.dir}/ran`, { says: "turn_end" });
    const result = await asked(place, "cursor", "afterAgentResponse", { text: null });
    expect(result).toEqual({ answer: null, stdout: "", stderr: expect.stringContaining('no "response"'), code: 0 });
    expect(await place.read("ran")).toBeNull();
  });
});

test("a name to skip that no hook has is told, also where there are no hooks", async () => {
  await using place = await workspace();
  const stdin = JSON.stringify(NATIVE.claude.PreToolUse);
  expect(await runInProcess(place, "bridge claude --event PreToolUse --skip gaurd", { stdin })).toEqual({
    stdout: "",
    stderr: "▲ --skip gaurd matches no hook\n",
    code: 0,
  });
});

test("Factory Droid's own keys name the event, and say that it is going on already", async () => {
  await using place = await workspace();
  await place.hook("go-on", printResponse({ follow_up_messages: ["run the tests"] }), { says: "agent_stop" });
  const result = async (stopHookActive: boolean) => {
    const stdin = JSON.stringify({ sessionId: "s1", hookEventName: "Stop", cwd: place.project, stopHookActive });
    return (await runInProcess(place, "bridge droid", { stdin })).stdout;
  };
  expect(await result(true)).toBe("");
  expect(await result(false)).toBe('{"decision":"block","reason":"run the tests"}\n');
});

describe("one of several events that lacks something does not take the others with it", () => {
  const stop = { last_assistant_message: undefined };

  test.each(["claude", "codex", "qwen", "droid"] as const)("%s that stops without a last message", async (agent) => {
    await using place = await workspace();
    await place.hook("go-on", printResponse({ follow_up_messages: ["run the tests"] }), { says: "agent_stop" });
    const stdout = '{"decision":"block","reason":"run the tests"}\n';
    expect(await asked(place, agent, "Stop", stop)).toMatchObject({ stdout, stderr: "", code: 0 });
  });

  test("gemini that stops without an answer", async () => {
    await using place = await workspace();
    await place.hook("go-on", printResponse({ follow_up_messages: ["run the tests"] }), { says: "agent_stop" });
    const result = await asked(place, "gemini", "AfterAgent", { prompt_response: null });
    expect(result).toMatchObject({ answer: { decision: "deny", reason: "run the tests" }, stderr: "", code: 0 });
  });

  test("a hook that would have been asked is named in a warning, told and recorded", async () => {
    await using place = await workspace();
    await place.hook("go-on", printResponse({ follow_up_messages: ["run the tests"] }), { says: "agent_stop" });
    await place.hook("last", `touch ${place.dir}/ran`, { says: "turn_end" });
    const result = await asked(place, "claude", "Stop", stop);
    const warning = 'no hook for turn_end ran: The payload has no "response", which turn_end needs.';
    expect(result).toMatchObject({ answer: { decision: "block", reason: "run the tests" }, code: 0 });
    expect(result.stderr).toContain(warning);
    expect(await place.read("home/.local/state/hookctl/audit.jsonl")).toContain(JSON.stringify(warning));
    expect(await place.read("ran")).toBeNull();
  });
});

test("a hook gets kodelet's fields, the kind of tool, the files of a patch, and the native payload whole", async () => {
  await using place = await workspace();
  await place.hook("keep", `cat > ${place.dir}/seen.json`);
  const tool_input = { command: "*** Begin Patch\n*** Update File: src/a.ts\n@@\n*** Add File: b.ts\n*** End Patch\n" };
  await asked(place, "codex", "PreToolUse", { tool_name: "apply_patch", tool_input, big: 1 });
  const seen = JSON.parse((await place.read("seen.json")) ?? "{}");
  expect(seen).toMatchObject({
    event: "before_tool_call",
    conv_id: expect.stringMatching(/./),
    invoked_by: "main",
    tool_name: "apply_patch",
    tool_kind: "edit",
    tool_files: ["src/a.ts", "b.ts"],
    native: { agent: "codex", event: "PreToolUse", payload: { turn_id: expect.any(String), tool_input } },
  });
});

test("numbers that no double holds reach the hook in the native payload as they came", async () => {
  await using place = await workspace();
  await place.hook("keep", `cat > ${place.dir}/seen.json`);
  const stdin = '{"session_id":"s1","tool_name":"Bash","tool_input":{"n":12345678901234567890},"x":1.10}';
  await runInProcess(place, "bridge claude --event PreToolUse", { stdin });
  const seen = await place.read("seen.json");
  expect(seen).toContain('"tool_input":{"n":12345678901234567890},"tool_kind"');
  expect(seen).toContain(`"payload":${stdin}`);
});

test("a tool that failed is a call and an error: hooks of both events are asked", async () => {
  await using place = await workspace();
  await place.hook("after", printResponse({ additional_context: ["seen after"] }), { says: "after_tool_call" });
  await place.hook("error", printResponse({ additional_context: ["seen error"] }), { says: "on_error" });
  const { answer } = await asked(place, "claude", "PostToolUseFailure");
  expect(answer).toEqual({
    hookSpecificOutput: { hookEventName: "PostToolUseFailure", additionalContext: "seen after\n\nseen error" },
  });
});

describe("one hook rewrites a call and another asks about it", () => {
  const both = async () => {
    const place = await workspace();
    await place.hook("1-careful", printResponse({ input: { command: "rm -i x" } }));
    await place.hook("2-asks", printResponse({ decision: "ask", reason: "delete it?" }));
    return place;
  };
  const rm = { tool_input: { command: "rm -rf x" } };

  test("the person is asked about the rewritten call, and a yes runs that one", async () => {
    await using place = await both();
    const result = await asked(place, "claude", "PreToolUse", rm);
    expect(result).toMatchObject({ stderr: expect.stringContaining("changed input"), code: 0 });
    expect(result.answer.hookSpecificOutput).toEqual({
      ...{ hookEventName: "PreToolUse", permissionDecision: "ask", updatedInput: { command: "rm -i x" } },
      permissionDecisionReason: expect.stringMatching(/^delete it\? \(2-asks, hookctl why [0-9A-Z]+\)$/),
    });
  });

  test("where that is not known of the agent the call is denied, with both named", async () => {
    await using place = await both();
    const result = await asked(place, "copilot", "preToolUse", { toolArgs: rm.tool_input });
    expect(result).toMatchObject({ stderr: expect.not.stringContaining("cannot receive"), code: 0 });
    expect(result.answer).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringMatching(
        /^delete it\?; a hook changed the arguments of this call: \{"command":"rm -i x"\} \(2-asks, /,
      ),
    });
  });

  test("run --as claude says both too", async () => {
    await using place = await both();
    const stdin = JSON.stringify({ tool_name: "bash", ...rm });
    const result = await runInProcess(place, "run before_tool_call --as claude -q", { stdin });
    expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual({
      stdout: {
        hookSpecificOutput: {
          ...{ hookEventName: "PreToolUse", permissionDecision: "ask", permissionDecisionReason: "delete it?" },
          updatedInput: { command: "rm -i x" },
        },
      },
      stderr: "",
      code: 2,
    });
  });
});

test.each([
  ["a rewrite", "claude", "PreToolUse"],
  ["the deny that a rewrite becomes", "qwen", "PreToolUse"],
] as const)("%s that cannot be written stops the call by the exit code", async (_what, agent, event) => {
  await using place = await workspace();
  await place.hook("careful", printResponse({ input: { command: "rm -i x" } }));
  const stdin = JSON.stringify(NATIVE[agent][event]);
  const result = await runInProcess(place, `bridge ${agent} --event ${event}`, { stdin, host: { out: () => "EPIPE" } });
  expect(result).toMatchObject({ stdout: "", code: 2 });
});

test.each([false, true])(
  "in a deleted working directory the person is told, because a project's guards were not asked (a user's guard: %s)",
  async (hasGuard) => {
    await using place = await workspace();
    await place.hook("theirs", printResponse({ blocked: true, reason: "no" }), {
      scope: "project",
      says: '{"event":"before_tool_call","fail_open":false}',
    });
    expect(await runInProcess(place, "trust --yes")).toMatchObject({ code: 0 });
    if (hasGuard) await place.hook("mine", RM);
    const host = { cwd: join(place.project, "gone") };
    const told = await asked(place, "claude", "PreToolUse", {}, { host });
    expect(told).toMatchObject({ code: 0, answer: { systemMessage: expect.stringContaining("(PROJECT_MISSING)") } });
    expect(told.stderr).toContain("there is no such folder");
    const blocked = await asked(place, "claude", "PreToolUse", { tool_input: { command: "rm -rf x" } }, { host });
    expect(blocked.stdout.includes("deny")).toBe(hasGuard);
    const stdin = JSON.stringify(NATIVE.claude.PreToolUse);
    const closed = await runInProcess(place, "bridge claude --event PreToolUse --fail-closed", { stdin, host });
    expect(closed.stdout).toMatch(/deny.*PROJECT_MISSING/);
  },
);

test("a changed result goes back in the shape that the agent takes", async () => {
  await using place = await workspace();
  await place.hook("redact", printResponse({ output: { success: true, result: "[gone]" } }), {
    says: "after_tool_call",
  });
  const outputOf = async (agent: AgentName, event: string) => (await asked(place, agent, event)).answer;
  expect(await outputOf("claude", "PostToolUse")).toEqual({
    hookSpecificOutput: {
      hookEventName: "PostToolUse",
      updatedToolOutput: expect.objectContaining({ stdout: "[gone]", stderr: "", interrupted: false }),
    },
  });
  expect(await outputOf("codex", "PostToolUse")).toEqual({ decision: "block", reason: "[gone]" });
  expect(await outputOf("gemini", "AfterTool")).toEqual({ decision: "deny", reason: "[gone]" });
  expect(await outputOf("copilot", "postToolUse")).toEqual({
    modifiedResult: { resultType: "success", textResultForLlm: "[gone]" },
  });
  expect(await outputOf("qwen", "PostToolUse")).toEqual({ continue: false, stopReason: "[gone]" });
  const droid = await asked(place, "droid", "PostToolUse");
  expect(droid).toMatchObject({ answer: null, stderr: expect.stringContaining("cannot receive the changed value") });
});

test("Qwen Code's second prompt event, which has no prompt, is not put to hooks; a prompt that is not there is", async () => {
  await using place = await workspace();
  await place.hook("prompts", printResponse({ blocked: true, reason: "no prompts" }), { says: "user_message_send" });
  expect((await asked(place, "qwen", "UserPromptSubmit", { prompt: "" })).answer).toBeNull();
  for (const prompt of ["hello", " ", undefined]) {
    const { answer } = await asked(place, "qwen", "UserPromptSubmit", { prompt });
    expect(answer).toMatchObject({ decision: "block", reason: expect.stringContaining("no prompts") });
  }
  // Claude Code sends no such event: an empty prompt of it is a prompt.
  expect((await asked(place, "claude", "UserPromptSubmit", { prompt: "" })).answer).toMatchObject({
    decision: "block",
  });
});

test("a follow-up becomes the next instruction, and ends where somebody else drives the agent", async () => {
  await using place = await workspace();
  await place.hook("go-on", printResponse({ follow_up_messages: ["run the tests"] }), { says: "agent_stop" });
  expect((await asked(place, "claude", "Stop")).answer).toEqual({ decision: "block", reason: "run the tests" });
  expect((await asked(place, "claude", "Stop", { stop_hook_active: true })).answer).toEqual({
    decision: "block",
    reason: "run the tests",
  });
  const other = await asked(place, "claude", "Stop", { stop_hook_active: true, session_id: "other" });
  expect(other).toMatchObject({ answer: null, stderr: expect.stringContaining("cannot receive the follow-up") });
});

test("follow-ups end where the agent's own limit would end them", async () => {
  await using place = await workspace();
  await place.hook("go-on", printResponse({ follow_up_messages: ["run the tests"] }), { says: "agent_stop" });
  const answers: unknown[] = [];
  for (let turn = 0; turn < 7; turn++) {
    answers.push((await asked(place, "cursor", "stop", { loop_count: turn })).answer);
  }
  const goOn = { followup_message: "run the tests" };
  expect(answers).toEqual([goOn, goOn, goOn, goOn, goOn, null, null]);
});

test("once a session the person sees what guards it and what does not", async () => {
  await using place = await workspace();
  await place.hook("mine", "cat >/dev/null");
  await place.hook("theirs", "cat >/dev/null", { scope: "project" });
  const text = "hookctl: 1 hook active, 1 hook not approved: hookctl trust theirs";
  expect((await asked(place, "claude", "PreToolUse")).answer).toEqual({ systemMessage: text });
  expect((await asked(place, "claude", "PreToolUse")).answer).toBeNull();
  expect((await asked(place, "claude", "PreToolUse", { session_id: "s2" })).answer).toEqual({ systemMessage: text });
  expect((await asked(place, "claude", "SessionStart", { session_id: "s3" })).answer).toEqual({ systemMessage: text });
});

test("a project's agent settings cannot switch the hooks off, approve them or cut them short", async () => {
  await using place = await workspace();
  await place.hook("guard", RM);
  await place.hook("theirs", `touch ${place.dir}/ran`, { scope: "project" });
  const { stdout } = await runInProcess(place, "trust --digest");
  const env = { HOOKCTL_NO_HOOKS: "1", HOOKCTL_TRUST: stdout.trim(), HOOKCTL_TIMEOUT: "1ms", HOOKCTL_DEADLINE: "1ms" };
  const change = { tool_input: { command: "rm -rf build" } };
  expect((await asked(place, "claude", "PreToolUse", change, { env })).stdout).toContain('"permissionDecision":"deny"');
  expect(await place.read("ran")).toBeNull();
});

test("a project's agent settings cannot bring settings of the user's", async () => {
  await using place = await workspace();
  await place.hook("guard", RM);
  await place.hook("theirs", `touch ${place.dir}/ran`, { scope: "project" });
  const own = { settings: { project_hooks: "allow" }, overrides: { guard: { enabled: false } } };
  await place.write("project/cfg/hookctl/config.json", JSON.stringify(own));
  const change = { tool_input: { command: "rm -rf build" } };
  await symlink(place.project, `${place.dir}/elsewhere`);
  for (const folder of [`${place.project}/cfg`, `${place.dir}/elsewhere/cfg`]) {
    const result = await asked(place, "claude", "PreToolUse", change, { env: { XDG_CONFIG_HOME: folder } });
    expect(result.stdout).toContain('"permissionDecision":"deny"');
    expect(result.stderr).toContain("is not used: it is in the project");
  }
  expect(await place.read("ran")).toBeNull();
});

test("called too deep, it denies: a variable must not switch the guards off", async () => {
  await using place = await workspace();
  const result = await asked(place, "claude", "PreToolUse", {}, { env: { HOOKCTL_DEPTH: "3" } });
  expect(result).toMatchObject({ stderr: expect.stringContaining("(RECURSION)"), code: 0 });
  expect(result.stdout).toContain('"permissionDecision":"deny"');
});

test("the project is the agent's own folder, never one that the payload names", async () => {
  await using place = await workspace();
  await place.write("other/.kodelet/hooks/guard", "#!/bin/sh\n", 0o755);
  const env = { CLAUDE_PROJECT_DIR: "DIR/other" };
  const result = await asked(place, "claude", "SessionStart", { cwd: place.project }, { env });
  expect(result.answer).toEqual({ systemMessage: "hookctl: 0 hooks active, 1 hook not approved: hookctl trust guard" });
  const named = await asked(place, "claude", "SessionStart", { cwd: `${place.dir}/other`, session_id: "s2" });
  expect(named.answer).toBeNull();
});

test("settings that cannot be used are told where the person sees it, and the user's hooks go on", async () => {
  await using place = await workspace();
  await place.hook("guard", RM);
  await place.write("project/.kodelet/hooks.json", '{"nonsense":1}');
  const result = await asked(place, "claude", "PreToolUse", { tool_input: { command: "rm -rf build" } });
  expect(result.answer).toMatchObject({
    systemMessage: expect.stringContaining("the project's settings have no effect: "),
    hookSpecificOutput: { permissionDecision: "deny" },
  });
});

test.each([
  ["bridge", "bridge: missing argument AGENT"],
  ["bridge nobody", "bridge: unknown agent"],
  ["bridge copilot", "copilot payloads do not name their event"],
])("%s is a mistake in the registered line: %s", async (call, words) => {
  await using place = await workspace();
  expect(await runInProcess(place, call)).toEqual({ stdout: "", stderr: expect.stringContaining(words), code: 64 });
  expect(await runInProcess(place, `${call} --fail-closed`)).toMatchObject({ stdout: "", code: 2 });
});
