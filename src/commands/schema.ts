import { eventJsonSchema, FILE_SCHEMAS } from "../config/schema/json-schema.ts";
import { allNames, EVENT_NAMES, findEvent } from "../protocol/event.ts";
import { writeJson } from "../protocol/json/write.ts";
import { nearest } from "../protocol/nearest.ts";
import type { World } from "../world.ts";
import type { RawLine } from "./flag-table.ts";
import { readFlags } from "./flags.ts";
import { print, refuse } from "./start.ts";

/** JSON Schema of an event's payload and reply, or of a file; without a subject: what there is. */
export async function schema(line: RawLine, world: World): Promise<number> {
  const flags = readFlags(line);
  if (!flags.ok) return refuse(flags.error, world);
  const [subject] = line.words;
  if (subject === undefined) return print(flags.value.json ? subjectsJson() : subjectsText(), world);
  const found = schemaOf(subject);
  // Our own words and no user's: nothing in it could steer a terminal, and a person may read it.
  if (found !== null) return print(`${JSON.stringify(found, null, 2)}\n`, world);
  const near = nearest(subject, [...Object.keys(FILE_SCHEMAS), ...allNames().keys()]);
  return refuse({ code: "USAGE_UNKNOWN_SUBJECT", name: subject, nearest: near }, world);
}

function schemaOf(subject: string): object | null {
  if (subject === "config" || subject === "case") return FILE_SCHEMAS[subject]();
  const named = findEvent(subject);
  return named === null ? null : eventJsonSchema(named);
}

/** One a line, for a person and for a pipe. */
const subjectsText = (): string => [...Object.keys(FILE_SCHEMAS), ...EVENT_NAMES].map((name) => `${name}\n`).join("");

const subjectsJson = (): string =>
  `${writeJson({ schema: "hookctl.schema/1", subjects: [...Object.keys(FILE_SCHEMAS), ...allNames().keys()] })}\n`;
