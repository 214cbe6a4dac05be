import { fieldsAt, textAt } from "../../src/dialects/field-paths.ts";
import type { EventName } from "../../src/protocol/event.ts";
import {
  type JsonObject,
  type JsonSpan,
  membersOf,
  objectOf,
  stringOf,
  textSpan,
} from "../../src/protocol/json/read.ts";
import { fail, ok, type Result } from "../../src/protocol/result.ts";
import { expressedCall } from "../../src/protocol/tools/restore.ts";
import { portableToolNamed } from "../../src/protocol/tools/vocabulary.ts";
import type { Agent, RaisedEvent } from "./agent.ts";
import { type CanonicalFields, canonicalFields } from "./native-payload.ts";
import type { NativeSamples } from "./native-samples.ts";

/** A tool call: in portable names, or in an agent's own. */
export interface NamedCall {
  readonly name: string;
  readonly input: JsonSpan;
}

/** A tool call in the payload of an agent's event, and the fields that the bridge reads from it. */
export interface NativeToolPayload {
  readonly event: string;
  readonly raised: RaisedEvent;
  /** The agent's name of the tool. */
  readonly tool: string;
  readonly payload: JsonSpan;
  readonly fields: CanonicalFields;
}

/** The agent's events that raise this one. Events that are registered by default come first. */
export const eventsRaising = ({ events }: Agent, event: EventName): readonly (readonly [string, RaisedEvent])[] =>
  Object.entries(events)
    .toSorted(([, a], [, b]) => Number(a.isOnRequest === true) - Number(b.isOnRequest === true))
    .flatMap(([name, { raises }]) => raises.filter((one) => one.event === event).map((one) => [name, one] as const));

/** A portable call in a payload of the agent. Fails with the reason. */
export function nativeCall(
  agent: Agent,
  samples: NativeSamples,
  event: EventName,
  call: NamedCall,
): Result<NativeToolPayload, string> {
  const events = eventsRaising(agent, event);
  if (events.length === 0) return fail(`it has no event for ${event}`);
  const tool = portableToolNamed(call.name) ?? call.name;
  const expressed = expressedCall(agent.tools.table, tool, call.input) ?? sameCall(agent, call);
  if (expressed === null) return fail(`it has no tool for ${call.name} with these arguments`);
  for (const [name, raised] of events) {
    for (const { payload } of samples(name)) {
      const sent = withCall(raised, membersOf(payload), expressed);
      if (sent === null || raised.when?.(membersOf(sent)) === false) continue;
      const fields = canonicalFields(agent, name, raised, sent);
      if (fields.problem === null && textAt(fields.members, "tool_name") === tool)
        return ok({ event: name, raised, tool: expressed.name, payload: sent, fields });
    }
  }
  return fail(`no payload of it is known for ${event} with ${call.name}`);
}

/** A tool without a portable counterpart keeps its name. */
const sameCall = ({ tools }: Agent, call: NamedCall): NamedCall | null =>
  Object.hasOwn(tools.table, call.name) ? call : null;

/** Returns the agent's payload with another tool and other arguments, or null if it has no tool call. */
export function withCall(raised: RaisedEvent, own: JsonObject, { name, input }: NamedCall): JsonSpan | null {
  const read = new Map(fieldsAt(raised.fields, own));
  const [before, had] = [textAt(read, "tool_name"), read.get("tool_input")];
  if (before === "" || had === undefined) return null;
  const changed = ([key, span]: readonly [string, JsonSpan]): readonly [string, JsonSpan] => {
    if (span.raw === had.raw) return [key, input];
    if (span.kind !== "string") return [key, span];
    const text = stringOf(span);
    // Some agents send the arguments as JSON text.
    if (text === had.raw) return [key, textSpan(input.raw)];
    return [key, text === before ? textSpan(name) : span];
  };
  return objectOf([...own].map(changed));
}
