import * as z from "zod";
import type { NamedEvent } from "../../protocol/event.ts";
import { payloadSchema } from "./payload-schema.ts";
import { replySchema } from "./response-schema.ts";

/** JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schemas of an event's payload and response. */
export const eventJsonSchema = (named: NamedEvent): { readonly payload: JsonSchema; readonly reply: JsonSchema } => ({
  payload: jsonSchemaOf(payloadSchema(named)),
  reply: jsonSchemaOf(replySchema(named)),
});

/** `input`: the form in a file, before durations become numbers. */
export const jsonSchemaOf = (schema: z.ZodType): JsonSchema => z.toJSONSchema(schema, { io: "input" });
