import { arrayOr, isObject, objectOr, stringOr, type UncheckedObject } from "../../protocol/json/read.ts";
import { rawJson } from "../../protocol/json/write.ts";
import type { NativeToolCall, SessionCall, TranscriptCall, TranscriptEntry } from "./transcript.ts";

/** The objects of a list. */
export const objectsIn = (value: unknown): readonly UncheckedObject[] => arrayOr(value).filter(isObject);

/** Session and folder of an entry, left out where they are empty. */
export function said(session: unknown, cwd: unknown): Pick<TranscriptEntry, "session" | "cwd"> {
  return {
    ...(stringOr(session) === "" ? {} : { session: stringOr(session) }),
    ...(stringOr(cwd) === "" ? {} : { cwd: stringOr(cwd) }),
  };
}

/** A time as the file has it: ISO 8601, or seconds or milliseconds since 1970; empty: none. */
export const timeOf = (value: unknown): TranscriptCall["time"] =>
  typeof value === "number" && Number.isFinite(value) ? value : stringOr(value);

/** The `tool_use` blocks of a message in Anthropic's format. */
export const toolUses = (content: unknown, time: TranscriptCall["time"]): readonly TranscriptCall[] =>
  objectsIn(content)
    .filter(({ type }) => type === "tool_use")
    .map(({ id, name, input }) => ({ id: stringOr(id), tool: stringOr(name), input, time }));

/** Arguments that stand as JSON in a text. */
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
    ...{ session_id: session, cwd, hook_event_name: "PreToolUse", tool_name: tool, tool_input: inputJson(input) },
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
