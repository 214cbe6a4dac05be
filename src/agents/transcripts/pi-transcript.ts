import { stringOr } from "../../protocol/json/read.ts";
import { moduleCall, objectsIn, said, subObject, timeOf } from "./entry-parts.ts";
import type { Transcript } from "./transcript.ts";

/** Lines of `sessions/<folder>/<time>_<session>.jsonl`. */
export const piTranscript: Transcript = {
  agent: "pi",
  seenIn: "pi 0.73 to 1.5 (session version 3)",
  places: [{ variable: "PI_CODING_AGENT_DIR", folder: ".pi/agent", path: ["sessions", "**", "*.jsonl"] }],
  unreadable: null,
  isOwn: ({ type, cwd, id }) => type === "session" && typeof cwd === "string" && typeof id === "string",
  read: (entry) => {
    if (entry.type === "session") return said(entry.id, entry.cwd);
    const calls = objectsIn(subObject(entry, "message").content).filter(({ type }) => type === "toolCall");
    const time = timeOf(entry.timestamp);
    return {
      calls: calls.map(({ id, name, arguments: input }) => ({ id: stringOr(id), tool: stringOr(name), input, time })),
    };
  },
  native: moduleCall("tool_call"),
};
