import { dialectSample } from "../../../src/dialects/payload-paths.ts";
import { EVENT_ROWS, type EventName, type NamedEvent } from "../../../src/protocol/event.ts";
import { type Hook, hookForEvent } from "../../../src/protocol/hook.ts";
import { type JsonValue, jsonText } from "../../../src/protocol/json/write.ts";
import { matches } from "../../../src/protocol/match.ts";
import { type Payload, readPayload } from "../../../src/protocol/payload/payload.ts";
import { isSampleObject, minimalPayload, type SampleObject, withValue } from "../../../src/protocol/payload/sample.ts";
import type { TestContext } from "../scratch/worker.ts";

/** A payload that every hook of an event should be able to take. */
export interface PayloadCheck {
  readonly name: string;
  readonly about: string;
  readonly make: (named: NamedEvent, cwd: string) => SampleObject;
  /** True if it runs for each event of the hook, not only the first. */
  readonly isForEachEvent?: true;
}

export const SAMPLE_CHECK = "handles a sample payload";
export const UNKNOWN_FIELDS_CHECK = "survives unknown fields";

export const PAYLOAD_CHECKS: readonly PayloadCheck[] = [
  {
    name: SAMPLE_CHECK,
    about: "the sample of each event that it handles, as `hookctl payload` prints it",
    make: dialectSample,
    isForEachEvent: true,
  },
  {
    name: "survives an empty payload",
    about: "the base and the required fields, with nothing in them",
    make: ({ event }, cwd) => minimalPayload(event, cwd),
  },
  {
    name: UNKNOWN_FIELDS_CHECK,
    about: "the sample with fields of a version that does not exist yet",
    make: (named, cwd) => ({ ...dialectSample(named, cwd), x_unknown: { nested: [1, null, "two"] }, x_later: true }),
  },
  {
    name: "survives a large payload",
    about: "the sample with 1 MiB of text in it",
    make: largeOf,
  },
];

const LARGE_BYTES = 1024 * 1024;

/** The payloads of a check, adapted so that the hook's `match` applies to them. */
export function payloadsFor(
  check: PayloadCheck,
  hook: Hook,
  { cwd, context: { payloads } }: { readonly cwd: string; readonly context: Pick<TestContext, "payloads"> },
): readonly Payload[] {
  const events = check.isForEachEvent ? hook.events : hook.events.slice(0, 1);
  return events.flatMap((event) => {
    const named = { event, dialect: hookForEvent(hook, event).dialect };
    const key = [check.name, event, named.dialect, cwd].join("\0");
    const known = payloads.get(key);
    const payload = known === undefined ? payloadOf(event, check.make(named, cwd), cwd) : known;
    payloads.set(key, payload);
    if (payload !== null && matches(hook.match, payload.members, named)) return payload;
    return payloadOf(event, fitting(check.make(named, cwd), hook), cwd) ?? payload ?? [];
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
