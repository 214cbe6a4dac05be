import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { configSchema, lockSchema } from "../../../src/config/schema/config-schema.ts";
import type { Host } from "../../../src/engine/host.ts";
import { allEventNames, EVENT_NAMES, findEvent } from "../../../src/protocol/event.ts";
import { printableJson } from "../../../src/protocol/json/write.ts";
import { fail } from "../../../src/protocol/result.ts";
import { nearest } from "../../../src/protocol/text/nearest.ts";
import { caseSchema } from "../../testing/cases/case-schema.ts";
import { eventJsonSchema, type JsonSchema, jsonSchemaOf } from "../json-schema.ts";

/** The schemas of files in a project. */
export const FILE_SCHEMAS = {
  config: () => jsonSchemaOf(configSchema()),
  case: () => jsonSchemaOf(caseSchema()),
  lock: () => jsonSchemaOf(lockSchema()),
} as const satisfies Record<string, () => JsonSchema>;

/** Prints the JSON Schema of an event's payload and response, or of a file; without a subject the list of subjects. */
export async function schema(line: CommandLine<"schema">, host: Host): Promise<CommandResult> {
  const { options } = line;
  const [subject] = line.args;
  if (subject === undefined) return print(options.json ? subjectsJson() : subjectsText(), host);
  const found = schemaOf(subject);
  // hookctl's own text, so nothing needs to be escaped for a terminal.
  if (found !== null) return print(`${JSON.stringify(found, null, 2)}\n`, host);
  const near = nearest(subject, [...Object.keys(FILE_SCHEMAS), ...allEventNames().keys()]);
  return fail({ code: "USAGE_UNKNOWN_SUBJECT", name: subject, nearest: near });
}

function schemaOf(subject: string): object | null {
  const file = FILE_SUBJECTS.find((name) => name === subject);
  if (file !== undefined) return FILE_SCHEMAS[file]();
  const named = findEvent(subject);
  return named === null ? null : eventJsonSchema(named);
}

const FILE_SUBJECTS = Object.keys(FILE_SCHEMAS) as (keyof typeof FILE_SCHEMAS)[];

/** One subject a line, for people and pipes. */
const subjectsText = (): string => [...Object.keys(FILE_SCHEMAS), ...EVENT_NAMES].map((name) => `${name}\n`).join("");

const subjectsJson = (): string =>
  `${printableJson({ schema: "hookctl.schema/1", subjects: [...Object.keys(FILE_SCHEMAS), ...allEventNames().keys()] })}\n`;
