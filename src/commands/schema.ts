import { EVENT_NAMES, findEvent, nearestEvent } from "../contract/event.ts";
import { nearest } from "../contract/nearest.ts";
import { DIALECTS } from "../dialects/dialects.ts";
import { configSchema } from "../schema/config-schema.ts";
import { jsonSchema, payloadSchema, replySchema } from "../schema/event-schema.ts";
import type { World } from "../world.ts";
import type { RawLine } from "./flag-table.ts";
import { print, refuse } from "./start.ts";

const SUBJECTS: Readonly<Record<string, () => unknown>> = { config: () => jsonSchema(configSchema()) };

/** `hookctl schema [event|config]`: JSON Schema of what stands in the same tables that check it at work. */
export async function schema(line: RawLine, world: World): Promise<number> {
  const [subject] = line.words;
  if (subject === undefined) return print(`${[...Object.keys(SUBJECTS), ...EVENT_NAMES].join("\n")}\n`, world);
  const named = findEvent(subject);
  const found = named === null ? ownSubject(subject) : eventSchemas(named);
  if (found !== null) return print(`${JSON.stringify(found, null, 2)}\n`, world);
  const near = nearestEvent(subject) ?? nearest(subject, Object.keys(SUBJECTS));
  return refuse({ code: "USAGE_UNKNOWN_EVENT", name: subject, nearest: near }, world);
}

const ownSubject = (name: string): unknown => (Object.hasOwn(SUBJECTS, name) ? SUBJECTS[name]?.() : null);

/** A reply may use the keys of its own dialect and those that every hook may use. */
function eventSchemas({ event, dialect }: NonNullable<ReturnType<typeof findEvent>>): unknown {
  const keys = [...DIALECTS[dialect].replyKeys, ...DIALECTS.kodelet.replyKeys];
  return { payload: jsonSchema(payloadSchema(event)), reply: jsonSchema(replySchema(keys)) };
}
