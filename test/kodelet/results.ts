import { expect } from "vitest";
import { runMain } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { printResponse, shellQuote, touch } from "../support/shell.ts";
import { answered, hook, hooksOf, type Ported, sent } from "./ported.ts";

/** What comes of the responses of hooks. */
export const RESULTS: readonly Ported[] = [
  {
    of: "TestResultSerialization_BeforeToolCallResult",
    promise: "a block comes back with its reason and its input",
    differs: "with a block no input comes back: the call is not made",
    check: async (place) => {
      const answer = { blocked: true, reason: "Security policy", input: { modified: true } };
      await hook(place, "guard", "before_tool_call", answer);
      expect(await answered(place, "before_tool_call")).toEqual({
        code: 2,
        result: { blocked: true, reason: "Security policy" },
      });
    },
  },
  {
    of: "TestResultSerialization_UserMessageSendResult",
    promise: "a blocked message comes back with its reason",
    check: async (place) => {
      const answer = { blocked: true, reason: "No names, please" };
      await hook(place, "words", "user_message_send", answer);
      expect(await answered(place, "user_message_send")).toEqual({ code: 2, result: answer });
    },
  },
  {
    of: "TestResultSerialization_AgentStopResult",
    promise: "follow-up messages come back in their order",
    check: async (place) => {
      const answer = { follow_up_messages: ["Please look at the changes.", "Shall I run the tests?"] };
      await hook(place, "reviewer", "agent_stop", answer);
      expect(await answered(place, "agent_stop")).toEqual({ code: 0, result: answer });
    },
  },
  {
    of: "TestResultSerialization_AgentStopResult_Empty",
    promise: "without follow-up messages the result has none",
    check: async (place) => {
      for (const answer of [{}, { follow_up_messages: null }, { follow_up_messages: [] }]) {
        await hook(place, "reviewer", "agent_stop", answer);
        expect(await answered(place, "agent_stop")).toEqual({ code: 0, result: {} });
      }
    },
  },
  {
    of: "TestDenyFast_BeforeToolCall_FirstHookBlocks",
    promise: "the first block of a tool call ends the chain with its reason",
    check: async (place) => {
      const blocks = { blocked: true, reason: "blocked by the first" };
      await hook(place, "01-blocks", "before_tool_call", blocks);
      await place.hook("02-allows", `${touch(`${place.dir}/asked`)}\n${printResponse({ blocked: false })}`);
      expect(await hooksOf(place, "before_tool_call")).toEqual(["01-blocks", "02-allows"]);
      const set = { event: "before_tool_call", conv_id: "test-conv", tool_name: "bash" };
      expect(await answered(place, "before_tool_call", set)).toEqual({ code: 2, result: blocks });
      expect(await place.read("asked")).toBeNull();
    },
  },
  {
    of: "TestDenyFast_UserMessageSend_FirstHookBlocks",
    promise: "the first block of a message ends the chain with its reason",
    check: async (place) => {
      const blocks = { blocked: true, reason: "blocked by the first" };
      await hook(place, "01-blocks", "user_message_send", blocks);
      const second = `${touch(`${place.dir}/asked`)}\n${printResponse({ blocked: false })}`;
      await place.hook("02-allows", second, { says: "user_message_send" });
      expect(await answered(place, "user_message_send", { message: "test" })).toEqual({ code: 2, result: blocks });
      expect(await place.read("asked")).toBeNull();
    },
  },
  {
    of: "TestDenyFast_AllHooksAllow",
    promise: "a call is allowed when every hook allows it",
    check: async (place) => {
      for (const name of ["01-allows", "02-allows"]) await hook(place, name, "before_tool_call", { blocked: false });
      expect(await answered(place, "before_tool_call", { tool_name: "bash" })).toEqual({
        code: 0,
        result: { blocked: false },
      });
    },
  },
  {
    of: "TestAgentStop_AccumulatesFollowUpMessages",
    promise: "the follow-up messages of all hooks add up in the order of the hooks",
    check: async (place) => {
      await hook(place, "01-hook", "agent_stop", { follow_up_messages: ["from hook 1"] });
      await hook(place, "02-hook", "agent_stop", { follow_up_messages: ["from hook 2", "another"] });
      expect(await answered(place, "agent_stop", { event: "agent_stop", conv_id: "test-conv" })).toEqual({
        code: 0,
        result: { follow_up_messages: ["from hook 1", "from hook 2", "another"] },
      });
    },
  },
  {
    of: "TestIntegration_BeforeToolCall_BlocksWithReason",
    promise: "a tool call is blocked with the hook's reason",
    check: async (place) => {
      const blocks = { blocked: true, reason: "rm -rf is not allowed" };
      await hook(place, "security_hook", "before_tool_call", blocks);
      const set = { tool_name: "bash", tool_input: { command: "rm -rf /" }, tool_user_id: "tool-abc" };
      const base = { event: "before_tool_call", conv_id: "c-1", cwd: place.project, invoked_by: "main" };
      expect(await answered(place, "before_tool_call", { ...base, ...set })).toEqual({ code: 2, result: blocks });
    },
  },
  {
    of: "TestIntegration_BeforeToolCall_ModifiesInput",
    promise: "a hook may replace the input of a tool",
    check: async (place) => {
      const answer = { blocked: false, input: { command: "ls -la --safe" } };
      await hook(place, "input_modifier", "before_tool_call", answer);
      const set = { conv_id: "test-conv", tool_name: "bash", tool_input: { command: "ls -la" } };
      expect(await answered(place, "before_tool_call", set)).toEqual({ code: 0, result: answer });
    },
  },
  {
    of: "TestIntegration_AfterToolCall_ModifiesOutput",
    promise: "a hook may replace the output of a tool",
    check: async (place) => {
      const output = { toolName: "bash", success: true, error: "[REDACTED]", timestamp: "2025-01-01T00:00:00Z" };
      await hook(place, "output_modifier", "after_tool_call", { output });
      const set = { conv_id: "test-conv", tool_name: "bash", tool_input: { command: "cat /etc/passwd" } };
      expect(await answered(place, "after_tool_call", set)).toEqual({ code: 0, result: { output } });
    },
  },
  {
    of: "TestIntegration_UserMessageSend_AllowsMessage",
    promise: "a message is sent when the hook allows it",
    check: async (place) => {
      await hook(place, "message_validator", "user_message_send", { blocked: false });
      const set = { conv_id: "test-conv", invoked_by: "main", message: "Can you help me with this code?" };
      expect(await answered(place, "user_message_send", set)).toEqual({ code: 0, result: { blocked: false } });
    },
  },
  {
    of: "TestIntegration_HookTimeout",
    promise: "a hook that takes longer than its timeout has no say",
    check: async (place) => {
      await place.hook("slow_hook", `sleep 600\n${printResponse({ blocked: true })}`);
      const args = ["run", "before_tool_call", "--json", "--timeout", "100ms"];
      const finished = await runMain(place, args, { stdin: sent("before_tool_call", { tool_name: "bash" }) });
      expect(parseRunJson(finished)).toMatchObject({
        decision: "continue",
        hooks: [{ name: "slow_hook", outcome: "failed", failure: { code: "HOOK_TIMED_OUT" } }],
      });
      expect(finished.code).toBe(0);
    },
  },
  {
    of: "TestIntegration_HookNonZeroExitCode",
    promise: "a hook that exits with another code than 0 has failed, and the call goes on",
    check: async (place) => {
      await place.hook("failing_hook", "echo 'error message' >&2; exit 1");
      const { code, result } = await answered(place, "before_tool_call", { tool_name: "bash" });
      expect({ code, result }).toEqual({
        code: 0,
        result: { blocked: false, warnings: ["failing_hook failed: exit 1, error message"] },
      });
    },
  },
  {
    of: "TestIntegration_HookEmptyOutput_ObservationOnly",
    promise: "a hook that prints nothing leaves the output as it is",
    check: async (place) => {
      await place.hook("audit_logger", `cat >> ${shellQuote(`${place.dir}/log`)}`, { says: "after_tool_call" });
      expect(await answered(place, "after_tool_call", { tool_name: "bash" })).toEqual({ code: 0, result: {} });
      expect(await place.read("log")).toContain('"tool_name":"bash"');
    },
  },
  {
    of: "TestIntegration_AgentStop_NoFollowUp",
    promise: "a hook that only watches lets the agent stop",
    check: async (place) => {
      await place.hook("notification_hook", "exit 0", { says: "agent_stop" });
      expect(await answered(place, "agent_stop", { conv_id: "test-conv" })).toEqual({ code: 0, result: {} });
    },
  },
];
