import { configSchema } from "../config/schema/config-schema.ts";
import { type JsonSchema, jsonSchemaOf } from "../config/schema/json-schema.ts";
import { lockSchema } from "../config/schema/lock-schema.ts";
import { caseSchema } from "../test-runner/cases/case-schema.ts";

/** The schemas of the files that lie in a project. */
export const FILE_SCHEMAS = {
  config: () => jsonSchemaOf(configSchema()),
  case: () => jsonSchemaOf(caseSchema()),
  lock: () => jsonSchemaOf(lockSchema()),
} as const satisfies Record<string, () => JsonSchema>;
