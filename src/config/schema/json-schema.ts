import * as z from "zod";
import type { NamedEvent } from "../../protocol/event.ts";
import { caseSchema } from "./case-schema.ts";
import { configSchema } from "./config-schema.ts";
import { lockSchema } from "./lock-schema.ts";
import { payloadSchema } from "./payload-schema.ts";
import { replySchema } from "./response-schema.ts";

/** JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schemas of an event's payload and response. */
export const eventJsonSchema = (named: NamedEvent): { readonly payload: JsonSchema; readonly reply: JsonSchema } => ({
  payload: written(payloadSchema(named)),
  reply: written(replySchema(named)),
});

/** The schemas of the files that lie in a project. */
export const FILE_SCHEMAS = {
  config: () => written(configSchema()),
  case: () => written(caseSchema()),
  lock: () => written(lockSchema()),
} as const satisfies Record<string, () => JsonSchema>;

/** `input`: the form in a file, before durations become numbers. */
const written = (schema: z.ZodType): JsonSchema => z.toJSONSchema(schema, { io: "input" });
