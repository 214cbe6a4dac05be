import { expect, test } from "vitest";
import { NATIVE } from "../agents/payloads.ts";
import { runInProcess } from "../support/in-process.ts";
import { printResponse } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

test.each([
  { mode: "default", decision: "ask" },
  { mode: "bypassPermissions", decision: "deny" },
])("in the mode $mode a question is answered with $decision, and recorded so", async ({ mode, decision }) => {
  await using place = await workspace();
  await place.hook("careful", printResponse({ decision: "ask", reason: "PUBLISHES" }));
  const stdin = JSON.stringify({ ...NATIVE.claude.PreToolUse, permission_mode: mode });
  const result = await runInProcess(place, "bridge claude --event PreToolUse -q", { stdin });
  expect(result).toMatchObject({ code: 0, stderr: "" });
  const { hookSpecificOutput } = JSON.parse(result.stdout);
  expect(hookSpecificOutput.permissionDecision).toBe(decision);
  expect(hookSpecificOutput.permissionDecisionReason).toContain("PUBLISHES");
  const log = await runInProcess(place, "log --json");
  expect(JSON.parse(log.stdout.trim()).decision).toBe(decision === "deny" ? "block" : "ask");
});
