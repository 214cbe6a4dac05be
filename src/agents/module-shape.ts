import { callInput, givenBackText, toolOutput } from "../dialects/field-paths.ts";
import { rawJson } from "../protocol/json-text.ts";
import type { Agent, NativeEvent, Places } from "./agent.ts";

/**
 * What the modules send that hookctl writes for agents without command hooks, and the answers that they obey. Both ends
 * are ours: `event`, `session`, `cwd`, `prompt`, `tool`, `call`, `input`, `output`, `is_error` in; `deny`, `input`,
 * `output`, `context`, `tell` out.
 */
export const moduleBase: Places = { conv_id: "session", cwd: "cwd" };

const toolFields: Places = { tool_name: "tool", tool_input: callInput("input"), tool_user_id: "call" };
const output = toolOutput("tool", "output", (native) => native.get("is_error")?.raw !== "true");

const deny = (reason: string) => ({ deny: reason });
const context = (text: string) => ({ context: text });
const tell = (text: string) => ({ tell: text });

export const beforeTool: NativeEvent = {
  raises: [{ event: "before_tool_call", fields: toolFields }],
  answers: { deny, change: ({ value }) => ({ input: rawJson(value.raw) }), tell },
  limitMs: 60_000,
};

/** A deny after the call: the module puts the reason in the place of the output. */
export const afterTool: NativeEvent = {
  raises: [{ event: "after_tool_call", fields: { ...toolFields, tool_output: output } }],
  answers: { deny, change: (change) => ({ output: givenBackText(change) }), context, tell },
  limitMs: 60_000,
};

export const prompt: NativeEvent = {
  raises: [{ event: "user_message_send", fields: { message: "prompt" } }],
  answers: { deny, context, tell },
  limitMs: 30_000,
};

export const moduleCall = (event: string): Agent["shellCall"] => ({
  event,
  payload: (command) => ({
    event,
    session: "hookctl-doctor",
    tool: "bash",
    call: "hookctl-doctor",
    input: { command },
  }),
});
