import { type Field, type Fields, type FieldsOf, json, list, number, object, text } from "./payload/field.ts";
import { nearest } from "./text/nearest.ts";

export type Phase = "pre" | "post";
/** What a block does: prevent the action, stop the agent after it, or only warn. */
export type BlockEffect = "deny" | "halt" | "ignore";
/** The supported dialects. A hook selects one with the event name that it prints; Reyn uses kodelet's names. */
export const DIALECT_NAMES = ["kodelet", "basecoat", "reyn", "agenthook", "claude", "copilot"] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];

/** Everything that the program knows about an event. */
export interface EventRow {
  readonly summary: string;
  readonly phase: Phase;
  readonly onBlock: BlockEffect;
  /**
   * The payload field that a change replaces; several fields are replaced together as one object. Null if nothing can
   * change.
   */
  readonly target: string | readonly string[] | null;
  /** A hook's `follow_up_messages` make the agent continue. */
  readonly mayFollowUp?: true;
  /** How to recognize an event caused by a person, which resets the turn limit. */
  readonly causedByPerson?: PersonCause;
  /** The event's names in other dialects. */
  readonly aliases: Partial<Readonly<Record<DialectName, readonly string[]>>>;
  readonly fields: Fields;
  /** Required fields that Reyn's own payload does not have. */
  readonly notInReyn?: readonly string[];
  /** Field names of other dialects, mapped to hookctl's. */
  readonly fieldNames?: Partial<Readonly<Record<DialectName, Readonly<Record<string, string>>>>>;
}

/** The fields that hold the person's message, and the field that names the sender if the message may be missing. */
export interface PersonCause {
  readonly messages: readonly string[];
  readonly sender?: { readonly field: string; readonly value: string };
}

export const BASE_FIELDS = {
  event: text.required("The event's name.", "before_tool_call"),
  conv_id: text.withFallback(
    "",
    "The conversation or session. Empty: no state, inbox or turn limit.",
    "sample-session",
  ),
  cwd: text.required("The folder the agent works in; hooks run there.", "."),
  invoked_by: text.oneOf(["main", "subagent"], "`main` or `subagent`."),
  recipe_name: text.optional("The recipe that started the conversation.", "review"),
  agent: {
    ...object.required("The caller: `name` (null if unknown), `session`, `subagent` (`type` and `id`, or null).", {
      name: "claude",
      session: "sample-session",
      subagent: null,
    }),
    holds: "calling agent",
  },
} as const satisfies Fields;

/** The name of the target, and what a block does. */
const denies = <const T extends EventRow["target"]>(target: T) => ({ phase: "pre", onBlock: "deny", target }) as const;
const halts = <const T extends EventRow["target"]>(target: T) => ({ phase: "post", onBlock: "halt", target }) as const;
const warns = <const T extends EventRow["target"]>(target: T) =>
  ({ phase: "post", onBlock: "ignore", target }) as const;

/** The dialect of another name follows from its spelling: `SessionStart`, `on_session_start`, `claude:SessionStart`. */
type SpelledAs<Name extends string> = Name extends `${infer Prefix extends "claude" | "copilot"}:${string}`
  ? Prefix
  : Name extends Capitalize<Name>
    ? "basecoat"
    : "agenthook";
type NamesIn<Name, Dialect> = Name extends string ? (SpelledAs<Name> extends Dialect ? Name : never) : never;

function alsoCalled<const Name extends string>(...names: readonly Name[]) {
  const spelledAs = (name: string): DialectName =>
    (/^(claude|copilot):/.exec(name)?.[1] as DialectName | undefined) ??
    (/^[A-Z]/.test(name) ? "basecoat" : "agenthook");
  const aliases: Partial<Record<DialectName, string[]>> = {};
  for (const name of names) aliases[spelledAs(name)] = [...(aliases[spelledAs(name)] ?? []), name];
  return aliases as { readonly [Dialect in SpelledAs<Name>]: readonly NamesIn<Name, Dialect>[] };
}

const toolName = "Portable name of the tool: bash, file_edit, mcp__SERVER_TOOL, or the agent's own name.";
const toolFacts = {
  tool_kind: text.optional("`shell`, `read`, `write`, `edit`, `search`, `web`, `mcp`, `agent` or `other`.", "shell"),
  tool_names: list.optional("Every name of the tool: the one above, the agent's own, Claude Code's.", ["bash", "Bash"]),
} as const satisfies Fields;
const toolInput = { command: "ls -la" };
const messages = [{ role: "user", content: "Please run the tests" }];
const turnInput = json.optional("The input of the turn.", { message: "Please run the tests" });
const budget = object.optional("Tokens used and the limit.", { used_tokens: 131_072, effective_limit: 160_000 });
const named = {
  name: text.optional("The name of the skill, task or subagent.", "code-review"),
  id: text.optional("Its id, the same at both ends.", "c3a1"),
} as const satisfies Fields;
const ended = { ...named, status: text.optional("How it ended.", "completed") } as const satisfies Fields;
const toolCall = {
  tool_name: text.required(toolName, "bash"),
  tool_input: { ...json.required("The arguments of the call.", toolInput), holds: "tool input" },
  tool_user_id: text.withFallback("", "The id of this call; empty if the agent has none.", "call_1"),
  ...toolFacts,
  grant: json.optional("What the agent's own policy granted.", { mode: "ask" }),
} as const satisfies Fields;

export const EVENTS = {
  session_start: {
    summary: "A session begins.",
    ...denies(null),
    aliases: alsoCalled("SessionStart", "on_session_start", "claude:SessionStart", "copilot:sessionStart"),
    fields: { source: text.optional("Why it starts: startup, resume, clear.", "startup") },
  },
  session_end: {
    summary: "A session ends.",
    ...warns(null),
    aliases: alsoCalled("SessionEnd", "on_session_end", "claude:SessionEnd", "copilot:sessionEnd"),
    fields: { reason: text.optional("Why it ends.", "exit") },
  },
  user_message_send: {
    summary: "The user sends a message.",
    ...denies("message"),
    causedByPerson: { messages: ["message"] },
    aliases: alsoCalled(
      "UserPromptSubmit",
      "UserPromptSubmitted",
      "claude:UserPromptSubmit",
      "copilot:userPromptSubmitted",
    ),
    fields: { message: text.required("What the user typed.", "Please run the tests") },
  },
  turn_start: {
    summary: "A turn begins, before the model sees its input.",
    ...denies("input"),
    // Reyn sends no message at the start of a turn, only its trigger: a person, a hook or a task.
    causedByPerson: { messages: ["input", "user_text"], sender: { field: "kind", value: "user" } },
    aliases: alsoCalled("pre_turn"),
    fields: {
      input: turnInput,
      kind: text.optional("What opened the turn. `user` (a person) resets the turn limit.", "user"),
    },
  },
  turn_end: {
    summary: "A turn has ended with a response.",
    ...halts("response"),
    aliases: alsoCalled("post_turn"),
    fields: {
      response: json.required("The response of the turn.", "All 12 tests pass."),
      input: turnInput,
      turn_number: number.optional("Counts from 1.", 3),
    },
    fieldNames: { agenthook: { output: "response" } },
    notInReyn: ["response"],
  },
  turn_error: {
    summary: "A turn has failed.",
    ...halts("output"),
    aliases: alsoCalled("on_turn_error"),
    fields: {
      error: json.optional("What went wrong.", "rate limited"),
      input: turnInput,
      output: json.optional("The output to use for the turn instead.", null),
    },
  },
  before_llm_call: {
    summary: "The model is about to be called.",
    ...denies(["messages", "tools"]),
    aliases: alsoCalled("pre_llm_call"),
    fields: {
      messages: list.optional("The conversation that is sent.", messages),
      tools: list.optional("The tools that are offered.", [{ name: "bash" }]),
    },
  },
  after_llm_call: {
    summary: "The model has responded.",
    ...halts("response"),
    aliases: alsoCalled("post_llm_call"),
    fields: {
      response: {
        ...json.optional("The model's response.", {
          text: "I will run the tests.",
          usage: { input_tokens: 1200, output_tokens: 80 },
        }),
        holds: "model response",
      },
      usage: {
        ...object.optional("Tokens spent.", { input_tokens: 1200, output_tokens: 80 }),
        holds: "token usage",
      },
    },
  },
  llm_error: {
    summary: "A call of the model has failed.",
    ...halts("retry"),
    aliases: alsoCalled("on_llm_error"),
    fields: {
      error: json.optional("What went wrong.", "overloaded"),
      attempt: number.optional("Counts from 1.", 1),
      retry: json.optional("What the agent would do next; any JSON that it understands.", {
        retry: true,
        after_ms: 500,
        provider: "backup",
      }),
    },
  },
  before_tool_call: {
    summary: "A tool is about to be called.",
    ...denies("tool_input"),
    aliases: alsoCalled("PreToolUse", "pre_tool_call", "claude:PreToolUse", "copilot:preToolUse"),
    fields: toolCall,
    fieldNames: { agenthook: { args: "tool_input" } },
  },
  after_tool_call: {
    summary: "A tool has been called, with or without success.",
    ...halts("tool_output"),
    aliases: alsoCalled("PostToolUse", "post_tool_call", "claude:PostToolUse", "copilot:postToolUse"),
    fields: {
      ...toolCall,
      tool_output: json.required("The result of the tool.", { success: true, result: "total 0" }),
      requested_input: {
        ...json.optional("The arguments that the model asked for, if a hook changed them.", { command: "ls" }),
        holds: "tool input",
      },
      elapsed_ms: number.optional("How long the call took.", 41),
    },
    fieldNames: { agenthook: { args: "tool_input", result: "tool_output" } },
  },
  on_error: {
    summary: "A tool call or an action of a hook has failed.",
    ...halts("error"),
    aliases: alsoCalled(
      "OnError",
      "PostToolUseFailure",
      "claude:PostToolUseFailure",
      "claude:StopFailure",
      "copilot:errorOccurred",
      "copilot:postToolUseFailure",
    ),
    fields: {
      error: json.optional("What went wrong.", "exit status 1"),
      tool_name: text.optional(toolName, "bash"),
      ...toolFacts,
    },
  },
  before_compaction: {
    summary: "The context is about to be compacted.",
    ...denies("hint"),
    aliases: alsoCalled("PreCompact", "pre_compaction", "claude:PreCompact", "copilot:preCompact"),
    fields: {
      trigger: text.optional("`auto` or `manual`.", "auto"),
      messages: list.optional("The conversation before the compaction.", messages),
      budget,
      hint: json.optional("How to compact; any JSON that the agent understands.", {
        keep: ["open todos"],
        drop: ["tool results"],
      }),
    },
  },
  after_compaction: {
    summary: "The context was compacted.",
    ...warns(null),
    aliases: alsoCalled("PostCompact", "post_compaction", "claude:PostCompact"),
    fields: {
      removed_count: number.optional("The number of removed messages.", 42),
      summary: text.optional("The summary that replaces them.", "We fixed the login tests."),
    },
  },
  budget_exceeded: {
    summary: "A token budget has crossed its threshold.",
    ...denies(null),
    aliases: alsoCalled("OnBudgetExceeded"),
    fields: { budget },
  },
  agent_stop: {
    summary: "The agent is about to stop. A hook can make it continue with `follow_up_messages`.",
    ...warns(null),
    mayFollowUp: true,
    aliases: alsoCalled("Stop", "claude:Stop", "copilot:agentStop"),
    fields: { messages: list.required("The conversation so far.", messages) },
  },
  permission_request: {
    summary: "The agent asks for permission to call a tool.",
    ...denies("tool_input"),
    aliases: alsoCalled("PermissionRequest", "claude:PermissionRequest", "copilot:permissionRequest"),
    fields: {
      tool_name: text.optional(toolName, "bash"),
      ...toolFacts,
      tool_input: { ...json.optional("The arguments of the call.", toolInput), holds: "tool input" },
    },
    fieldNames: { agenthook: { args: "tool_input" } },
  },
  notification: {
    summary: "The agent shows the user a message.",
    ...warns(null),
    aliases: alsoCalled("Notification", "claude:Notification", "copilot:notification"),
    fields: {
      message: text.optional("The message.", "Waiting for your input"),
      kind: text.optional("The kind of message.", "idle"),
    },
  },
  skill_start: {
    summary: "A skill begins.",
    ...denies(null),
    aliases: {},
    fields: named,
    fieldNames: { reyn: { run_id: "id", skill_name: "name" } },
  },
  skill_end: {
    summary: "A skill has ended.",
    ...warns(null),
    aliases: {},
    fields: ended,
    fieldNames: { reyn: { run_id: "id", skill_name: "name" } },
  },
  task_start: {
    summary: "A task begins.",
    ...denies(null),
    aliases: {},
    fields: named,
    fieldNames: { reyn: { task_id: "id" } },
  },
  task_end: {
    summary: "A task has ended.",
    ...warns(null),
    aliases: {},
    fields: ended,
    fieldNames: { reyn: { task_id: "id" } },
  },
  subagent_start: {
    summary: "A subagent begins.",
    ...denies(null),
    aliases: alsoCalled("SubagentStart", "claude:SubagentStart", "copilot:subagentStart"),
    fields: named,
  },
  subagent_stop: {
    summary: "A subagent has ended.",
    ...warns(null),
    aliases: alsoCalled("SubagentStop", "claude:SubagentStop", "copilot:subagentStop"),
    fields: ended,
  },
} as const satisfies Record<string, EventRow>;

export type EventName = keyof typeof EVENTS;
/** The type of an event's payload, base fields included. Unknown fields are passed on as well. */
export type PayloadOf<E extends EventName> = FieldsOf<typeof BASE_FIELDS> & FieldsOf<(typeof EVENTS)[E]["fields"]>;

export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[];
/** The same table with one type for all rows, for reading by a name that is not known here. @alias EVENTS */
export const EVENT_ROWS: Readonly<Record<EventName, EventRow>> = EVENTS;

export interface NamedEvent {
  readonly event: EventName;
  readonly dialect: DialectName;
}

/** Finds an event by its exact name in any dialect: `PreToolUse` is Base Coat's `before_tool_call`. */
export function findEvent(name: string): NamedEvent | null {
  // hookctl's own names first, because most callers use them and the map of all names is not needed then.
  if (Object.hasOwn(EVENTS, name)) return { event: name as EventName, dialect: "kodelet" };
  return allEventNames().get(name) ?? null;
}

/** hookctl's name for a dialect's field: `args` is `tool_input`. */
export const canonicalField = ({ event, dialect }: NamedEvent, name: string): string => {
  const names = EVENT_ROWS[event].fieldNames?.[dialect] ?? {};
  return Object.hasOwn(names, name) ? (names[name] ?? name) : name;
};

export const nearestEvent = (name: string): string | null => nearest(name, allEventNames().keys());

let allNames: ReadonlyMap<string, NamedEvent> | null = null;

/** Every event name of every dialect. */
export function allEventNames(): ReadonlyMap<string, NamedEvent> {
  allNames ??= new Map(EVENT_NAMES.flatMap(eventNames));
  return allNames;
}

/** Every known field of an event's payload, base fields first. */
export function fieldsOf(event: EventName): Readonly<Record<string, Field>> {
  const fields = fieldsByEvent.get(event) ?? { ...BASE_FIELDS, ...EVENTS[event].fields };
  fieldsByEvent.set(event, fields);
  return fields;
}

const fieldsByEvent = new Map<EventName, Readonly<Record<string, Field>>>();

function eventNames(event: EventName): [string, NamedEvent][] {
  const aliases = Object.entries(EVENT_ROWS[event].aliases) as [DialectName, readonly string[]][];
  return [
    [event, { event, dialect: "kodelet" }],
    ...aliases.flatMap(([dialect, names]) => names.map((name): [string, NamedEvent] => [name, { event, dialect }])),
  ];
}
