import { stringOr, type UncheckedObject } from "../../protocol/json/read.ts";
import { inputJson, objectsIn, said, subObject, timeOf } from "./entry-parts.ts";
import type { Transcript, TranscriptCall } from "./transcript.ts";

/** A message is written again each time that it grows, so its calls come several times. */
const callsIn = ({ toolCalls, timestamp }: UncheckedObject): readonly TranscriptCall[] =>
  objectsIn(toolCalls).map(({ id, name, args, timestamp: own }) => ({
    ...{ id: stringOr(id), tool: stringOr(name), input: args, time: timeOf(own) || timeOf(timestamp) },
  }));

/** Lines of `tmp/<project>/chats/session-*.jsonl`, or until version 0.39 one JSON value in `session-*.json`. */
export const geminiTranscript: Transcript = {
  agent: "gemini",
  seenIn: "Gemini CLI 0.20 to 0.61",
  places: ["*.jsonl", "*.json"].map((name) => ({
    ...{ variable: "GEMINI_CLI_HOME", folder: "", path: [".gemini", "tmp", "*", "chats", "**", name] },
    projectFile: ".project_root",
  })),
  unreadable: null,
  isOwn: ({ projectHash, type }) => typeof projectHash === "string" || type === "gemini",
  read: (entry) => {
    const messages = [...objectsIn(entry.messages), ...objectsIn(subObject(entry, "$set").messages)];
    return { ...said(entry.sessionId, ""), calls: [entry, ...messages].flatMap(callsIn) };
  },
  native: ({ session, cwd, tool, input, time }) => ({
    event: "BeforeTool",
    payload: {
      ...{ session_id: session, cwd, hook_event_name: "BeforeTool", timestamp: time },
      ...{ tool_name: tool, tool_input: inputJson(input) },
    },
  }),
};
