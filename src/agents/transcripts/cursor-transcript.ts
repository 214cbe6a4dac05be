import { claudeCall, subObject, toolUses } from "./entry-parts.ts";
import type { Transcript } from "./transcript.ts";

/** Lines of `projects/<folder>/agent-transcripts/<session>/<session>.jsonl`. */
export const cursorTranscript: Transcript = {
  agent: "cursor",
  seenIn: "Cursor 2, agent transcripts",
  places: [],
  unreadable:
    "its transcripts name neither the folder nor the time of a call; name the files of this project: ~/.cursor/projects/*/agent-transcripts/",
  isOwn: ({ role, message, type }) => typeof role === "string" && typeof message === "object" && type === undefined,
  read: (entry) => ({ calls: toolUses(subObject(entry, "message").content, "") }),
  native: (call) => {
    const { payload } = claudeCall(call);
    return {
      event: "preToolUse",
      payload: {
        ...{ conversation_id: call.session, hook_event_name: "preToolUse", cwd: call.cwd },
        ...{ tool_name: call.tool, tool_input: payload.tool_input, tool_use_id: payload.tool_use_id },
      },
    };
  },
};
