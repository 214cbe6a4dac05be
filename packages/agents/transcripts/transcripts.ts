import type { AgentName } from "../../../src/protocol/agent-names.ts";
import type { EventName } from "../../../src/protocol/event.ts";
import { objectOf, spanOfRaw, stringOr, type UncheckedObject } from "../../../src/protocol/json/read.ts";
import { jsonText } from "../../../src/protocol/json/write.ts";
import { AGENTS } from "../agents.ts";
import { canonicalFields } from "../native-payload.ts";
import { codexTranscript } from "./codex-transcript.ts";
import {
  claudeCall,
  inputJson,
  moduleCall,
  NOTHING,
  objectsIn,
  parsedArguments,
  type SessionCall,
  said,
  subObject,
  type Transcript,
  type TranscriptCall,
  type TranscriptEntry,
  timeOf,
  toolUses,
} from "./transcript.ts";

const TYPES: readonly unknown[] = ["user", "assistant", "system", "attachment", "progress"];

/** Lines of `projects/<folder>/<session>.jsonl`; those of subagents are in a folder of the session. */
const claudeTranscript: Transcript = {
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

/** Lines of `projects/<folder>/chats/<session>.jsonl`. */
const qwenTranscript: Transcript = {
  agent: "qwen",
  seenIn: "Qwen Code 0.21 to 0.24",
  places: ["QWEN_RUNTIME_DIR", "QWEN_HOME"].map((variable) => ({
    variable,
    folder: ".qwen",
    path: ["projects", "*", "chats", "*.jsonl"],
  })),
  unreadable: null,
  isOwn: (entry) => typeof entry.sessionId === "string" && Array.isArray(subObject(entry, "message").parts),
  read: (entry) => ({
    ...said(entry.sessionId, entry.cwd),
    calls: objectsIn(subObject(entry, "message").parts).flatMap(({ functionCall }) => {
      const [call] = objectsIn([functionCall]);
      if (call === undefined) return [];
      return [{ id: stringOr(call.id), tool: stringOr(call.name), input: call.args, time: timeOf(entry.timestamp) }];
    }),
  }),
  native: claudeCall,
};

/** A growing message is written repeatedly, so its calls occur several times. */
const callsIn = ({ toolCalls, timestamp }: UncheckedObject): readonly TranscriptCall[] =>
  objectsIn(toolCalls).map(({ id, name, args, timestamp: own }) => ({
    id: stringOr(id),
    tool: stringOr(name),
    input: args,
    time: timeOf(own) || timeOf(timestamp),
  }));

/** Lines of `tmp/<project>/chats/session-*.jsonl`, or until version 0.39 one JSON value in `session-*.json`. */
const geminiTranscript: Transcript = {
  agent: "gemini",
  seenIn: "Gemini CLI 0.20 to 0.61",
  places: ["*.jsonl", "*.json"].map((name) => ({
    variable: "GEMINI_CLI_HOME",
    folder: "",
    path: [".gemini", "tmp", "*", "chats", "**", name],
    projectFile: ".project_root",
  })),
  unreadable: null,
  isOwn: ({ projectHash, type }) => typeof projectHash === "string" || type === "gemini",
  read: (entry) => {
    const messages = [...objectsIn(entry.messages), ...objectsIn(subObject(entry, "$set").messages)];
    return { ...said(entry.sessionId, ""), calls: [entry, ...messages].flatMap(callsIn) };
  },
  native: ({ session, cwd, tool, input, time }) => ({
    event: "BeforeTool",
    payload: {
      session_id: session,
      cwd,
      hook_event_name: "BeforeTool",
      timestamp: time,
      tool_name: tool,
      tool_input: inputJson(input),
    },
  }),
};

/** Lines of `projects/<folder>/agent-transcripts/<session>/<session>.jsonl`. */
const cursorTranscript: Transcript = {
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
        conversation_id: call.session,
        hook_event_name: "preToolUse",
        cwd: call.cwd,
        tool_name: call.tool,
        tool_input: payload.tool_input,
        tool_use_id: payload.tool_use_id,
      },
    };
  },
};

/** Lines of `sessions/<folder>/<session>.jsonl`, and what `droid exec --output-format stream-json` prints. */
const droidTranscript: Transcript = {
  agent: "droid",
  seenIn: "Factory Droid 0.81",
  places: [{ variable: null, folder: ".factory", path: ["sessions", "**", "*.jsonl"] }],
  unreadable: null,
  isOwn: ({ type, session_id }) => type === "session_start" || (type === "tool_call" && typeof session_id === "string"),
  read: (entry) => {
    const time = timeOf(entry.timestamp);
    switch (entry.type) {
      case "session_start":
        return said(entry.id, entry.cwd);
      case "tool_call":
        return {
          ...said(entry.session_id, entry.cwd),
          calls: [{ id: stringOr(entry.toolCallId), tool: stringOr(entry.toolName), input: entry.parameters, time }],
        };
      default:
        return { ...said(entry.session_id, entry.cwd), calls: toolUses(subObject(entry, "message").content, time) };
    }
  },
  native: claudeCall,
};

/** Lines of `session-state/<session>/events.jsonl`. */
const copilotTranscript: Transcript = {
  agent: "copilot",
  seenIn: "GitHub Copilot CLI 0.0.420 to 1.0.77",
  places: [{ variable: "COPILOT_HOME", folder: ".copilot", path: ["session-state", "**", "*.jsonl"] }],
  unreadable: null,
  isOwn: ({ type, data }) => /^(?:session|assistant|tool|user|hook)\./.test(stringOr(type)) && typeof data === "object",
  read: (entry) => readEvent(entry, subObject(entry, "data"), timeOf(entry.timestamp)),
  native: ({ session, cwd, tool, input, time }) => ({
    event: "preToolUse",
    payload: { sessionId: session, timestamp: time, cwd, toolName: tool, toolArgs: inputJson(input) },
  }),
};

/** The model requests a call in a message, and its start is a separate event with the same id. */
function readEvent({ type }: UncheckedObject, data: UncheckedObject, time: TranscriptCall["time"]): TranscriptEntry {
  const of = (call: UncheckedObject, tool: unknown) => ({
    id: stringOr(call.toolCallId),
    tool: stringOr(tool),
    input: parsedArguments(call.arguments),
    time,
  });
  switch (type) {
    case "session.start":
    case "session.resume":
    case "session.context_changed": {
      const { cwd } = { ...data, ...subObject(data, "context") };
      return said(data.sessionId, cwd);
    }
    case "assistant.message":
      return { calls: objectsIn(data.toolRequests).map((call) => of(call, call.name)) };
    case "tool.execution_start":
      return { calls: [of(data, data.toolName)] };
    default:
      return NOTHING;
  }
}

/** Lines of `sessions/*.jsonl` until version 1.9, and `goose session export --format json`. */
const gooseTranscript: Transcript = {
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
      event: "PreToolUse",
      session_id: session,
      working_dir: cwd,
      tool_name: tool,
      tool_input: inputJson(input),
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

/** The output of `opencode export`: the session, and its messages with their parts. */
const opencodeTranscript: Transcript = {
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

/** Lines of `sessions/<folder>/<time>_<session>.jsonl`. */
const piTranscript: Transcript = {
  agent: "pi",
  seenIn: "pi 0.73 to 1.5 (session version 3)",
  places: [{ variable: "PI_CODING_AGENT_DIR", folder: ".pi/agent", path: ["sessions", "**", "*.jsonl"] }],
  unreadable: null,
  isOwn: ({ type, cwd, id }) => type === "session" && typeof cwd === "string" && typeof id === "string",
  read: (entry) => {
    if (entry.type === "session") return said(entry.id, entry.cwd);
    const calls = objectsIn(subObject(entry, "message").content).filter(({ type }) => type === "toolCall");
    const time = timeOf(entry.timestamp);
    return {
      calls: calls.map(({ id, name, arguments: input }) => ({ id: stringOr(id), tool: stringOr(name), input, time })),
    };
  },
  native: moduleCall("tool_call"),
};

/** Every agent by its name. */
export const TRANSCRIPTS: Readonly<Record<AgentName, Transcript>> = {
  claude: claudeTranscript,
  codex: codexTranscript,
  gemini: geminiTranscript,
  copilot: copilotTranscript,
  cursor: cursorTranscript,
  qwen: qwenTranscript,
  droid: droidTranscript,
  goose: gooseTranscript,
  opencode: opencodeTranscript,
  pi: piTranscript,
};

/** The agent that wrote an entry of a file named by the user; null if unknown. */
export const transcriptOf = (entry: UncheckedObject): Transcript | null =>
  Object.values(TRANSCRIPTS).find(({ isOwn }) => isOwn(entry)) ?? null;

/** The payload that the bridge would have made of a call; null if the agent has no event for it. */
export function recordedPayload(
  { agent, native }: Pick<Transcript, "agent" | "native">,
  call: SessionCall,
): { readonly event: EventName; readonly payload: string } | null {
  const { event, payload } = native(call);
  const { events } = AGENTS[agent];
  const raised = Object.hasOwn(events, event) ? events[event]?.raises[0] : undefined;
  if (raised === undefined) return null;
  const { members } = canonicalFields(AGENTS[agent], event, raised, spanOfRaw(jsonText(payload)));
  return { event: raised.event, payload: objectOf(members).raw };
}
