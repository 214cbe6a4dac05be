import * as z from "zod";
import {
  allEventNames,
  type DialectName,
  type EventName,
  eventRow,
  fieldsOf,
  type NamedEvent,
} from "../../protocol/event.ts";
import type { Field, FieldKind, Fields } from "../../protocol/payload/field.ts";
import { DIALECT_FIELDS } from "./dialect-fields.ts";

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
