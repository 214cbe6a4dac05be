import type { Agent } from "../agent.ts";
import { agentOf } from "../agent-protocol.ts";
import { claude } from "../claude/claude.ts";
import protocol from "./protocol.json" with { type: "json" };

/**
 * Grok Build, which runs the registrations of Claude Code and Cursor. It sends Claude Code's payloads with its own tools, some fields in
 * camel case alone, and obeys Claude Code's answers except changed results.
 */
export const grok: Agent = {
  ...agentOf("claude", protocol, claude.tools),
  recordedAs: "grok",
  title: "Grok Build",
  testedWith: "1.0.41",
};
