import * as z from "zod";
import {
  allEventNames,
  type DialectName,
  EVENT_ROWS,
  type EventName,
  type EventRow,
  fieldsOf,
  type NamedEvent,
} from "../../src/protocol/event.ts";
import {
  type Field,
  type FieldKind,
  type Fields,
  json,
  number,
  object,
  text,
} from "../../src/protocol/payload/field.ts";

/** JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schemas of an event's payload and response. */
export const eventJsonSchema = (named: NamedEvent): { readonly payload: JsonSchema; readonly reply: JsonSchema } => ({
  payload: jsonSchemaOf(payloadSchema(named)),
  reply: jsonSchemaOf(replySchema(named)),
});

/** `input`: the form in a file, before durations become numbers. */
export const jsonSchemaOf = (schema: z.ZodType): JsonSchema => z.toJSONSchema(schema, { io: "input" });

/** The schema of the payload that a hook receives, in the dialect of the event's name; other fields are allowed. */
function payloadSchema({ event, dialect }: NamedEvent): z.ZodType {
  const names = [...allEventNames()].flatMap(([name, named]) => (named.event === event ? [name] : []));
  const fields = fieldSchemas(fieldsOf(event));
  const name = z.enum(names).meta({ description: "The event's name, in any dialect.", examples: [event] });
  return z
    .looseObject({
      ...fields,
      event: name,
      ...fieldSchemas({ ...DIALECT_FIELDS[dialect], ...renamed(event, dialect) }),
    })
    .meta({ title: `Payload of ${event}`, description: EVENT_ROWS[event].summary });
}

/** The fields that the dialect renames, under the dialect's names. */
function renamed(event: EventName, dialect: DialectName): Fields {
  const fields: Fields = fieldsOf(event);
  const names = Object.entries(EVENT_ROWS[event].fieldNames?.[dialect] ?? {});
  return Object.fromEntries(
    names.flatMap(([theirs, ours]) => {
      const field = fields[ours];
      return field === undefined ? [] : [[theirs, { ...field, about: `The same as \`${ours}\`.` }]];
    }),
  );
}

const KINDS: Readonly<Record<FieldKind, () => z.ZodType>> = {
  text: () => z.string(),
  number: () => z.number(),
  list: () => z.array(z.unknown()),
  object: () => z.record(z.string(), z.unknown()),
  json: () => z.unknown(),
};

const kindSchema = (kind: FieldKind): z.ZodType => KINDS[kind]();

/** The zod schemas of a table of fields, with descriptions and samples. */
function fieldSchemas(fields: Fields): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)]));
}

const textOrNull = z.string().nullable();
const callingAgent = z.looseObject({
  name: textOrNull,
  session: z.string(),
  subagent: z.looseObject({ type: textOrNull, id: textOrNull }).nullable(),
});

function fieldSchema({ kind, isRequired, about, sample, values, holds }: Field): z.ZodType {
  const filledKind = holds === "calling agent" ? callingAgent : kindSchema(kind);
  const value = values === undefined ? filledKind : z.enum(values);
  // Null means an absent field.
  const filled = isRequired ? value : value.nullable().optional();
  return filled.meta({ description: about, examples: [sample] });
}

/** The fields that a dialect adds to the payload of every event. */
export const DIALECT_FIELDS = {
  kodelet: {},
  basecoat: {
    hook: text.required("The event's name in this dialect.", "PreToolUse"),
    timestamp: text.required("When the hook was asked.", "2026-01-31T09:30:00.000Z"),
    sessionId: text.required("The same as `conv_id`.", "sample-session"),
    agent: text.required("Who works: the agent's name, a recipe, `main` or `subagent`.", "backend-dev"),
    repository: text.optional("`owner/name`, read from the git files.", "acme/shop"),
    branch: text.optional("The branch; not there on a detached HEAD.", "feat/145-hooks"),
    budget: object.optional("Tokens used and the limit.", { usedTokens: 131_072, effectiveLimit: 160_000 }),
    tool: object.optional("The tool and how its call went.", { name: "bash", success: true, durationMs: 41 }),
  },
  reyn: { point: text.required("The event's name.", "turn_end") },
  agenthook: {
    ctx: object.required("Position of the agent; an unknown number is 0.", {
      session_id: "sample-session",
      turn_number: 3,
      step_number: 1,
      core_type: "react",
      state: { total_cost: 0.02 },
    }),
  },
  claude: {
    hook_event_name: text.required("The event's name in this dialect.", "PreToolUse"),
    session_id: text.required("The same as `conv_id`.", "sample-session"),
    transcript_path: text.required("Path of the transcript; empty if unknown.", ""),
    permission_mode: text.required("As the agent sent it.", "default"),
    tool_use_id: text.optional("The same as `tool_user_id`.", "call_1"),
    tool_response: json.optional("What the tool gave back.", { stdout: "total 0", stderr: "" }),
    prompt: text.optional("The same as `message`.", "Please run the tests"),
    stop_hook_active: json.optional("True if the agent continues because of a hook.", false),
    last_assistant_message: text.optional("The agent's last message.", "Done."),
    custom_instructions: text.optional("What the user wants kept.", ""),
    agent_id: text.optional("Of a subagent.", "a1"),
    agent_type: text.optional("Of a subagent.", "explorer"),
  },
  copilot: {
    hookEventName: text.required("The event's name in this dialect; Copilot itself does not tell it.", "preToolUse"),
    sessionId: text.required("The same as `conv_id`.", "sample-session"),
    timestamp: number.required("When the hook was asked, in milliseconds since 1970.", 1_769_851_800_000),
    prompt: text.optional("The same as `message`.", "Please run the tests"),
    toolName: text.optional("The same as `tool_name`.", "bash"),
    toolArgs: json.optional("The same as `tool_input`.", { command: "ls -la" }),
    toolResult: object.optional("What the tool gave back, as a text.", {
      resultType: "success",
      textResultForLlm: "total 0",
    }),
    error: json.optional("What went wrong.", { message: "exit 1", name: "Error" }),
    customInstructions: text.optional("What the user wants kept.", ""),
    stopReason: text.optional("Why the agent would stop.", "end_turn"),
    transcriptPath: text.optional("Path of the transcript.", ""),
  },
} as const satisfies Readonly<Record<DialectName, Fields>>;

type Shape = Record<string, z.ZodType>;

const texts = z.union([z.string(), z.array(z.string())]);
const anyObject = z.record(z.string(), z.unknown());

/** The schema of a response: the keys of every dialect and of this one. A misspelt key is invalid. */
function replySchema({ event, dialect }: NamedEvent): z.ZodType {
  const row = EVENT_ROWS[event];
  const shape = { ...ownKeys(row), ...DIALECT_KEYS[dialect](row) };
  const entries = Object.entries(shape).map(([key, value]) => [key, value.nullable().optional()]);
  const bare = dialect === "agenthook" ? [z.literal("Continue")] : [];
  return z.union([z.strictObject(Object.fromEntries(entries)), z.null(), ...bare]).meta({
    title: `Reply to ${event}`,
    description: "No output, or null: no action. A null field: unchanged.",
  });
}

function ownKeys(row: EventRow): Shape {
  const changeKey = row.target === "message" ? "message" : row.phase === "pre" ? "input" : "output";
  return {
    blocked: z.boolean().describe(EFFECTS[row.onBlock]),
    reason: z.string().describe("Why; shown to the user and the model."),
    ...changeAt(changeKey, row),
    follow_up_messages: texts.describe("Follow-up messages: the agent continues with them."),
    additional_context: texts.describe("For the model."),
    additional_context_mode: z
      .enum(["append", "overwrite"])
      .describe("`overwrite` replaces the context of earlier hooks."),
    pushes: z.array(z.looseObject({ message: z.string() })).describe("Handed on to the caller."),
    state: anyObject.describe("A patch of the session's values."),
    system_message: z.string().describe("For the user."),
    warnings: texts.describe("For the user, with the hook's name."),
    metadata: anyObject.describe("Stored in the audit log."),
    decision: z
      .enum(["allow", "approve", "ask", "deny", "block"])
      .describe("The decision as a word; the strictest counts."),
  };
}

const EFFECTS: Readonly<Record<EventRow["onBlock"], string>> = {
  deny: "`true`: it does not happen.",
  halt: "`true`: the agent is told to stop (the call already ran).",
  ignore: "`true` is a warning: nothing can be blocked here.",
};

const DIALECT_KEYS: Readonly<Record<DialectName, (row: EventRow) => Shape>> = {
  kodelet: () => ({}),
  basecoat: (row) => ({
    action: z.enum(["passThrough", "injectContext", "modify", "block"]),
    ...changeAt(row.phase === "pre" ? "modifiedInput" : "modifiedOutput", row),
    additionalContext: texts.describe("For the model."),
    priority: z.number().describe("Read, and too late to order anything."),
  }),
  reyn: () => ({
    push_when: z.boolean().describe("`false`: nothing is pushed."),
    wake: z.boolean().describe("`true`: the message opens a turn of its own."),
    message: z.string().describe("What is pushed."),
    session: z.string().describe("Another session than this one."),
  }),
  agenthook: (row) => ({
    ...changeAt("Transform", row),
    ...changeAt("Replace", row),
    Reject: z.string().describe("Blocks; this is why."),
    Continue: z.unknown().describe("`false` blocks."),
    action: z.enum(["continue", "transform", "replace", "reject"]),
    value: z.unknown().describe("What `transform` and `replace` put in place."),
  }),
  claude: () => ({
    continue: z.boolean().describe("`false` stops the agent."),
    stopReason: z.string().describe("Why it stops."),
    systemMessage: z.string().describe("For the user."),
    suppressOutput: z.boolean().describe("Without effect."),
    permissionDecision: z.enum(["allow", "ask", "deny", "defer"]),
    permissionDecisionReason: z.string().describe("Why."),
    hookSpecificOutput: anyObject.describe(
      "The same, and `updatedInput`, `additionalContext`, under the event's name.",
    ),
  }),
  copilot: (row) => ({
    ...changeAt("modifiedArgs", row),
    modifiedResult: anyObject.describe("`textResultForLlm` takes the place of the tool's result."),
    behavior: z.enum(["allow", "ask", "deny", "defer"]),
  }),
};

/** The key of a change with the type of its target; none if the event has no target. */
function changeAt(key: string, { target, fields }: EventRow): Shape {
  if (target === null) return {};
  const kindOf = (name: string) => kindSchema(fields[name]?.kind ?? "json");
  const words = `In place of ${[target].flat().join(" and ")}, as a whole.`;
  if (typeof target === "string") return { [key]: kindOf(target).describe(words) };
  const members = target.map((name) => [name, kindOf(name).optional()]);
  return { [key]: z.strictObject(Object.fromEntries(members)).describe(words) };
}
