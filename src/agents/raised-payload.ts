import { BASE_FIELDS, type EventName, fieldsOf } from "../protocol/event.ts";
import type { JsonObject, JsonSpan } from "../protocol/json/read.ts";
import { type Payload, payloadFromMembers } from "../protocol/payload/payload.ts";
import type { PayloadProblem } from "../protocol/problem.ts";

/** A raised event with its payload. */
export interface RaisedPayload {
  readonly event: EventName;
  /** Null: the payload is invalid, so that no hook can run. */
  readonly payload: Payload | null;
  /** Invalid fields. In the payload they are left out or empty. */
  readonly problems: readonly PayloadProblem[];
}

/** Invalid fields are left out if possible: a guard that gets less can still block, one that does not run cannot. */
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
