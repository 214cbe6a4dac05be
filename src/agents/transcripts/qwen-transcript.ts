import { stringOr } from "../../protocol/json/read.ts";
import { claudeCall, objectsIn, said, subObject, timeOf } from "./entry-parts.ts";
import type { Transcript } from "./transcript.ts";

/** Lines of `projects/<folder>/chats/<session>.jsonl`. */
export const qwenTranscript: Transcript = {
  agent: "qwen",
  seenIn: "Qwen Code 0.21 to 0.24",
  places: ["QWEN_RUNTIME_DIR", "QWEN_HOME"].map((variable) => ({
    ...{ variable, folder: ".qwen", path: ["projects", "*", "chats", "*.jsonl"] },
  })),
  unreadable: null,
  isOwn: (entry) => typeof entry.sessionId === "string" && Array.isArray(subObject(entry, "message").parts),
  read: (entry) => ({
    ...said(entry.sessionId, entry.cwd),
    calls: objectsIn(subObject(entry, "message").parts).flatMap(({ functionCall }) => {
      const [call] = objectsIn([functionCall]);
      if (call === undefined) return [];
      return [{ id: stringOr(call.id), tool: stringOr(call.name), input: call.args, time: timeOf(entry.timestamp) }];
    }),
  }),
  native: claudeCall,
};
