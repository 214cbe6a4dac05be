import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AGENT_NAMES, type AgentName } from "../../../src/protocol/agent-names.ts";
import { spanOfRaw } from "../../../src/protocol/json/read.ts";
import { AGENTS } from "../agents.ts";
import { nativeCall } from "../native-call.ts";
import { nativeSampleWith } from "../native-sample-with.ts";
import { nativeSamples, samplesOf } from "../native-samples.ts";

const bash = (command: string) => ({ name: "bash", input: spanOfRaw(JSON.stringify({ command })) });

describe.each(AGENT_NAMES)("%s", (name) => {
  const agent = AGENTS[name];

  test("has a sample of each event, and none from documentation of a captured one", async () => {
    const samples = await nativeSamples(name, "/p");
    expect(Object.keys(agent.events).filter((event) => samples(event).length === 0)).toEqual([]);
    const { captured, documented } = await samplesOf(name);
    expect(Object.keys(documented).filter((event) => event in captured)).toEqual([]);
  });

  test("makes any shell call, which its bridge reads as the same call", async () => {
    const samples = await nativeSamples(name, "/p");
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (command) => {
        const call = nativeCall(agent, samples, "before_tool_call", bash(command));
        if (!call.ok) throw new Error(call.error);
        const { members, problem } = call.value.fields;
        expect(problem).toBeNull();
        expect(members.get("tool_name")?.raw).toBe('"bash"');
        expect(JSON.parse(members.get("tool_input")?.raw ?? "")).toEqual({ command });
      }),
    );
  });

  test("names the project in its samples", async () => {
    const samples = await nativeSamples(name, '/a "project"');
    for (const { payload } of Object.keys(agent.events).flatMap((event) => samples(event))) {
      expect(payload.raw).not.toContain("/home/dev/shop");
      expect(() => JSON.parse(payload.raw)).not.toThrow();
    }
  });
});

test("a tool that an agent lacks is a reason", async () => {
  const call = { name: "web_fetch", input: spanOfRaw('{"url":"https://example.org"}') };
  const made = nativeCall(AGENTS.pi, await nativeSamples("pi", "/p"), "before_tool_call", call);
  expect(made).toEqual({ ok: false, error: "it has no tool for web_fetch with these arguments" });
});

describe("a sample with values", () => {
  const sampleOf = async (name: AgentName, event: string, set: Parameters<typeof nativeSampleWith>[3]) => {
    const sample = nativeSampleWith(AGENTS[name], event, (await nativeSamples(name, "/p"))(event), set);
    return sample.ok ? JSON.parse(sample.value.payload.raw) : sample.error;
  };
  test.each<[AgentName, string, Parameters<typeof nativeSampleWith>[3], object]>([
    ["claude", "PreToolUse", [[["tool_input", "command"], "ls"]], { tool_name: "Bash", tool_input: { command: "ls" } }],
    [
      "gemini",
      "BeforeTool",
      [
        [["tool_name"], "file_write"],
        [["tool_input", "text"], "x"],
      ],
      { tool_name: "write_file", tool_input: { content: "x" } },
    ],
    [
      "gemini",
      "BeforeTool",
      [
        [["tool_input", "content"], "x"],
        [["tool_name"], "write_file"],
      ],
      { tool_name: "write_file", tool_input: { content: "x" } },
    ],
    ["copilot", "preToolUse", [[["tool_input", "command"], "ls"]], { toolName: "bash", toolArgs: { command: "ls" } }],
    [
      "codex",
      "PermissionRequest",
      [[["tool_input", "command"], "ls"]],
      { tool_name: "Bash", tool_input: { command: "ls" } },
    ],
    ["pi", "tool_call", [[["session"], "s"]], { session: "s", tool: "bash" }],
  ])("%s %s %j", async (name, event, set, expected) => {
    expect(await sampleOf(name, event, set)).toMatchObject(expected);
  });

  test.each<[AgentName, string, Parameters<typeof nativeSampleWith>[3], string]>([
    ["pi", "tool_call", [[["tool_name"], "web_fetch"]], "pi has no tool for web_fetch with these arguments"],
    ["gemini", "BeforeTool", [[["foo"], 1]], "Gemini CLI sends no foo with BeforeTool"],
  ])("%s %s %j fails", async (name, event, set, expected) => {
    expect(await sampleOf(name, event, set)).toBe(expected);
  });
});
