import { expect, test } from "vitest";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { printResponse } from "../../../../test/support/shell.ts";
import { workspace } from "../../../../test/support/workspace.ts";

const RULE = { match: { tool_name: "bash", "tool_input.command": "*rm -rf*" }, block: "no" };
const shell = { tool_name: "Bash", tool_input: { command: "rm -rf /x" } };

test.each<readonly [title: string, line: string, payload: object]>([
  ["Cursor's sign and Claude Code's event", "claude --event PreToolUse", { ...shell, cursor_version: "2" }],
  ["Cursor's sign without a value", "claude --event PreToolUse", { ...shell, cursor_version: null }],
  [
    "Cursor's event with Claude Code's tool",
    "claude --event PreToolUse",
    { ...shell, cursor_version: "2", hook_event_name: "preToolUse" },
  ],
  ["another event in the payload", "claude --event PreToolUse", { ...shell, hook_event_name: "SessionEnd" }],
  [
    "a command that Grok Build watches",
    "claude --event PreToolUse",
    {
      hook_event_name: "PreToolUse",
      hookEventName: "pre_tool_use",
      workspaceRoot: "/",
      tool_name: "monitor",
      tool_input: { command: "rm -rf /x", timeout_ms: 3000 },
    },
  ],
  [
    "a shell that is no bash",
    "copilot --event preToolUse",
    { sessionId: "s", timestamp: 0, toolName: "powershell", toolArgs: { command: "rm -rf /x" } },
  ],
])("a rule on bash sees %s", async (_title, line, payload) => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ hooks: { before_tool_call: [RULE] } }));
  const result = await runInProcess(place, `bridge ${line} --fail-closed`, { stdin: JSON.stringify(payload) });
  expect(result.stdout).toMatch(/"deny"/);
});

const PATCH = [
  "*** Begin Patch",
  "*** Update File: a.py",
  "@@",
  "-x",
  "+y",
  "*** Update File: prod.env",
  "*** End Patch",
];

test.each([
  ["codex --event PreToolUse", { tool_name: "apply_patch", tool_input: { command: PATCH.join("\n") } }],
  ["claude --event PreToolUse", { tool_name: "apply_patch", tool_input: { input: PATCH.join("\n") } }],
  ["copilot --event preToolUse", { sessionId: "s", toolName: "apply_patch", toolArgs: PATCH.join("\n") }],
] as const)("a hook of Claude Code sees every file of a patch: %s", async (line, payload) => {
  await using place = await workspace();
  const deny = { permissionDecision: "deny", permissionDecisionReason: "no", hookEventName: "PreToolUse" };
  const body = `grep -q '"file_path":"prod.env"' && ${printResponse({ hookSpecificOutput: deny })}; exit 0`;
  await place.hook("theirs", body, { says: '{"event":"claude:PreToolUse","match":{"tool_name":"Edit"}}' });
  const result = await runInProcess(place, `bridge ${line}`, { stdin: JSON.stringify(payload) });
  expect(result.stdout).toMatch(/"deny"/);
});
