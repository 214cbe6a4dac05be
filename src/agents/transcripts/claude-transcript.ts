import { stringOr } from "../../protocol/json/read.ts";
import { claudeCall, said, subObject, timeOf, toolUses } from "./entry-parts.ts";
import type { Transcript } from "./transcript.ts";

const TYPES: readonly unknown[] = ["user", "assistant", "system", "attachment", "progress"];

/** Lines of `projects/<folder>/<session>.jsonl`; those of subagents are in a folder of the session. */
export const claudeTranscript: Transcript = {
  agent: "claude",
  seenIn: "Claude Code 1.0 to 2.1",
  places: [{ variable: "CLAUDE_CONFIG_DIR", folder: ".claude", path: ["projects", "**", "*.jsonl"] }],
  unreadable: null,
  isOwn: (entry) =>
    typeof entry.sessionId === "string" &&
    TYPES.includes(entry.type) &&
    !Array.isArray(subObject(entry, "message").parts),
  read: (entry) => {
    const calls =
      entry.type === "assistant" ? toolUses(subObject(entry, "message").content, timeOf(entry.timestamp)) : [];
    const isSubagent = entry.isSidechain === true || stringOr(entry.agentId) !== "";
    return {
      ...said(entry.sessionId, entry.cwd),
      calls: isSubagent ? calls.map((call) => ({ ...call, isSubagent })) : calls,
    };
  },
  native: claudeCall,
};
