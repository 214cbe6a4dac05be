import { expect, test } from "vitest";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { printResponse } from "../../../../test/support/shell.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { NATIVE } from "../../../agents/test/payloads.ts";

test.each([
  { mode: "default", reason: "PUBLISHES", decision: "ask", text: /^PUBLISHES/ },
  { mode: "bypassPermissions", reason: "PUBLISHES", decision: "deny", text: /^PUBLISHES\. A person has/ },
  { mode: "bypassPermissions", reason: "It PUBLISHES.", decision: "deny", text: /^It PUBLISHES\. A person has/ },
])("in the mode $mode a question is answered with $decision: $text", async ({ mode, reason, decision, text }) => {
  await using place = await workspace();
  await place.hook("careful", printResponse({ decision: "ask", reason }));
  const stdin = JSON.stringify({ ...NATIVE.claude.PreToolUse, permission_mode: mode });
  const result = await runInProcess(place, "bridge claude --event PreToolUse -q", { stdin });
  expect(result).toMatchObject({ code: 0, stderr: "" });
  const { hookSpecificOutput } = JSON.parse(result.stdout);
  expect(hookSpecificOutput.permissionDecision).toBe(decision);
  expect(hookSpecificOutput.permissionDecisionReason).toMatch(text);
  const log = await runInProcess(place, "log --json");
  expect(JSON.parse(log.stdout.trim()).decision).toBe(decision === "deny" ? "block" : "ask");
});
