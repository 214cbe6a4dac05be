import type { NamedEvent } from "../protocol/event.ts";
import { type JsonObject, objectOf, spanOfRaw } from "../protocol/json/read.ts";
import { jsonText } from "../protocol/json/write.ts";
import { type SampleObject, samplePayload } from "../protocol/payload/sample.ts";
import { DIALECTS, envelopeReader } from "./dialects.ts";

/** A valid payload of an event for a hook of this dialect, with the dialect's own fields. */
export const dialectSample = ({ event, dialect }: NamedEvent, cwd: string): SampleObject => ({
  ...samplePayload(event, cwd),
  ...DIALECTS[dialect].sample,
});

/** A sample as JSON text with the caller's fields, which may have the names of the event's dialect. */
export function sampleWith(sample: SampleObject, own: JsonObject, { event, dialect }: NamedEvent): string {
  const fields = Object.entries(sample).map(([key, value]) => [key, spanOfRaw(jsonText(value))] as const);
  const ours = envelopeReader(dialect)(own, event);
  return objectOf(new Map([...fields, ...(ours.ok ? ours.value : own)])).raw;
}
