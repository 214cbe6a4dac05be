import { stringOr, type UncheckedObject } from "../../protocol/json/read.ts";
import { inputJson, objectsIn, said, subObject, timeOf } from "./entry-parts.ts";
import type { Transcript, TranscriptCall } from "./transcript.ts";

/** Lines of `sessions/*.jsonl` until version 1.9, and `goose session export --format json`. */
export const gooseTranscript: Transcript = {
  agent: "goose",
  seenIn: "goose 1.0 to 1.38",
  places: [],
  unreadable: "it keeps sessions in an SQLite database; name exported ones: goose session export --format json",
  isOwn: ({ working_dir }) => typeof working_dir === "string",
  read: (entry) => ({
    ...said(entry.id, entry.working_dir),
    calls: [entry, ...objectsIn(entry.conversation), ...objectsIn(entry.messages)].flatMap(requestsIn),
  }),
  native: ({ session, cwd, tool, input, id }) => ({
    event: "PreToolUse",
    payload: {
      ...{ event: "PreToolUse", session_id: session, working_dir: cwd, tool_name: tool, tool_input: inputJson(input) },
      tool_call_id: id === "" ? undefined : id,
    },
  }),
};

const requestsIn = ({ content, created }: UncheckedObject): readonly TranscriptCall[] =>
  objectsIn(content)
    .filter(({ type }) => type === "toolRequest")
    .map(({ id, toolCall }) => {
      const [call = {}] = objectsIn([toolCall]);
      const { name, arguments: input } = subObject(call, "value");
      return { id: stringOr(id), tool: stringOr(name), input, time: timeOf(created) };
    });
