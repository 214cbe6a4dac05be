import { describe, expect, test } from "vitest";
import { AGENTS } from "../../../packages/agents/agents.ts";
import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { spanOfRaw } from "../../../src/protocol/json/read.ts";
import { restoredInput } from "../../../src/protocol/tools/restore.ts";
import { portableCall } from "../../../src/protocol/tools/translate.ts";

const call = (agent: AgentName, name: string, input: unknown) =>
  portableCall(AGENTS[agent].tools, { name, input: spanOfRaw(JSON.stringify(input)), mcp: null });

const shownTo = (agent: AgentName, name: string, input: unknown) => {
  const { tool, input: portable } = call(agent, name, input);
  return { tool, input: JSON.parse(portable.raw) };
};

/** The agent's arguments after a hook changed the portable ones; null: the agent cannot express the change. */
const sentBack = (agent: AgentName, name: string, input: unknown, changed: unknown) => {
  const { row, input: portable } = call(agent, name, input);
  const native = spanOfRaw(JSON.stringify(input));
  const restored = restoredInput({ row, native, portable }, spanOfRaw(JSON.stringify(changed)));
  return restored === null ? null : JSON.parse(restored.raw);
};

type Row = readonly [
  title: string,
  agent: AgentName,
  tool: string,
  native: unknown,
  portable: { readonly tool: string; readonly input: unknown },
];

const rows: readonly Row[] = [
  [
    "milliseconds become seconds, unknown members stay",
    "claude",
    "Bash",
    { command: "ls", timeout: 1500, run_in_background: true },
    { tool: "bash", input: { command: "ls", timeout: 1.5, run_in_background: true } },
  ],
  [
    "seconds stay",
    "droid",
    "Execute",
    { command: "ls", timeout: 60 },
    { tool: "bash", input: { command: "ls", timeout: 60 } },
  ],
  [
    "lines that are counted from 0",
    "qwen",
    "read_file",
    { file_path: "a", offset: 9, limit: 5 },
    { tool: "file_read", input: { file_path: "a", offset: 10, line_limit: 5 } },
  ],
  [
    "one of several edits is a call with one edit",
    "pi",
    "edit",
    { path: "a", edits: [{ oldText: "x", newText: "y" }] },
    { tool: "file_edit", input: { file_path: "a", old_text: "x", new_text: "y" } },
  ],
  [
    "several edits are a list",
    "pi",
    "edit",
    {
      path: "a",
      edits: [
        { oldText: "x", newText: "y" },
        { oldText: "v", newText: "w" },
      ],
    },
    {
      tool: "file_edit",
      input: {
        file_path: "a",
        edits: [
          { old_text: "x", new_text: "y" },
          { old_text: "v", new_text: "w" },
        ],
      },
    },
  ],
  ["a patch", "codex", "apply_patch", { command: "*** x" }, { tool: "apply_patch", input: { input: "*** x" } }],
  ["a patch as a text", "copilot", "apply_patch", "*** x", { tool: "apply_patch", input: { input: "*** x" } }],
  [
    "an argument list",
    "codex",
    "shell",
    { command: ["git", "commit", "-m", "a b"], workdir: "x" },
    { tool: "bash", input: { command: "git commit -m 'a b'", workdir: "x" } },
  ],
  [
    "a shell in an argument list",
    "codex",
    "shell",
    { command: ["bash", "-lc", "cd x && ls"] },
    { tool: "bash", input: { command: "cd x && ls" } },
  ],
  [
    "an insertion is no write",
    "goose",
    "text_editor",
    { command: "insert", path: "a", new_str: "x" },
    { tool: "text_editor", input: { command: "insert", path: "a", new_str: "x" } },
  ],
  [
    "an argument that chooses what the tool does is part of its name",
    "goose",
    "text_editor",
    { command: "write", path: "a", file_text: "x" },
    { tool: "file_write", input: { file_path: "a", text: "x" } },
  ],
  ["a tool without a counterpart", "claude", "TodoWrite", { todos: [] }, { tool: "TodoWrite", input: { todos: [] } }],
  ["an MCP tool", "claude", "mcp__shop__run", { x: 1 }, { tool: "mcp__shop_run", input: { x: 1 } }],
  [
    "a plugin's tool with the name of a portable one",
    "claude",
    "bash",
    { x: 1 },
    { tool: "custom_tool_bash", input: { x: 1 } },
  ],
  [
    "a value of another type stays",
    "claude",
    "Bash",
    { timeout: "soon" },
    { tool: "bash", input: { timeout: "soon" } },
  ],
];

test.each(rows)("%s", (_title, agent, tool, native, portable) => {
  expect(shownTo(agent, tool, native)).toEqual(portable);
  expect(sentBack(agent, tool, native, portable.input)).toEqual(native);
});

test.each<readonly [title: string, agent: AgentName, tool: string, native: unknown, changed: unknown, sent: unknown]>([
  [
    "a unit",
    "claude",
    "Bash",
    { command: "ls", timeout: 1500 },
    { command: "ls", timeout: 0.3 },
    { command: "ls", timeout: 300 },
  ],
  [
    "the new text of one edit",
    "pi",
    "edit",
    { path: "a", edits: [{ oldText: "x", newText: "y" }], dry: true },
    { file_path: "a", old_text: "x", new_text: "z", dry: true },
    { path: "a", edits: [{ oldText: "x", newText: "z" }], dry: true },
  ],
  [
    "an argument that was not there",
    "gemini",
    "read_file",
    { file_path: "a" },
    { file_path: "a", offset: 3 },
    { file_path: "a", start_line: 3 },
  ],
  [
    "an argument that is taken away",
    "claude",
    "Read",
    { file_path: "a", limit: 3 },
    { file_path: "a" },
    { file_path: "a" },
  ],
  [
    "both of two names for one argument",
    "cursor",
    "Read",
    { file_path: "a", path: "a" },
    { file_path: "b" },
    { file_path: "b", path: "b" },
  ],
  [
    "a plain command of an argument list",
    "codex",
    "shell",
    { command: ["rm", "-rf", "x"] },
    { command: "ls 'a b'" },
    { command: ["ls", "a b"] },
  ],
  [
    "an argument list with a quote in it",
    "codex",
    "shell",
    { command: ["echo", "it's"] },
    { command: "echo 'it'\\''s' so" },
    { command: ["echo", "it's", "so"] },
  ],
  [
    "an assignment before a command",
    "codex",
    "shell",
    { command: ["npm", "test"] },
    { command: "CI=1 npm test" },
    null,
  ],
  ["a command of two lines", "codex", "shell", { command: ["npm", "test"] }, { command: "npm\ntest" }, null],
  [
    "one edit beside the list of edits",
    "pi",
    "edit",
    { path: "a", oldText: "x", newText: "y" },
    { file_path: "a", old_text: "x", new_text: "z" },
    { path: "a", oldText: "x", newText: "z" },
  ],
  [
    "one edit that is beside the list and in it",
    "pi",
    "edit",
    { oldText: "x", newText: "y", edits: [{ oldText: "x", newText: "y" }] },
    { old_text: "x", new_text: "z" },
    null,
  ],
  ["a command that needs a shell", "codex", "shell", { command: ["rm", "x"] }, { command: "ls | wc" }, null],
  [
    "a name that means something else to the agent",
    "claude",
    "Write",
    { content: "x" },
    { text: "x", content: "y" },
    null,
  ],
  ["several edits where the tool makes one", "claude", "Edit", { old_string: "x" }, { edits: [] }, null],
  ["a patch as a text", "copilot", "apply_patch", "*** x", { input: "*** y" }, "*** y"],
  ["more than the text of a patch", "copilot", "apply_patch", "*** x", { input: "*** y", more: 1 }, null],
])("a change of %s", (_title, agent, tool, native, changed, sent) => {
  expect(sentBack(agent, tool, native, changed)).toEqual(sent);
});

describe("two arguments for one thing", () => {
  test("that differ are ambiguous", () => {
    expect(call("cursor", "Read", { file_path: "a", path: "b" }).ambiguous).toEqual(["file_path", "path"]);
    expect(call("claude", "Write", { content: "a", text: "b" }).ambiguous).toEqual(["content", "text"]);
    expect(call("pi", "edit", { edits: [{ oldText: "x", newText: "y" }], newText: "z" }).ambiguous).not.toBeNull();
  });

  test("that are the same are not", () => {
    expect(call("cursor", "Read", { file_path: "a", path: "a" }).ambiguous).toBeNull();
  });
});

test("arguments that are no object have no form that a hook can judge", () => {
  expect(call("claude", "Bash", "ls [truncated]").isMisshapen).toBe(true);
  expect(call("copilot", "apply_patch", "*** x").isMisshapen).toBe(false);
});

test("a row is chosen by the value of an argument, however it is written", () => {
  const native = spanOfRaw('{"command":"wr\\u0069te","path":"a","file_text":"x"}');
  const call = portableCall(AGENTS.goose.tools, { name: "text_editor", input: native, mcp: null });
  expect(call.tool).toBe("file_write");
  const changed = spanOfRaw('{"file_path":"a","text":"y"}');
  const restored = restoredInput({ row: call.row, native, portable: call.input }, changed);
  expect(restored?.raw).toBe('{"command":"wr\\u0069te","path":"a","file_text":"y"}');
});

test("a change leaves every other argument as the agent wrote it, digit by digit", () => {
  const native = spanOfRaw('{ "command": "ls", "timeout": 1.50e3, "x": 1.10 }');
  const { row, input: portable } = portableCall(AGENTS.claude.tools, { name: "Bash", input: native, mcp: null });
  const restored = restoredInput({ row, native, portable }, spanOfRaw('{"command":"rm","timeout":1.5,"x":1.10}'));
  expect(restored?.raw).toBe('{"command":"rm","timeout":1.50e3,"x":1.10}');
});
