import { fieldsAt, textAt } from "../../src/dialects/field-paths.ts";
import { type JsonSpan, membersOf, spanOfRaw } from "../../src/protocol/json/read.ts";
import { jsonText } from "../../src/protocol/json/write.ts";
import { ownValue } from "../../src/protocol/own-value.ts";
import { isSampleObject, type PathValue, type SampleObject, withValue } from "../../src/protocol/payload/sample.ts";
import { fail, ok, type Result } from "../../src/protocol/result.ts";
import { expressedCall, restoredInput } from "../../src/protocol/tools/restore.ts";
import {
  portableArguments,
  portableToolNamed,
  sampleInputOf,
  toolTaking,
} from "../../src/protocol/tools/vocabulary.ts";
import type { Agent, RaisedEvent } from "./agent.ts";
import { type NamedCall, withCall } from "./native-call.ts";
import { type TranslatedCall, translatedCall } from "./native-payload.ts";
import type { NativeSample } from "./native-samples.ts";

/**
 * A sample of an agent's event with values. `tool_name` and `tool_input` are the call in portable names, and choose the
 * sample; any other path is the agent's own. Fails with the reason.
 */
export function nativeSampleWith(
  agent: Agent,
  event: string,
  samples: readonly NativeSample[],
  set: readonly PathValue[],
): Result<NativeSample, string> {
  const calls = samples.flatMap((sample) => toolSamples(agent, event, sample));
  const ofCall = set.filter(([[first]]) => calls.length > 0 && (first === "tool_name" || first === "tool_input"));
  const [first] = samples;
  if (first === undefined) return fail(`${agent.title} has no event ${event}`);
  const chosen = ofCall.length === 0 ? ok(first) : sampleOfCall(agent, calls, ofCall.reduce(withValue, {}));
  if (!chosen.ok) return chosen;
  const { payload } = chosen.value;
  const others = set.filter((one) => !ofCall.includes(one));
  const unknown = others.find(([[field = ""]]) => !membersOf(payload).has(field));
  if (unknown !== undefined) return fail(`${agent.title} sends no ${unknown[0].join(".")} with ${event}`);
  return ok(
    others.length === 0
      ? chosen.value
      : { ...chosen.value, payload: spanOf(others.reduce(withValue, objectIn(payload))) },
  );
}

interface ToolSample {
  readonly sample: NativeSample;
  readonly raised: RaisedEvent;
  readonly call: TranslatedCall;
}

function toolSamples(agent: Agent, event: string, sample: NativeSample): readonly ToolSample[] {
  const own = membersOf(sample.payload);
  return (agent.events[event]?.raises ?? []).flatMap((raised) => {
    const call = raised.when?.(own) === false ? null : translatedCall(agent, raised, own);
    return call === null ? [] : [{ sample, raised, call }];
  });
}

function sampleOfCall(agent: Agent, calls: readonly ToolSample[], said: SampleObject): Result<NativeSample, string> {
  const values = isSampleObject(said.tool_input) ? said.tool_input : {};
  const keys = Object.keys(values);
  const known = calls.find(({ call: { portable } }) => keys.every((key) => portableArguments(portable.tool)?.has(key)));
  const tool =
    typeof said.tool_name === "string" ? said.tool_name : (known?.call.portable.tool ?? toolTaking(keys[0] ?? ""));
  const wanted = tool === null ? null : (portableToolNamed(tool) ?? tool);
  const found = wanted === null ? calls[0] : calls.find(({ call }) => call.portable.names.includes(wanted));
  const base = found ?? calls[0];
  const native =
    found === undefined
      ? expressedCall(agent.tools.table, wanted ?? "", spanOf({ ...sampleInputOf(wanted ?? ""), ...values }))
      : changedCall(found, spanOf({ ...objectIn(found.call.portable.input), ...withPortableNames(values, found) }));
  const payload =
    base === undefined || native === null ? null : withCall(base.raised, membersOf(base.sample.payload), native);
  if (base === undefined || payload === null)
    return fail(`${agent.title} has no tool for ${tool} with these arguments`);
  return ok({ ...base.sample, payload });
}

const objectIn = (span: JsonSpan): SampleObject => {
  const value: unknown = JSON.parse(span.raw);
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
};

const spanOf = (value: SampleObject): JsonSpan => spanOfRaw(jsonText(value));

/** An argument may also have the agent's name. */
function withPortableNames(values: SampleObject, { call: { portable } }: ToolSample): SampleObject {
  const known = portableArguments(portable.tool);
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      known?.has(key) ? key : (ownValue(portable.row?.names ?? {}, key) ?? key),
      value,
    ]),
  );
}

function changedCall({ sample, raised, call }: ToolSample, input: JsonSpan): NamedCall | null {
  const { native, portable } = call;
  const name = textAt(new Map(fieldsAt(raised.fields, membersOf(sample.payload))), "tool_name");
  const restored = restoredInput({ row: portable.row, native, portable: portable.input }, input);
  return restored === null ? null : { name, input: restored };
}
