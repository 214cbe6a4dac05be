import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { configSchema } from "../../../src/config/schema/config-schema.ts";
import type { Host } from "../../../src/engine/host.ts";
import { allEventNames, EVENT_NAMES, findEvent } from "../../../src/protocol/event.ts";
import { printableJson } from "../../../src/protocol/json/write.ts";
import { ownValue } from "../../../src/protocol/own-value.ts";
import { fail } from "../../../src/protocol/result.ts";
import { nearest } from "../../../src/protocol/text/nearest.ts";
import { lockSchema } from "../../packs/lock-schema.ts";
import { caseSchema } from "../../testing/cases/case-schema.ts";
import { eventJsonSchema, type JsonSchema, jsonSchemaOf } from "../json-schema.ts";
import { OUTPUT_SCHEMAS } from "../output-schemas.ts";

/** The schemas of files in a project. */
export const FILE_SCHEMAS = {
  config: () => jsonSchemaOf(configSchema()),
  case: () => jsonSchemaOf(caseSchema()),
  lock: () => jsonSchemaOf(lockSchema()),
} as const satisfies Record<string, () => JsonSchema>;

/** The schemas of what commands print with `--json`, by the `schema` that is in it. */
export const outputSchemas = (): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    Object.entries(OUTPUT_SCHEMAS).map(([name, schema]) => [name, jsonSchemaOf(schema.meta({ title: name }))]),
  );

/** Prints the JSON Schema of an event's payload and response, of a file, or of what a command prints; without a subject the list of subjects. */
export async function schema({ args, options }: CommandLine<"schema">, host: Host): Promise<CommandResult> {
  const [subject] = args;
  const files = Object.keys(FILE_SCHEMAS);
  const outputs = Object.keys(OUTPUT_SCHEMAS);
  const all = [...files, ...allEventNames().keys(), ...outputs];
  if (subject === undefined) {
    if (options.json) return print(`${printableJson({ schema: "hookctl.schema/1", subjects: all })}\n`, host);
    // One subject a line, for people and pipes.
    return print([...files, ...EVENT_NAMES, ...outputs].map((name) => `${name}\n`).join(""), host);
  }
  const named = findEvent(subject);
  const ofOutput = ownValue(OUTPUT_SCHEMAS, subject) === undefined ? null : (outputSchemas()[subject] ?? null);
  const found = ownValue(FILE_SCHEMAS, subject)?.() ?? ofOutput ?? (named === null ? null : eventJsonSchema(named));
  if (found === null) return fail({ code: "USAGE_UNKNOWN_SUBJECT", name: subject, nearest: nearest(subject, all) });
  // hookctl's own text, so nothing needs to be escaped for a terminal.
  return print(`${JSON.stringify(found, null, 2)}\n`, host);
}
