import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { membersOf, spanOfRaw } from "../../src/protocol/json/read.ts";
import { callVariables, MOST_FILES } from "../../src/protocol/payload/call-variables.ts";

const variables = (payload: object) => callVariables({ members: membersOf(spanOfRaw(JSON.stringify(payload))) });
const patch = (...files: readonly string[]): string =>
  ["*** Begin Patch", ...files.map((file) => `*** Update File: ${file}\n@@\n+x`), "*** End Patch"].join("\n");

describe("a variable is set where the call has its value", () => {
  const rows: readonly (readonly [title: string, payload: object, sets: readonly object[]])[] = [
    [
      "a shell command",
      { tool_name: "bash", tool_input: { command: "ls\n-la" } },
      [{ HOOKCTL_TOOL: "bash", HOOKCTL_COMMAND: "ls\n-la" }],
    ],
    [
      "an empty command",
      { tool_name: "bash", tool_input: { command: "" } },
      [{ HOOKCTL_TOOL: "bash", HOOKCTL_COMMAND: "" }],
    ],
    [
      "the shell of an agent by another name",
      { tool_name: "Execute", tool_kind: "shell", tool_input: { command: "ls", description: "d" } },
      [{ HOOKCTL_TOOL: "Execute", HOOKCTL_COMMAND: "ls" }],
    ],
    [
      "a shell call without a command",
      { tool_name: "KillShell", tool_kind: "shell", tool_input: { shell_id: "1" } },
      [{ HOOKCTL_TOOL: "KillShell" }],
    ],
    [
      "a command of a tool that is no shell",
      { tool_name: "mcp__db__query", tool_input: { command: ["a"] } },
      [{ HOOKCTL_TOOL: "mcp__db__query" }],
    ],
    [
      "a file",
      { tool_name: "file_write", tool_input: { file_path: "a b", content: "x" } },
      [{ HOOKCTL_TOOL: "file_write", HOOKCTL_FILE: "a b" }],
    ],
    [
      "a file that is named twice",
      { tool_name: "edit", tool_input: { filePath: "a", edits: [{ filePath: "a" }] } },
      [{ HOOKCTL_TOOL: "edit", HOOKCTL_FILE: "a" }],
    ],
    [
      "a list of one file",
      { tool_name: "read", tool_input: { paths: ["a"] } },
      [{ HOOKCTL_TOOL: "read", HOOKCTL_FILE: "a" }],
    ],
    [
      "the agent",
      { tool_name: "x", tool_input: {}, agent: { name: "codex" } },
      [{ HOOKCTL_TOOL: "x", HOOKCTL_AGENT: "codex" }],
    ],
    ["an event without a tool", { event: "agent_stop", messages: [] }, [{}]],
    [
      "each file of a patch, in its order",
      { tool_name: "apply_patch", tool_input: { input: patch("b", "a", "b") } },
      [
        { HOOKCTL_TOOL: "apply_patch", HOOKCTL_FILE: "b" },
        { HOOKCTL_TOOL: "apply_patch", HOOKCTL_FILE: "a" },
      ],
    ],
  ];
  test.each(rows)("%s", (_, payload, sets) => expect(variables(payload)).toEqual({ ok: true, value: sets }));
});

describe("a value that a variable cannot hold is named", () => {
  const longest = "x".repeat(131_072 - "HOOKCTL_COMMAND=".length - 1);
  test("the longest command fits", () => {
    expect(variables({ tool_name: "bash", tool_input: { command: longest } })).toMatchObject({ ok: true });
  });

  const rows: readonly (readonly [title: string, payload: object, cause: string])[] = [
    [
      "a longer one",
      { tool_name: "bash", tool_input: { command: `${longest}x` } },
      "HOOKCTL_COMMAND would have 131,073 bytes",
    ],
    ["long in bytes", { tool_name: "bash", tool_input: { command: "é".repeat(65_536) } }, "HOOKCTL_COMMAND would have"],
    [
      "NUL",
      { tool_name: "bash", tool_input: { command: "ls\0" } },
      "HOOKCTL_COMMAND cannot hold its value, which contains a NUL",
    ],
    ["half a character", { tool_name: "bash", tool_input: { command: "\ud800" } }, "is not valid Unicode"],
    ["NUL in a file", { tool_name: "read", tool_input: { path: "a\0" } }, "HOOKCTL_FILE cannot hold"],
    ["NUL in the tool", { tool_name: "a\0", tool_input: {} }, "HOOKCTL_TOOL cannot hold"],
    [
      "a list",
      { tool_name: "bash", tool_input: { command: ["git", "push"] } },
      "is not one text in tool_input.command",
    ],
    ["null", { tool_name: "bash", tool_input: { command: null } }, "is not one text"],
    ["another key", { tool_name: "bash", tool_input: { cmd: "git push" } }, "is not one text"],
    ["two keys", { tool_name: "bash", tool_input: { command: "git", args: ["push"] } }, "is not one text"],
    ["no object", { tool_name: "bash", tool_input: "git push" }, "is not one text"],
    [
      "two files",
      { tool_name: "read", tool_input: { paths: ["a", "b"] } },
      "HOOKCTL_FILE has one file, but the call has 2",
    ],
    ["two keys of files", { tool_name: "move", tool_input: { path: "a", file_path: "b" } }, "has one file"],
    [
      "files below",
      { tool_name: "edit", tool_input: { replacements: [{ filePath: "a" }, { filePath: "b" }] } },
      "has one file",
    ],
    ["an unknown patch", { tool_name: "apply_patch", tool_input: { input: "3c3\n< a" } }, "a patch in this format"],
    [
      "too many files",
      {
        tool_name: "apply_patch",
        tool_input: { input: patch(...Array.from({ length: MOST_FILES + 1 }, (_, at) => `f${at}`)) },
      },
      "at most 100 times, and this patch has 101 files",
    ],
  ];
  test.each(rows)("%s", (_, payload, cause) =>
    expect(variables(payload)).toEqual({ ok: false, error: expect.stringContaining(cause) }),
  );
});

test("a command is its variable, or a fault: it is never lost", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.jsonValue(), (command, more) => {
      const found = variables({ tool_name: "bash", tool_input: { command, more } });
      if (found.ok) for (const set of found.value) expect(set.HOOKCTL_COMMAND).toBe(command);
      else expect(found.error).toMatch(/^HOOKCTL_/);
    }),
  );
});
