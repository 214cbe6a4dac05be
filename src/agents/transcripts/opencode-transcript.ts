import { stringOr, type UncheckedObject } from "../../protocol/json/read.ts";
import { moduleCall, objectsIn, said, subObject, timeOf } from "./entry-parts.ts";
import type { Transcript, TranscriptCall } from "./transcript.ts";

/** What `opencode export` prints: the session, and its messages with their parts. */
export const opencodeTranscript: Transcript = {
  agent: "opencode",
  seenIn: "opencode 1.3 to 1.18",
  places: [],
  unreadable: "it keeps sessions in an SQLite database; name exported ones: opencode export SESSION > session.json",
  isOwn: ({ info, messages }) => typeof info === "object" && Array.isArray(messages),
  read: (entry) => {
    const info = subObject(entry, "info");
    return {
      ...said(info.id, info.directory),
      calls: objectsIn(entry.messages).flatMap(({ parts }) => objectsIn(parts).flatMap(callIn)),
    };
  },
  native: moduleCall("tool.execute.before"),
};

function callIn(part: UncheckedObject): readonly TranscriptCall[] {
  if (part.type !== "tool") return [];
  const state = subObject(part, "state");
  const time = timeOf(subObject(state, "time").start);
  return [{ id: stringOr(part.callID), tool: stringOr(part.tool), input: state.input, time }];
}
