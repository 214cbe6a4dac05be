import type { AgentName } from "../../agents/agent.ts";
import type { EventName } from "../../protocol/event.ts";
import type { RecordedCall } from "../recorded-call.ts";

/** A call in a session file or an exported one. Its payload is only made for a call that is judged. */
export interface SessionRecord extends Pick<RecordedCall, "id" | "time" | "cwd" | "madeIn"> {
  readonly agent: AgentName | null;
  readonly session: string;
  /** The agent's id of the call; empty if it has none. */
  readonly callId: string;
  /** The same for calls that are alike in all but their ids and times. */
  readonly likeness: string;
  /** Null: no hook could get it. */
  readonly recorded: () => { readonly event: EventName; readonly payload: string } | null;
}

/** What could not be read, as it adds up over all files. */
export interface UnreadCounts {
  /** Lines that are no JSON object, or not of a known agent. */
  brokenLines: number;
  longLines: number;
  /** Calls of which the file does not hold what they did. */
  unreadableCalls: number;
  /** Calls whose folder nobody knows. */
  callsWithoutFolder: number;
  /** Files that could not be opened: path -> why. */
  readonly files: Map<string, string>;
}

export const nothingUnread = (): UnreadCounts => ({
  ...{ brokenLines: 0, longLines: 0, unreadableCalls: 0, callsWithoutFolder: 0 },
  files: new Map(),
});
