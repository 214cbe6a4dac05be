import { dialectSample, sampleWith } from "../../dialects/dialect-sample.ts";
import { envelopeReader } from "../../dialects/dialects.ts";
import { findEvent } from "../../protocol/event.ts";
import { type Hook, hookForEvent } from "../../protocol/hook.ts";
import { spanOfRaw } from "../../protocol/json/read.ts";
import { jsonText } from "../../protocol/json/write.ts";
import { type Payload, readPayload } from "../../protocol/payload/payload.ts";
import { explain } from "../../protocol/problem-message.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import type { TestCase } from "./test-case.ts";

/** The sample of the event under the fields of the case. The folder is a scratch folder, whatever the case says. */
export function casePayload(one: TestCase, hook: Hook, cwd: string): Result<Payload, string> {
  const [first] = hook.events;
  const named = findEvent(one.event ?? first ?? "");
  if (named === null || !hook.events.includes(named.event)) {
    return fail(`it handles ${hook.events.join(", ")}, not ${one.event}`);
  }
  const { event } = named;
  const fixed = [["event", event] as const, ["cwd", cwd] as const].map(
    ([key, value]) => [key, spanOfRaw(jsonText(value))] as const,
  );
  const sample = dialectSample({ event, dialect: hookForEvent(hook, event).dialect }, cwd);
  const text = sampleWith(sample, new Map([...one.payload, ...fixed]), named);
  const read = readPayload(event, text, cwd, envelopeReader(named.dialect));
  return read.ok ? ok(read.value) : fail(explain(read.error).summary);
}
