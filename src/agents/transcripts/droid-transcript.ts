import { stringOr } from "../../protocol/json/read.ts";
import { claudeCall, said, subObject, timeOf, toolUses } from "./entry-parts.ts";
import type { Transcript } from "./transcript.ts";

/** Lines of `sessions/<folder>/<session>.jsonl`, and what `droid exec --output-format stream-json` prints. */
export const droidTranscript: Transcript = {
  agent: "droid",
  seenIn: "Factory Droid 0.81",
  places: [{ variable: null, folder: ".factory", path: ["sessions", "**", "*.jsonl"] }],
  unreadable: null,
  isOwn: ({ type, session_id }) => type === "session_start" || (type === "tool_call" && typeof session_id === "string"),
  read: (entry) => {
    const time = timeOf(entry.timestamp);
    switch (entry.type) {
      case "session_start":
        return said(entry.id, entry.cwd);
      case "tool_call":
        return {
          ...said(entry.session_id, entry.cwd),
          calls: [{ id: stringOr(entry.toolCallId), tool: stringOr(entry.toolName), input: entry.parameters, time }],
        };
      default:
        return { ...said(entry.session_id, entry.cwd), calls: toolUses(subObject(entry, "message").content, time) };
    }
  },
  native: claudeCall,
};
