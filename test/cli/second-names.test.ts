import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess, runMain } from "../support/in-process.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const READERS = { kodelet: "", basecoat: "", agenthook: "", claude: "" };
type Names = Readonly<Record<keyof typeof READERS, string>>;

const AFTER: Names = {
  ...{ kodelet: "after_tool_call", basecoat: "PostToolUse", agenthook: "post_tool_call", claude: "claude:PostToolUse" },
};
const BEFORE: Names = {
  ...{ kodelet: "before_tool_call", basecoat: "PreToolUse", agenthook: "pre_tool_call", claude: "claude:PreToolUse" },
};

/** The first hook takes out a secret; one of each dialect behind it keeps what it got. */
async function redacting(place: Workspace, names: Names, said: object): Promise<void> {
  await place.hook("1-redact", printResponse(said), { says: names.kodelet });
  for (const [dialect, says] of Object.entries(names)) {
    await place.hook(`2-${dialect}`, `cat > ${shellQuote(join(place.dir, dialect))}`, { says });
  }
}

const seenBy = async (place: Workspace, dialect: string) => {
  const text = (await place.read(dialect)) ?? "";
  expect(text).not.toContain("SECRET");
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
};

describe("what a hook took out reaches no later hook under another name", () => {
  test("the result of a Claude payload", async () => {
    await using place = await workspace();
    const output = { stdout: "[redacted]", stderr: "" };
    await redacting(place, AFTER, { output });
    const stdin = JSON.stringify({
      ...{ hook_event_name: "PostToolUse", session_id: "s1", tool_name: "Bash", tool_input: { command: "env" } },
      tool_response: { stdout: "SECRET", stderr: "" },
    });
    const result = await runMain(place, ["run", "after_tool_call", "-q"], { stdin });
    expect(result).toEqual({ stdout: `${JSON.stringify({ output })}\n`, stderr: "", code: 0, signal: null });
    for (const dialect of Object.keys(AFTER)) {
      expect(await seenBy(place, dialect)).toMatchObject({ tool_output: output, tool_response: output });
    }
    expect(await seenBy(place, "agenthook")).toMatchObject({ result: output });
  });

  test("the prompt of a Claude payload", async () => {
    await using place = await workspace();
    const says = "user_message_send";
    const names = { kodelet: says, basecoat: "UserPromptSubmit", agenthook: says, claude: "claude:UserPromptSubmit" };
    await redacting(place, names, { message: "use [gone]" });
    const stdin = '{"hook_event_name":"UserPromptSubmit","session_id":"s1","prompt":"use SECRET"}';
    const result = await runMain(place, ["run", "user_message_send", "-q"], { stdin });
    const stdout = '{"blocked":false,"message":"use [gone]"}\n';
    expect(result).toEqual({ stdout, stderr: "", code: 0, signal: null });
    for (const dialect of Object.keys(names)) {
      expect(await seenBy(place, dialect)).toMatchObject({ message: "use [gone]", prompt: "use [gone]" });
    }
  });

  test("the arguments of a Base Coat envelope", async () => {
    await using place = await workspace();
    const input = { command: "echo [gone]" };
    await redacting(place, BEFORE, { input });
    const tool = { name: "bash", input: { command: "echo SECRET" } };
    const stdin = JSON.stringify({ hook: "PreToolUse", sessionId: "s1", tool });
    const result = await runMain(place, ["run", "PreToolUse", "-q"], { stdin });
    const stdout = `${JSON.stringify({ blocked: false, input })}\n`;
    expect(result).toEqual({ stdout, stderr: "", code: 0, signal: null });
    for (const dialect of Object.keys(BEFORE)) {
      expect(await seenBy(place, dialect)).toMatchObject({ tool_input: input, tool: { name: "bash", input } });
    }
  });

  test("a match behind it is held against the new value, by either name", async () => {
    await using place = await workspace();
    await place.hook("1", printResponse({ input: { command: "ls" } }));
    const match = { "tool.input.command": "rm *" };
    await place.hook("2", printResponse({ blocked: true }), { says: JSON.stringify({ event: "PreToolUse", match }) });
    const stdin = JSON.stringify({ hook: "PreToolUse", tool: { name: "bash", input: { command: "rm -rf x" } } });
    const printed = await runInProcess(place, "run PreToolUse -q", { stdin });
    expect(printed).toEqual({ stdout: '{"blocked":false,"input":{"command":"ls"}}\n', stderr: "", code: 0 });
  });
});

describe("through the bridge", () => {
  const claude = { session_id: "s1", cwd: "/" };

  test("the files of a call are those of the call as it was rewritten", async () => {
    await using place = await workspace();
    await place.hook("1", printResponse({ input: { file_path: "/etc/passwd" } }));
    const guard =
      'case $(cat) in *\'"tool_files":["/etc/passwd"]\'*) echo \'{"blocked":true,"reason":"not that"}\' ;; esac';
    await place.hook("2", guard);
    const stdin = JSON.stringify({ ...claude, tool_name: "Read", tool_input: { file_path: "/tmp/a" } });
    const result = await runInProcess(place, "bridge claude --event PreToolUse -q", { stdin });
    expect(result).toEqual({
      stdout: expect.stringMatching(/"permissionDecision":"deny","permissionDecisionReason":"not that/),
      stderr: "",
      code: 0,
    });
  });

  test("a call that names no files any more has none", async () => {
    await using place = await workspace();
    await place.hook("1", printResponse({ input: "text" }));
    await place.hook("2", `cat > ${shellQuote(join(place.dir, "seen"))}`);
    const stdin = JSON.stringify({ ...claude, tool_name: "Read", tool_input: { file_path: "/tmp/a" } });
    await runInProcess(place, "bridge claude --event PreToolUse -q", { stdin });
    expect(JSON.parse((await place.read("seen")) ?? "")).not.toHaveProperty("tool_files");
  });

  test.each([
    ["PreCompact", "before_compaction", "claude:PreCompact", "custom_instructions"],
    ["Stop", "turn_end", '{"event":"turn_end","dialect":"claude"}', "last_assistant_message"],
    ["PostToolUse", "after_tool_call", "claude:PostToolUse", "tool_response"],
  ])("%s: a hook of Claude Code gets what the one before it changed", async (event, says, reads, name) => {
    await using place = await workspace();
    const change = event === "PreCompact" ? { input: "[gone]" } : { output: "[gone]" };
    await place.hook("1", printResponse(change), { says });
    await place.hook("2", `cat > ${shellQuote(join(place.dir, "seen"))}`, { says: reads });
    const call = { tool_name: "Bash", tool_input: {}, stop_hook_active: false, trigger: "manual" };
    const stdin = JSON.stringify({ ...claude, ...call, [name]: "SECRET" });
    const result = await runInProcess(place, `bridge claude --event ${event} -q`, { stdin });
    expect(result).toMatchObject({ stderr: "", code: 0 });
    const { native, ...seen } = JSON.parse((await place.read("seen")) ?? "") as Record<string, object>;
    expect(seen).toMatchObject({ [name]: "[gone]" });
    expect(JSON.stringify(seen)).not.toContain("SECRET");
    // What the agent sent stands there as it came, and is said to.
    expect(native).toMatchObject({ payload: { [name]: "SECRET" } });
  });
});
