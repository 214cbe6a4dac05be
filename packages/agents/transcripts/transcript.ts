import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { arrayOr, isObject, objectOr, stringOr, type UncheckedObject } from "../../../src/protocol/json/read.ts";
import { type JsonRecord, rawJson } from "../../../src/protocol/json/write.ts";

/** How an agent records its sessions: the location of its files, and the tool calls in one of their entries. */
export interface Transcript {
  readonly agent: AgentName;
  /** The version whose files or code the table was compared with. */
  readonly seenIn: string;
  /** Its own session files. Empty: hookctl cannot read them, and `unreadable` says why. */
  readonly places: readonly SessionPlace[];
  /** Why its own session files cannot be read, and what to do; null if they can. */
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
  /** Names below it; `**` matches any folders, `*` any text in a name. */
  readonly path: readonly string[];
  /** A file beside the session's folder whose text is the folder of the project. */
  readonly projectFile?: string;
}

/** The data of one entry. Absent fields keep the value of an earlier entry of the file. */
export interface TranscriptEntry {
  readonly session?: string;
  readonly cwd?: string;
  readonly calls?: readonly TranscriptCall[];
  /** Calls without a record of their arguments. */
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

/** A call with all its data in the file. */
export interface SessionCall extends TranscriptCall {
  readonly session: string;
  readonly cwd: string;
}

interface NativeToolCall {
  /** The agent's name of the event. */
  readonly event: string;
  readonly payload: JsonRecord;
}

export const NOTHING: TranscriptEntry = {};

/** The objects of a list. */
export const objectsIn = (value: unknown): readonly UncheckedObject[] => arrayOr(value).filter(isObject);

/** Session and folder of an entry, left out where they are empty. */
export function said(session: unknown, cwd: unknown): Pick<TranscriptEntry, "session" | "cwd"> {
  return {
    ...(stringOr(session) === "" ? {} : { session: stringOr(session) }),
    ...(stringOr(cwd) === "" ? {} : { cwd: stringOr(cwd) }),
  };
}

/** A time in any format of the files: ISO 8601, or seconds or milliseconds since 1970; empty: none. */
export const timeOf = (value: unknown): TranscriptCall["time"] =>
  typeof value === "number" && Number.isFinite(value) ? value : stringOr(value);

/** The `tool_use` blocks of a message in Anthropic's format. */
export const toolUses = (content: unknown, time: TranscriptCall["time"]): readonly TranscriptCall[] =>
  objectsIn(content)
    .filter(({ type }) => type === "tool_use")
    .map(({ id, name, input }) => ({ id: stringOr(id), tool: stringOr(name), input, time }));

/** Parses arguments that are JSON in a string. */
export function parsedArguments(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The arguments of a call as an agent sends them to a hook. */
export const inputJson = (input: unknown) => rawJson(JSON.stringify(input ?? {}));

/** A payload in Claude Code's format, which several agents use. */
export const claudeCall = ({ session, cwd, tool, input, id, isSubagent }: SessionCall): NativeToolCall => ({
  event: "PreToolUse",
  payload: {
    session_id: session,
    cwd,
    hook_event_name: "PreToolUse",
    tool_name: tool,
    tool_input: inputJson(input),
    tool_use_id: id === "" ? undefined : id,
    agent_id: isSubagent ? "subagent" : undefined,
  },
});

/** The payload of the modules that hookctl writes. */
export const moduleCall =
  (event: string) =>
  ({ session, cwd, tool, input, id }: SessionCall): NativeToolCall => ({
    event,
    payload: { event, session, cwd, tool, call: id === "" ? undefined : id, input: inputJson(input) },
  });

export const subObject = (entry: UncheckedObject, key: string): UncheckedObject => objectOr(entry[key]);
