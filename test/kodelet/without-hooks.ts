import { expect } from "vitest";
import { answered, hook, type KodeletEvent, listed, NO_ACTION, type Ported } from "./ported.ts";

/** A payload in which Go has set nothing but these fields is answered as if there were no hooks: there are none. */
const noAction =
  (event: KodeletEvent, set: object = {}): Ported["check"] =>
  async (place) =>
    expect(await answered(place, event, set)).toEqual({ code: 0, result: NO_ACTION[event] });

/** What a caller gets where no hook has a say. */
export const WITHOUT_HOOKS: readonly Ported[] = [
  {
    of: "TestExecute_NoHooks",
    promise: "without hooks nothing is started and nothing is decided",
    check: noAction("before_tool_call"),
  },
  {
    of: "TestExecuteUserMessageSend_EmptyResult",
    promise: "without hooks a message is not blocked, even an empty one",
    check: noAction("user_message_send"),
  },
  {
    of: "TestExecuteBeforeToolCall_EmptyResult",
    promise: "without hooks a tool call is not blocked, even one without a name",
    check: noAction("before_tool_call"),
  },
  {
    of: "TestExecuteAfterToolCall_EmptyResult",
    promise: "without hooks the output stays",
    check: noAction("after_tool_call"),
  },
  {
    of: "TestExecuteAgentStop_EmptyResult",
    promise: "without hooks the agent stops, also without any message",
    check: noAction("agent_stop"),
  },
  {
    of: "TestExecuteTurnEnd_EmptyResult",
    promise: "without hooks the end of a turn means nothing",
    check: noAction("turn_end"),
  },
  {
    of: "TestTrigger_ZeroValue_TriggerUserMessageSend",
    promise: "a caller that has set nothing but a message gets no block and no reason",
    check: noAction("user_message_send", { message: "test message" }),
  },
  {
    of: "TestTrigger_ZeroValue_TriggerBeforeToolCall",
    promise: "a caller that has set nothing but the call keeps its input",
    check: noAction("before_tool_call", {
      ...{ tool_name: "bash", tool_input: { command: "ls" }, tool_user_id: "tool-123" },
    }),
  },
  {
    of: "TestTrigger_ZeroValue_TriggerAfterToolCall",
    promise: "a caller that has set nothing but the call keeps its output",
    check: noAction("after_tool_call", {
      ...{ tool_name: "bash", tool_input: { command: "ls" }, tool_user_id: "tool-123" },
    }),
  },
  {
    of: "TestTrigger_ZeroValue_TriggerAgentStop",
    promise: "a caller that has no messages gets no follow-up messages",
    check: noAction("agent_stop", { messages: null }),
  },
  {
    of: "TestTrigger_ZeroValue_TriggerTurnEnd",
    promise: "a caller may tell the end of a turn and nothing else",
    check: noAction("turn_end", { response: "response", turn_number: 1 }),
  },
  {
    of: "TestHookManager_SetTimeout",
    promise: "the timeout of hooks can be set, and is 30 s where it is not",
    check: async (place) => {
      await hook(place, "any", "before_tool_call", null);
      expect((await listed(place)).hooks).toMatchObject([{ timeout_ms: 30_000 }]);
      expect((await listed(place, "--timeout", "5s")).hooks).toMatchObject([{ timeout_ms: 5000 }]);
    },
  },
];

/** Functions that no command line can show, and why. */
export const WITHOUT_A_SIDE: Readonly<Record<string, string>> = {
  TestTrigger_SetConversationID: "sets a field of a Go value; here each payload carries its own conv_id",
  TestTrigger_RecipeName: "reads a field of a Go value; what a hook gets of it is tested with and without a recipe",
};
