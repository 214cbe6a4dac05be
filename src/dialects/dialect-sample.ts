import type { NamedEvent } from "../protocol/event.ts";
import { type JsonObject, objectOf, spanOfRaw } from "../protocol/json/read.ts";
import { jsonText } from "../protocol/json/write.ts";
import { type SampleObject, samplePayload } from "../protocol/sample.ts";
import { DIALECTS, envelopeReader } from "./dialects.ts";

/** A valid payload of an event for a hook of this dialect: every field of the event, and those of the dialect's own. */
export const dialectSample = ({ event, dialect }: NamedEvent, cwd: string): SampleObject => ({
  ...samplePayload(event, cwd),
  ...DIALECTS[dialect].sample,
});

/** A sample with a caller's own fields over it, as JSON text. They may be in the dialect of the event's name. */
export function sampleWith(sample: SampleObject, own: JsonObject, { event, dialect }: NamedEvent): string {
  const fields = Object.entries(sample).map(([key, value]) => [key, spanOfRaw(jsonText(value))] as const);
  const ours = envelopeReader(dialect)(own, event);
  return objectOf(new Map([...fields, ...(ours.ok ? ours.value : own)])).raw;
}
