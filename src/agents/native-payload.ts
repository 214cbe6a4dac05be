import { fieldsAt, textAt, toSpan } from "../dialects/field-paths.ts";
import { BASE_FIELDS, type EventName, fieldsOf } from "../protocol/event.ts";
import { type JsonObject, type JsonSpan, membersOf } from "../protocol/json/read.ts";
import { rawJson } from "../protocol/json/write.ts";
import { type Payload, payloadFromMembers, withToolFiles } from "../protocol/payload/payload.ts";
import type { PayloadProblem } from "../protocol/problem.ts";
import type { Agent, RaisedEvent, ToolKind } from "./agent.ts";

/** The fields of a raised event, read from an agent's payload. `native` holds the payload as it was sent. */
export function canonicalFields(agent: Agent, nativeEvent: string, raised: RaisedEvent, native: JsonSpan): JsonObject {
  const own = membersOf(native);
  const members = new Map<string, JsonSpan>([
    ...fieldsAt({ event: () => raised.event }, own),
    ...fieldsAt(agent.baseFields, own),
    ...fieldsAt(raised.fields, own),
  ]);
  const toolName = textAt(members, "tool_name");
  if (toolName !== "") add(members, "tool_kind", toSpan(toolKind(agent, toolName)));
  const named = withToolFiles(members);
  add(named, "native", toSpan({ agent: agent.name, event: nativeEvent, payload: rawJson(native.raw) }));
  return named;
}

function add(members: Map<string, JsonSpan>, key: string, span: JsonSpan | undefined): void {
  if (span !== undefined) members.set(key, span);
}

/** The kind of a tool, by the agent's name of it. */
export function toolKind({ tools, mcpTool }: Agent, name: string): ToolKind {
  if (Object.hasOwn(tools, name)) return tools[name] ?? "other";
  return mcpTool.test(name) ? "mcp" : "other";
}

/** A raised event with its payload. */
export interface RaisedPayload {
  readonly event: EventName;
  /** Null: the payload is invalid, so that no hook can run. */
  readonly payload: Payload | null;
  /** Invalid fields. In the payload they are left out or empty. */
  readonly problems: readonly PayloadProblem[];
}

/** Invalid fields are dropped if possible: a guard with less data can still block, one that does not run cannot. */
export function raisedPayload(event: EventName, members: JsonObject, ownCwd: string): RaisedPayload {
  const payload = payloadFromMembers(event, members, ownCwd);
  if (payload.ok) return { event, payload: { ...payload.value, hasToolFiles: true }, problems: [] };
  const repaired = withoutBadField(payload.error, event, members);
  if (repaired === null) return { event, payload: null, problems: [payload.error] };
  const { problems, ...raised } = raisedPayload(event, repaired, ownCwd);
  return { ...raised, problems: [payload.error, ...problems] };
}

/** Leaves out an optional field, and empties a required text. Null for other required fields. */
function withoutBadField(problem: PayloadProblem, event: EventName, members: JsonObject): JsonObject | null {
  const field = "field" in problem ? fieldsOf(event)[problem.field] : undefined;
  if (!("field" in problem) || field === undefined) return null;
  const others = [...members].filter(([name]) => name !== problem.field);
  if (!field.isRequired || Object.hasOwn(BASE_FIELDS, problem.field)) return new Map(others);
  return field.kind === "text" ? new Map([...others, [problem.field, EMPTY]]) : null;
}

const EMPTY: JsonSpan = { kind: "string", raw: '""' };
