import type { UncheckedObject } from "../../protocol/json/read.ts";
import type { JsonRecord } from "../../protocol/json/write.ts";
import type { AgentName } from "../agent.ts";

/** How an agent records its sessions: where its files are, and which tool calls stand in one of their entries. */
export interface Transcript {
  readonly agent: AgentName;
  /** The version whose files or code the table was compared with. */
  readonly seenIn: string;
  /** Its own session files. Empty: hookctl cannot read them, and `unreadable` says why. */
  readonly places: readonly SessionPlace[];
  /** Why its own session files cannot be read, and what can be done; null: they can. */
  readonly unreadable: string | null;
  /** True for an entry that only this agent writes: a file is recognized by the first that fits. */
  readonly isOwn: (entry: UncheckedObject) => boolean;
  /** Reads one line of a session file, or the whole of one that is a single JSON value. */
  readonly read: (entry: UncheckedObject) => TranscriptEntry;
  /** The call in the format in which the agent sends it to a hook. */
  readonly native: (call: SessionCall) => NativeToolCall;
}

export interface SessionPlace {
  /** The folder: the variable that replaces it, and where it is below the home directory otherwise. */
  readonly variable: string | null;
  readonly folder: string;
  /** Names below it; `**` stands for any folders, `*` for any text in a name. */
  readonly path: readonly string[];
  /** A file beside the session's folder whose text is the folder of the project. */
  readonly projectFile?: string;
}

/** What one entry says. What is absent stays as an earlier entry of the file has said it. */
export interface TranscriptEntry {
  readonly session?: string;
  readonly cwd?: string;
  readonly calls?: readonly TranscriptCall[];
  /** Calls of which the file does not hold what they did. */
  readonly unreadableCalls?: number;
}

export interface TranscriptCall {
  /** The agent's id of the call; empty if it has none. */
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  /** ISO 8601, or seconds or milliseconds since 1970; empty: not recorded. */
  readonly time: string | number;
  /** Its folder, if the call itself names one. */
  readonly cwd?: string;
  readonly isSubagent?: true;
}

/** A call with all that its file says of it. */
export interface SessionCall extends TranscriptCall {
  readonly session: string;
  readonly cwd: string;
}

export interface NativeToolCall {
  /** The agent's name of the event. */
  readonly event: string;
  readonly payload: JsonRecord;
}

export const NOTHING: TranscriptEntry = {};
