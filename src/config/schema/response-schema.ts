import * as z from "zod";
import { type DialectName, type EventRow, eventRow, type NamedEvent } from "../../protocol/event.ts";
import { kindSchema } from "./payload-schema.ts";

type Shape = Record<string, z.ZodType>;

const texts = z.union([z.string(), z.array(z.string())]);
const anyObject = z.record(z.string(), z.unknown());

/** The schema of a response: the keys of every dialect and those of this one. A misspelt key is not valid. */
export function replySchema({ event, dialect }: NamedEvent): z.ZodType {
  const row = eventRow(event);
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
