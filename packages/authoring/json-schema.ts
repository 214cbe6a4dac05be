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
import type { Field, FieldKind, Fields } from "../../src/protocol/payload/field.ts";
import dialectKeys from "./dialect-keys.json" with { type: "json" };

/** JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const DRAFT = { $schema: "https://json-schema.org/draft/2020-12/schema" };

/** The schema of a key. `optional`: it may be absent or null. `change`: it has the type of what the event can change. */
type KeySchema = JsonSchema & { readonly optional?: boolean; readonly change?: string };
type Keys = Readonly<Record<string, KeySchema>>;

/** The fields that each dialect adds to the payload of every event, and the keys of its responses. */
export const DIALECT_KEYS: Readonly<Record<DialectName, { readonly payload: Keys; readonly reply: Keys }>> =
  dialectKeys;

/** `input`: the form in a file, before durations become numbers. */
export const jsonSchemaOf = (schema: z.ZodType): JsonSchema => z.toJSONSchema(schema, { io: "input" });

/** The schemas of an event's payload and response. */
export const eventJsonSchema = (named: NamedEvent): { readonly payload: JsonSchema; readonly reply: JsonSchema } => ({
  payload: payloadSchema(named),
  reply: replySchema(named),
});

/** The schema of the payload that a hook receives, in the dialect of the event's name; other fields are allowed. */
function payloadSchema({ event, dialect }: NamedEvent): JsonSchema {
  const names = [...allEventNames()].flatMap(([name, named]) => (named.event === event ? [name] : []));
  const name = {
    type: "string",
    enum: names,
    description: "The event's name, in any dialect.",
    examples: [event],
  };
  const keys: Keys = {
    ...keysOf(fieldsOf(event)),
    event: name,
    ...DIALECT_KEYS[dialect].payload,
    ...keysOf(renamed(event, dialect)),
  };
  const required = Object.entries(keys).flatMap(([key, { optional }]) => (optional ? [] : [key]));
  const title = { title: `Payload of ${event}`, description: EVENT_ROWS[event].summary };
  return { ...DRAFT, ...openObject(mapValues(keys, fieldSchema), required), ...title };
}

const openObject = (properties: JsonSchema, required: readonly string[]): JsonSchema => {
  return { type: "object", properties, required, additionalProperties: {} };
};

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

const KINDS: Readonly<Record<FieldKind, JsonSchema>> = {
  text: { type: "string" },
  number: { type: "number" },
  list: { type: "array", items: {} },
  object: { type: "object", propertyNames: { type: "string" }, additionalProperties: {} },
  json: {},
};

const TEXT_OR_NULL = { type: ["string", "null"] };
const SUBAGENT = openObject({ type: TEXT_OR_NULL, id: TEXT_OR_NULL }, ["type", "id"]);
const AGENT = { name: TEXT_OR_NULL, session: KINDS.text, subagent: { anyOf: [SUBAGENT, { type: "null" }] } };
const CALLING_AGENT = openObject(AGENT, ["name", "session", "subagent"]);

/** The schemas of a table of fields, with descriptions and samples. */
const keysOf = (fields: Fields): Keys =>
  mapValues(fields, ({ kind, isRequired, about, sample, values, holds }: Field): KeySchema => {
    const value = values === undefined ? KINDS[kind] : { type: "string", enum: values };
    const filled = holds === "calling agent" ? CALLING_AGENT : value;
    return { ...filled, description: about, examples: [sample], optional: !isRequired };
  });

function fieldSchema({ optional, description, examples, ...value }: KeySchema): JsonSchema {
  if (!optional) return { ...value, description, examples };
  const isPlain = Object.keys(value).join() === "type";
  const orNull = isPlain ? { type: [value.type, "null"] } : { anyOf: [value, { type: "null" }] };
  return { description, examples, ...orNull };
}

const EFFECTS: Readonly<Record<EventRow["onBlock"], string>> = {
  deny: "`true`: the action does not happen.",
  halt: "`true`: the agent must stop (the call already ran).",
  ignore: "`true` is a warning: nothing can be blocked here.",
};

/** The schema of a response: the keys of every dialect and of this one. A misspelt key is invalid. */
function replySchema({ event, dialect }: NamedEvent): JsonSchema {
  const { target, fields, phase, onBlock } = EVENT_ROWS[event];
  const changeKey = target === "message" ? "message" : phase === "pre" ? "input" : "output";
  const keys: Keys = { ...DIALECT_KEYS.kodelet.reply, ...DIALECT_KEYS[dialect].reply };
  const properties = Object.entries(keys).flatMap(([key, schema]) => {
    const { change } = schema;
    if (key === "blocked") return [[key, { ...schema, description: EFFECTS[onBlock] }] as const];
    if (change === undefined) return [[key, schema] as const];
    const applies = target !== null && ["any", phase, changeKey].includes(change);
    return applies ? [[key, changeSchema(target, fields)] as const] : [];
  });
  const orNull = properties.map(([key, schema]) => [key, { anyOf: [schema, { type: "null" }] }]);
  const reply = { type: "object", properties: Object.fromEntries(orNull), additionalProperties: false };
  const bare = dialect === "agenthook" ? [{ type: "string", const: "Continue" }] : [];
  return {
    ...DRAFT,
    anyOf: [reply, { type: "null" }, ...bare],
    title: `Reply to ${event}`,
    description: "No output, or null: no action. A null field: unchanged.",
  };
}

function changeSchema(target: string | readonly string[], fields: Fields): JsonSchema {
  const kindOf = (name: string): JsonSchema => KINDS[fields[name]?.kind ?? "json"];
  const description = `Replaces ${[target].flat().join(" and ")} as a whole.`;
  if (typeof target === "string") return { ...kindOf(target), description };
  const properties = Object.fromEntries(target.map((name) => [name, kindOf(name)]));
  return { type: "object", properties, additionalProperties: false, description };
}

const mapValues = <A, B>(record: Readonly<Record<string, A>>, map: (value: A) => B): Readonly<Record<string, B>> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
