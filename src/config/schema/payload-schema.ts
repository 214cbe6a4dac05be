import * as z from "zod";
import {
  allEventNames,
  type DialectName,
  type EventName,
  eventRow,
  fieldsOf,
  type NamedEvent,
} from "../../protocol/event.ts";
import type { Fields } from "../../protocol/payload/field.ts";
import { DIALECT_FIELDS } from "./dialect-fields.ts";
import { fieldSchemas } from "./field-schema.ts";

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
