import { dialectSample } from "../../../src/dialects/payload-paths.ts";
import { EVENT_ROWS, type EventName, type NamedEvent } from "../../../src/protocol/event.ts";
import { type Hook, hookForEvent } from "../../../src/protocol/hook.ts";
import { type JsonValue, jsonText } from "../../../src/protocol/json/write.ts";
import { matches } from "../../../src/protocol/match.ts";
import { ownValue } from "../../../src/protocol/own-value.ts";
import { type Payload, readPayload } from "../../../src/protocol/payload/payload.ts";
import { isSampleObject, minimalPayload, type SampleObject, withValue } from "../../../src/protocol/payload/sample.ts";
import type { TestContext } from "../scratch/worker.ts";

export const SAMPLE_CHECK = "handles a sample payload";
export const UNKNOWN_FIELDS_CHECK = "survives unknown fields";

/** Payloads that every hook of an event should be able to take, by the names of the checks. */
export const PAYLOAD_CHECKS: Readonly<Record<string, (named: NamedEvent, cwd: string) => SampleObject>> = {
  [SAMPLE_CHECK]: dialectSample,
  "survives an empty payload": ({ event }, cwd) => minimalPayload(event, cwd),
  // Fields of a version that does not exist yet.
  [UNKNOWN_FIELDS_CHECK]: (named, cwd) => {
    return { ...dialectSample(named, cwd), x_unknown: { nested: [1, null, "two"] }, x_later: true };
  },
  "survives a large payload": largeOf,
};

const LARGE_BYTES = 1024 * 1024;

/**
 * The payloads of a check, adapted so that the hook's `match` applies to them: for the sample one of each event of the hook,
 * else of the first.
 */
export function payloadsFor(
  name: string,
  hook: Hook,
  { cwd, context: { payloads } }: { readonly cwd: string; readonly context: Pick<TestContext, "payloads"> },
): readonly Payload[] {
  const make = ownValue(PAYLOAD_CHECKS, name) ?? dialectSample;
  const events = name === SAMPLE_CHECK ? hook.events : hook.events.slice(0, 1);
  return events.flatMap((event) => {
    const named = { event, dialect: hookForEvent(hook, event).dialect };
    const key = [name, event, named.dialect, cwd].join("\0");
    const known = payloads.get(key);
    const payload = known === undefined ? payloadOf(event, make(named, cwd), cwd) : known;
    payloads.set(key, payload);
    if (payload !== null && matches(hook.match, payload.members, named)) return payload;
    return payloadOf(event, fitting(make(named, cwd), hook), cwd) ?? payload ?? [];
  });
}

function payloadOf(event: EventName, sample: SampleObject, cwd: string): Payload | null {
  const read = readPayload(event, jsonText(sample), cwd);
  return read.ok ? read.value : null;
}

/** The sample with a matching value at each path of the hook's first pattern. */
function fitting(sample: SampleObject, { match }: Hook): SampleObject {
  const wanted = Object.entries(match ?? {});
  return wanted.reduce((before, [path, patterns]) => {
    const [pattern = ""] = [patterns].flat();
    return withValue(before, [path.split("."), pattern.replaceAll("*", "").replaceAll("?", "x")]);
  }, sample);
}

/** Puts the text where an agent would put it: in the value that the hook checks. */
function largeOf(named: NamedEvent, cwd: string): SampleObject {
  const sample = dialectSample(named, cwd);
  const { target, fields } = EVENT_ROWS[named.event];
  const [place = "x_large"] = [target ?? Object.keys(fields)].flat().filter((name) => fields[name]?.kind !== "number");
  return { ...sample, [place]: enlarged(sample[place]) };
}

function enlarged(value: JsonValue | undefined): JsonValue {
  const content = "x".repeat(LARGE_BYTES);
  if (Array.isArray(value)) return [...value, { role: "user", content }];
  return isSampleObject(value) ? { ...value, content } : content;
}
