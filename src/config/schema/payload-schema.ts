import * as z from "zod";
import {
  allEventNames,
  type DialectName,
  type EventName,
  eventRow,
  fieldsOf,
  type NamedEvent,
} from "../../protocol/event.ts";
import { type Field, type FieldKind, type Fields, json, number, object, text } from "../../protocol/payload/field.ts";

/** The schema of the payload that a hook receives, in the dialect of the event's name; other fields are allowed. */
export function payloadSchema({ event, dialect }: NamedEvent): z.ZodType {
  const names = [...allEventNames()].flatMap(([name, named]) => (named.event === event ? [name] : []));
  const fields = fieldSchemas(fieldsOf(event));
  const name = z.enum(names).meta({ description: "The event's name, in any dialect.", examples: [event] });
  return z
    .looseObject({
      ...fields,
      event: name,
      ...fieldSchemas({ ...DIALECT_FIELDS[dialect], ...renamed(event, dialect) }),
    })
    .meta({ title: `Payload of ${event}`, description: eventRow(event).summary });
}

/** The fields that the dialect renames, under their names there. */
function renamed(event: EventName, dialect: DialectName): Fields {
  const fields: Fields = fieldsOf(event);
  const names = Object.entries(eventRow(event).fieldNames?.[dialect] ?? {});
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

export const kindSchema = (kind: FieldKind): z.ZodType => KINDS[kind]();

/** The zod schemas of a table of fields, with descriptions and samples. */
function fieldSchemas(fields: Fields): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)]));
}

function fieldSchema({ kind, isRequired, about, sample, values }: Field): z.ZodType {
  const value = values === undefined ? kindSchema(kind) : z.enum(values);
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
    agent: text.optional("Who works: a recipe, the agent's program, `main` or `subagent`.", "backend-dev"),
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
