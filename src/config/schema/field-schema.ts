import * as z from "zod";
import type { Field, FieldKind, Fields } from "../../protocol/payload/field.ts";

const KINDS: Readonly<Record<FieldKind, () => z.ZodType>> = {
  text: () => z.string(),
  number: () => z.number(),
  list: () => z.array(z.unknown()),
  object: () => z.record(z.string(), z.unknown()),
  json: () => z.unknown(),
};

export const kindSchema = (kind: FieldKind): z.ZodType => KINDS[kind]();

/** The zod schemas of a table of fields, with descriptions and samples. */
export function fieldSchemas(fields: Fields): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)]));
}

function fieldSchema({ kind, isRequired, about, sample, values }: Field): z.ZodType {
  const value = values === undefined ? kindSchema(kind) : z.enum(values);
  // Null means an absent field.
  const filled = isRequired ? value : value.nullable().optional();
  return filled.meta({ description: about, examples: [sample] });
}
