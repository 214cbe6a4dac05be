import { stringOr, type UncheckedObject } from "../../protocol/json/read.ts";
import { inputJson, objectsIn, parsedArguments, said, subObject, timeOf } from "./entry-parts.ts";
import { NOTHING, type Transcript, type TranscriptCall, type TranscriptEntry } from "./transcript.ts";

/** Lines of `session-state/<session>/events.jsonl`. */
export const copilotTranscript: Transcript = {
  agent: "copilot",
  seenIn: "GitHub Copilot CLI 0.0.420 to 1.0.77",
  places: [{ variable: "COPILOT_HOME", folder: ".copilot", path: ["session-state", "**", "*.jsonl"] }],
  unreadable: null,
  isOwn: ({ type, data }) => /^(?:session|assistant|tool|user|hook)\./.test(stringOr(type)) && typeof data === "object",
  read: (entry) => readEvent(entry, subObject(entry, "data"), timeOf(entry.timestamp)),
  native: ({ session, cwd, tool, input, time }) => ({
    event: "preToolUse",
    payload: { sessionId: session, timestamp: time, cwd, toolName: tool, toolArgs: inputJson(input) },
  }),
};

/** The model asks for a call in a message, and its start is an event of its own, with the same id. */
function readEvent({ type }: UncheckedObject, data: UncheckedObject, time: TranscriptCall["time"]): TranscriptEntry {
  const of = (call: UncheckedObject, tool: unknown) => ({
    ...{ id: stringOr(call.toolCallId), tool: stringOr(tool), input: parsedArguments(call.arguments), time },
  });
  switch (type) {
    case "session.start":
    case "session.resume":
    case "session.context_changed": {
      const { cwd } = { ...data, ...subObject(data, "context") };
      return said(data.sessionId, cwd);
    }
    case "assistant.message":
      return { calls: objectsIn(data.toolRequests).map((call) => of(call, call.name)) };
    case "tool.execution_start":
      return { calls: [of(data, data.toolName)] };
    default:
      return NOTHING;
  }
}
