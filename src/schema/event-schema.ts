import * as z from "zod";
import { type EventName, eventRow, fieldsOf } from "../contract/event.ts";
import type { Field, FieldKind } from "../contract/field.ts";

const KINDS: Readonly<Record<FieldKind, () => z.ZodType>> = {
  text: () => z.string(),
  number: () => z.number(),
  list: () => z.array(z.unknown()),
  object: () => z.record(z.string(), z.unknown()),
  json: () => z.unknown(),
};

/** The payload of one event, from its field table. Fields that hookctl does not know pass through. */
export function payloadSchema(event: EventName): z.ZodType {
  const shape = Object.entries(fieldsOf(event)).map(([name, field]) => [name, fieldSchema(name, field, event)]);
  return z.looseObject(Object.fromEntries(shape)).describe(eventRow(event).summary);
}

function fieldSchema(name: string, { kind, isRequired, about }: Field, event: EventName): z.ZodType {
  const schema = (name === "event" ? z.literal(event) : KINDS[kind]()).describe(about);
  return isRequired ? schema : schema.optional();
}

/** One key of a reply as the dialects' tables say it: its name, and in words what it must be. */
export interface ReplyKeyWords {
  readonly key: string;
  readonly wanted: string;
}

const WANTED: Readonly<Record<string, () => z.ZodType>> = {
  "a string": () => z.string(),
  "a number": () => z.number(),
  "true or false": () => z.boolean(),
  "an object": () => z.record(z.string(), z.unknown()),
  "a list of strings": () => z.array(z.string()),
  "a list of push objects": () => z.array(z.looseObject({ message: z.string() })),
};

/** What a hook may print. `null` is the same as leaving a key out, and an unknown key is only a warning. */
export function replySchema(keys: readonly ReplyKeyWords[]): z.ZodType {
  const shape = keys.map(({ key, wanted }) => [key, wantedSchema(wanted).nullish().describe(wanted)]);
  return z.looseObject(Object.fromEntries(shape)).nullable();
}

function wantedSchema(wanted: string): z.ZodType {
  const words = /^one of (.+)$/.exec(wanted)?.[1]?.split(", ");
  return words === undefined ? (WANTED[wanted]?.() ?? z.unknown()) : z.enum(words);
}

/** Draft 2020-12, of what may be written: a duration is its text, not the milliseconds it becomes. */
export const jsonSchema = (schema: z.ZodType): unknown => z.toJSONSchema(schema, { io: "input" });
