import { fieldsAt, textAt } from "../../src/dialects/field-paths.ts";
import { portableOutput } from "../../src/dialects/tools/tool-output.ts";
import { BASE_FIELDS, type EventName, fieldsOf } from "../../src/protocol/event.ts";
import {
  EMPTY_OBJECT,
  EMPTY_TEXT,
  type JsonObject,
  type JsonSpan,
  membersOf,
  NULL,
  textSpan,
} from "../../src/protocol/json/read.ts";
import { type JsonValue, jsonSpan, rawJson } from "../../src/protocol/json/write.ts";
import { type Payload, payloadFromMembers, withToolFiles } from "../../src/protocol/payload/payload.ts";
import type { PayloadProblem } from "../../src/protocol/problem.ts";
import { type PortableCall, portableCall } from "../../src/protocol/tools/translate.ts";
import type { Agent, RaisedEvent } from "./agent.ts";

/** The members of a raised event, and the problem of an ambiguous tool call. */
export interface CanonicalFields {
  readonly members: JsonObject;
  readonly problem: PayloadProblem | null;
}

/** The fields of a raised event, read from an agent's payload. `native` holds the payload as it was sent. */
export function canonicalFields(
  agent: Agent,
  nativeEvent: string,
  raised: RaisedEvent,
  native: JsonSpan,
): CanonicalFields {
  const own = membersOf(native);
  const members = new Map<string, JsonSpan>([
    ...fieldsAt({ event: () => raised.event }, own),
    ...fieldsAt(agent.baseFields, own),
    ...fieldsAt(raised.fields, own),
  ]);
  const call = nativeToolCall(agent, raised, members, own);
  for (const [key, span] of call === null ? [] : portableFields(call, raised, members)) members.set(key, span);
  const named = withToolFiles(members);
  const agentName = agent.recordedAs ?? agent.name;
  named.set("agent", jsonSpan(callingAgent(agent, own, members)));
  named.set("native", jsonSpan({ agent: agentName, event: nativeEvent, payload: rawJson(native) }));
  return { members: named, problem: call === null ? null : ambiguity(call, raised.event) };
}

/** The arguments of a tool call as the agent sent them, and the portable call. */
export interface TranslatedCall {
  readonly native: JsonSpan;
  /** False if the arguments have one key twice, so that programs disagree on them. */
  readonly isReadable: boolean;
  readonly portable: PortableCall;
}

/** Returns the tool call of an event whose fields were read into `members`, or null if the event is about no tool. */
function nativeToolCall(
  agent: Agent,
  { fields }: RaisedEvent,
  members: JsonObject,
  own: JsonObject,
): TranslatedCall | null {
  const name = textAt(members, "tool_name");
  if (name === "") return null;
  const input = members.get("tool_input");
  const native = input ?? EMPTY_OBJECT;
  const portable = portableCall(agent.tools, { name, input: native, mcp: agent.mcpOf?.(own) ?? null });
  return { native, isReadable: input !== undefined || !Object.hasOwn(fields, "tool_input"), portable };
}

/** Returns the tool call of an agent's payload, or null if the event is about no tool. */
export function translatedCall(agent: Agent, raised: RaisedEvent, own: JsonObject): TranslatedCall | null {
  return nativeToolCall(agent, raised, new Map(fieldsAt(raised.fields, own)), own);
}

function* portableFields(
  { portable }: TranslatedCall,
  { fields }: RaisedEvent,
  members: JsonObject,
): Generator<readonly [string, JsonSpan]> {
  yield ["tool_name", textSpan(portable.tool)];
  yield ["tool_kind", textSpan(portable.kind)];
  yield ["tool_names", { kind: "array", raw: JSON.stringify(portable.names) }];
  if (Object.hasOwn(fields, "tool_input")) yield ["tool_input", portable.input];
  const output = members.get("tool_output");
  if (output !== undefined) yield ["tool_output", portableOutput(output, portable)];
}

/** The problem of arguments that a hook cannot judge, because it would see one of two values, or a part. */
function ambiguity({ native, isReadable, portable }: TranslatedCall, event: EventName): PayloadProblem | null {
  if (!isReadable) return { code: "PAYLOAD_AMBIGUOUS", event, tool: portable.tool, keys: null };
  if (portable.isMisshapen)
    return { code: "PAYLOAD_FIELD_TYPE", event, field: "tool_input", expected: "an object", found: native.kind };
  if (portable.ambiguous === null) return null;
  return { code: "PAYLOAD_AMBIGUOUS", event, tool: portable.tool, keys: portable.ambiguous };
}

/** The field `agent`. If subagents have ids, only an id means a subagent, because the main agent may have a type, too. */
function callingAgent({ name, subagent = {} }: Agent, own: JsonObject, members: JsonObject): JsonValue {
  const inside = new Map(fieldsAt(subagent, own));
  const isInside = inside.has(Object.hasOwn(subagent, "id") ? "id" : "type");
  const fieldOf = (key: string): JsonValue => rawJson(inside.get(key) ?? NULL);
  return {
    name,
    session: textAt(members, "conv_id"),
    subagent: !isInside ? null : { type: fieldOf("type"), id: fieldOf("id") },
  };
}

/** A raised event with its payload. */
export interface RaisedPayload {
  readonly event: EventName;
  /** Null if the payload is invalid, so that no hook can run. */
  readonly payload: Payload | null;
  /** Invalid fields. In the payload they are left out or empty. */
  readonly problems: readonly PayloadProblem[];
}

/** Invalid fields are dropped if possible: a guard with less data can still block, one that does not run cannot. */
export function raisedPayload(event: EventName, { members, problem }: CanonicalFields, ownCwd: string): RaisedPayload {
  const found = problem === null ? [] : [problem];
  const payload = payloadFromMembers(event, members, ownCwd);
  if (payload.ok) return { event, payload: { ...payload.value, hasToolFiles: true }, problems: found };
  const repaired = withoutBadField(payload.error, event, members);
  if (repaired === null) return { event, payload: null, problems: [...found, payload.error] };
  const { problems, ...raised } = raisedPayload(event, { members: repaired, problem: null }, ownCwd);
  return { ...raised, problems: [...found, payload.error, ...problems] };
}

/** Leaves out an optional field, and empties a required text. Returns null for other required fields. */
function withoutBadField(problem: PayloadProblem, event: EventName, members: JsonObject): JsonObject | null {
  const field = "field" in problem ? fieldsOf(event)[problem.field] : undefined;
  if (!("field" in problem) || field === undefined) return null;
  const others = [...members].filter(([name]) => name !== problem.field);
  if (!field.isRequired || Object.hasOwn(BASE_FIELDS, problem.field)) return new Map(others);
  return field.kind === "text" ? new Map([...others, [problem.field, EMPTY_TEXT]]) : null;
}
