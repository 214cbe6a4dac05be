import { type EventName, fieldsOf } from "./event.ts";
import type { JsonOut } from "./json-text.ts";

export interface SampleObject {
  readonly [key: string]: JsonOut;
}

/** A valid payload of an event, made of the samples in its row. */
export function sampleOf(event: EventName, cwd: string): SampleObject {
  const fields = Object.entries(fieldsOf(event)).filter(([name]) => name !== "recipe_name");
  return { ...Object.fromEntries(fields.map(([name, field]) => [name, field.sample])), event, cwd };
}
