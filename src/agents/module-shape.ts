import { callInput, changedResultText, type FieldPaths, toolOutput } from "../dialects/field-paths.ts";
import { rawJson } from "../protocol/json/write.ts";
import type { Agent, NativeEvent } from "./agent.ts";

/**
 * What the modules send that hookctl writes for agents without command hooks, and the answers that they obey. Both ends
 * are ours: `event`, `session`, `cwd`, `prompt`, `tool`, `call`, `input`, `output`, `is_error` in; `deny`, `input`,
 * `output`, `context`, `tell` out.
 */
export const moduleBaseFields: FieldPaths = { conv_id: "session", cwd: "cwd" };

const toolFields: FieldPaths = { tool_name: "tool", tool_input: callInput("input"), tool_user_id: "call" };
const output = toolOutput("tool", "output", (native) => native.get("is_error")?.raw !== "true");

const deny = (reason: string) => ({ deny: reason });
const context = (text: string) => ({ context: text });
const tell = (text: string) => ({ tell: text });

export const beforeToolEvent: NativeEvent = {
  raises: [{ event: "before_tool_call", fields: toolFields }],
  answers: { deny, change: ({ value }) => ({ input: rawJson(value.raw) }), notify: tell },
  timeoutMs: 60_000,
};

/** A deny after the call: the module puts the reason in the place of the output. */
export const afterToolEvent: NativeEvent = {
  raises: [{ event: "after_tool_call", fields: { ...toolFields, tool_output: output } }],
  answers: { deny, change: (change) => ({ output: changedResultText(change) }), context, notify: tell },
  timeoutMs: 60_000,
};

export const promptEvent: NativeEvent = {
  raises: [{ event: "user_message_send", fields: { message: "prompt" } }],
  answers: { deny, context, notify: tell },
  timeoutMs: 30_000,
};

export const moduleShellCall = (event: string): Agent["sampleShellCall"] => ({
  event,
  payload: (command) => ({
    event,
    session: "hookctl-doctor",
    tool: "bash",
    call: "hookctl-doctor",
    input: { command },
  }),
});
