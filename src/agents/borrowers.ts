import type { JsonObject } from "../protocol/json/read.ts";
import type { AgentName } from "./agent.ts";

/** An agent that also runs the hooks in another agent's settings. */
interface Borrower {
  readonly name: AgentName;
  readonly from: AgentName;
  /** True for a payload that this agent sent to a hook in the other agent's settings. */
  readonly isSender: (native: JsonObject) => boolean;
}

/** Apart from the agents' protocols, so that finding the sender does not load them. */
export const BORROWERS: readonly Borrower[] = [
  {
    name: "copilot",
    from: "claude",
    // Claude Code sends neither, and a payload with `cursor_version` is Cursor's.
    isSender: (native) => (native.has("timestamp") || native.has("sessionId")) && !native.has("cursor_version"),
  },
  { name: "cursor", from: "claude", isSender: (native) => native.has("cursor_version") },
];
