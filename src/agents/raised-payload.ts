import { BASE_FIELDS, type EventName, fieldsOf } from "../protocol/event.ts";
import type { JsonObject, JsonSpan } from "../protocol/json/read.ts";
import { type Payload, payloadFromMembers } from "../protocol/payload.ts";
import type { PayloadProblem } from "../protocol/problem.ts";
import { withToolFiles } from "./native-payload.ts";

/** An event that an agent's event raised, as far as what the agent sent is a payload of it. */
export interface RaisedPayload {
  readonly event: EventName;
  /** Null: nobody can be asked about it. */
  readonly payload: Payload | null;
  /** What did not fit. Where there is a payload, something stands in for it. */
  readonly problems: readonly PayloadProblem[];
}

/** A guard that is asked with less can still deny; one that is not asked cannot. */
export function raisedPayload(event: EventName, members: JsonObject, ownCwd: string): RaisedPayload {
  const payload = payloadFromMembers(event, members, ownCwd);
  if (payload.ok) return { event, payload: { ...payload.value, follow: withToolFiles }, problems: [] };
  const mended = withoutBadField(payload.error, event, members);
  if (mended === null) return { event, payload: null, problems: [payload.error] };
  const { problems, ...raised } = raisedPayload(event, mended, ownCwd);
  return { ...raised, problems: [payload.error, ...problems] };
}

/** A field that may be missing is left out, an empty text stands for one that may not. Null: nothing can. */
function withoutBadField(problem: PayloadProblem, event: EventName, members: JsonObject): JsonObject | null {
  const field = "field" in problem ? fieldsOf(event)[problem.field] : undefined;
  if (!("field" in problem) || field === undefined) return null;
  const others = [...members].filter(([name]) => name !== problem.field);
  if (!field.isRequired || Object.hasOwn(BASE_FIELDS, problem.field)) return new Map(others);
  return field.kind === "text" ? new Map([...others, [problem.field, EMPTY]]) : null;
}

const EMPTY: JsonSpan = { kind: "string", raw: '""' };
