/** A payload of `before_tool_call`. */
export const toolCall = (command = "ls", more: object = {}): string =>
  JSON.stringify({ tool_name: "bash", tool_input: { command }, ...more });

/** A payload of `after_tool_call`. */
export const toolResult = (result = "total 0", more: object = {}): string =>
  JSON.stringify({
    tool_name: "bash",
    tool_input: { command: "ls" },
    tool_output: { success: true, result },
    ...more,
  });

/** A payload of `agent_stop`. */
export const stop = (): string => JSON.stringify({ messages: [{ role: "user", content: "Please run the tests" }] });
